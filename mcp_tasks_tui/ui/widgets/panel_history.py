"""The progress of the last minutes, for a small graph."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.panel_lines import Piece, Tone, spark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.panel_lines import Line

#: How far back the graph goes at most.
MINUTES = 10
#: Seconds that are too few for a line to have a shape.
_LEAST_SPAN = 5.0
_POINTS = 600
_TASKS = 256


class ProgressHistory:
    """(epoch seconds, fraction) of the tasks that were looked at lately; bounded."""

    def __init__(self) -> None:
        self._points: OrderedDict[str, deque[tuple[float, float]]] = OrderedDict()

    def note(self, view: TaskView) -> None:
        """Keep a task's progress if it is new."""
        if view.progress is None:
            return
        points = self._points.setdefault(view.key, deque(maxlen=_POINTS))
        self._points.move_to_end(view.key)
        snapshot = view.snapshot
        at = snapshot.last_message_at or snapshot.changed_at or snapshot.observed_at
        point = (at or 0.0, view.progress.fraction)
        if not points or (points[-1] != point and points[-1][0] <= point[0]):
            points.append(point)
        while len(self._points) > _TASKS:
            self._points.popitem(last=False)

    def of(self, key: str) -> tuple[tuple[float, float], ...]:
        return tuple(self._points.get(key, ()))


def span(points: Sequence[tuple[float, float]], now: float) -> float:
    """Return how many seconds a graph of these points covers: what was seen, no more."""
    return min(now - points[0][0], MINUTES * 60.0) if points else 0.0


def graph(points: Sequence[tuple[float, float]], now: float, width: int) -> Line:
    """Return a small graph of the progress and the time it covers; empty with little to show."""
    seconds = span(points, now)
    if len(points) < 3 or seconds < _LEAST_SPAN:
        return ()
    label = f" last {words.duration(seconds)}"
    blocks = spark(sampled(points, now, min(width - len(label), 60), seconds))
    return (Piece(blocks, Tone.BAR), Piece(label, Tone.MUTED)) if blocks.strip() else ()


def sampled(
    points: Sequence[tuple[float, float]], now: float, cells: int, seconds: float
) -> list[float | None]:
    """Return the fraction at the end of each of `cells` equal stretches of the last `seconds`.

    A stretch before the first point is None; one without a point of its own keeps the last.
    """
    values: list[float | None] = []
    index = 0
    value: float | None = None
    for number in range(cells):
        end = now - seconds + (number + 1) * seconds / cells
        while index < len(points) and points[index][0] <= end:
            value = points[index][1]
            index += 1
        values.append(value)
    return values

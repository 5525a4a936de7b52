"""The progress of the last minutes, for a small graph."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.progress import parse
from mcp_tasks_tui.ui.widgets.lines.pieces import Piece, Tone, spark

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.lines.pieces import Line

#: How far back the graph goes at most.
MINUTES = 10
#: Seconds and points that are too few for a line to have a shape; cells that are enough for it.
_LEAST_SPAN, _LEAST_POINTS, _RESOLUTION = words.STEP, 3, 60
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


class JournalProgress:
    """What the messages of a journal tell of progress; read once for each journal."""

    def __init__(self) -> None:
        self._journal: Sequence[JournalEntry] = ()
        self._points: tuple[tuple[float, float], ...] = ()

    def before(
        self, points: Sequence[tuple[float, float]], journal: Sequence[JournalEntry]
    ) -> tuple[tuple[float, float], ...]:
        """Return `points` with what the journal tells of the time before them."""
        if journal is not self._journal:
            self._journal, self._points = journal, tuple(_told(journal))
        first = points[0][0] if points else float("inf")
        return (*(point for point in self._points if point[0] < first), *points)


def _told(journal: Sequence[JournalEntry]) -> Iterator[tuple[float, float]]:
    for entry in journal:
        if entry.event in (Event.MESSAGE, Event.STATUS) and (progress := parse(entry.text)):
            yield entry.at, progress.fraction


def span(points: Sequence[tuple[float, float]], now: float) -> float:
    """Return how many seconds a graph of these points covers: what was seen, no more."""
    return min(now - points[0][0], MINUTES * 60.0) if points else 0.0


def graph(points: Sequence[tuple[float, float]], now: float, width: int) -> Line:
    """Return how progress went lately, and from where to where; empty with little to show.

    The bar tells how far it is; this tells of pauses, jumps and steps back: its height is what was
    gone through in the time that is shown.
    """
    seconds = span(points, now)
    if len(points) < _LEAST_POINTS or seconds < _LEAST_SPAN:
        return ()
    values = sampled(points, now, _RESOLUTION, seconds)
    known = [value for value in values if value is not None]
    if not known:
        return ()
    low, high = min(known), max(known)
    way = f"{words.percent(known[0])} → {words.percent(known[-1])}"
    label = f" {way if high > low else 'no change'} in {words.duration(words.passed(seconds))}"
    shown = sampled(points, now, min(width - len(label), _RESOLUTION), seconds)
    blocks = spark([None if each is None else _share(each, low, high) for each in shown])
    return (Piece(blocks, Tone.BAR), Piece(label, Tone.MUTED)) if blocks.strip() else ()


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.0


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

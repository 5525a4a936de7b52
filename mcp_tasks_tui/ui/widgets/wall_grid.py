"""Which tasks are on the wall, in which order, and how the window is shared among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_tasks_tui.supervise.view import TaskView

#: The smallest panel that says anything from a distance.
LEAST_WIDTH, LEAST_HEIGHT = 34, 6
#: Seconds for which a task that ended stays on the wall, after all that run.
LINGERS = 600
_CELL_SHAPE = 2.6
_RANKS = {reason: rank for rank, reason in enumerate(Reason)}
_CALM = len(_RANKS)


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns and rows of panels in a window of `width` x `height` cells."""

    columns: int
    rows: int
    width: int
    height: int

    @property
    def capacity(self) -> int:
        return self.columns * self.rows

    def column(self, number: int) -> tuple[int, int]:
        """Return the first cell and the width of a column; together they fill the window."""
        start = number * self.width // self.columns
        return start, (number + 1) * self.width // self.columns - start

    def row(self, number: int) -> tuple[int, int]:
        """Return the first line and the height of a row."""
        start = number * self.height // self.rows
        return start, (number + 1) * self.height // self.rows - start

    def row_at(self, y: int) -> int:
        return next(number for number in reversed(range(self.rows)) if self.row(number)[0] <= y)


def grid_for(count: int, width: int, height: int) -> Grid:
    """Share a window among `count` panels: all of them if they fit, as large as they can be."""
    width, height = max(width, 1), max(height, 1)
    most_columns = max(1, width // LEAST_WIDTH)
    most_rows = max(1, height // LEAST_HEIGHT)
    best = Grid(most_columns, most_rows, width, height)
    best_size = 0.0
    for columns in range(1, most_columns + 1):
        rows = -(-max(count, 1) // columns)
        if rows > most_rows:
            continue
        size = min(width / columns / _CELL_SHAPE, height / rows)
        if size > best_size:
            best, best_size = Grid(columns, rows, width, height), size
    return best


def on_the_wall(views: Iterable[TaskView], now: float) -> list[TaskView]:
    """Return what runs, most urgent first, then what ended a short while ago.

    Among equals the order never changes, so that panels stay where they are. A task that is
    alone stays whatever became of it.
    """
    every = list(views)
    shown = [view for view in every if not view.archived and _belongs(view, now)]
    if not shown and len(every) == 1:
        shown = every
    return sorted(shown, key=_rank)


def _belongs(view: TaskView, now: float) -> bool:
    if not view.state.ended:
        return True
    ended = view.snapshot.gone_at if view.state is State.GONE else view.snapshot.changed_at
    return ended is not None and now - ended < LINGERS


def _rank(view: TaskView) -> tuple[bool, int, float, float, str]:
    rank, since = _CALM, 0.0
    for each in view.attention:
        if _RANKS[each.reason] < rank:
            rank, since = _RANKS[each.reason], each.since
    handle = view.handle
    return view.state.ended, rank, since, handle.saved_at, handle.key


def page_of(keys: Sequence[str], page: int, capacity: int) -> tuple[int, list[str]]:
    """Return the page (moved into what exists) and the keys on it."""
    pages = page_count(len(keys), capacity)
    page = max(0, min(page, pages - 1))
    return page, list(keys[page * capacity : (page + 1) * capacity])


def page_count(count: int, capacity: int) -> int:
    return max(1, -(-count // capacity))

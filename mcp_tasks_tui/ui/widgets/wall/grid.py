"""Which tasks are on the wall, in which order, and how the window is shared among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.arrange import is_recent, urgency

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_tasks_tui.supervise.view import TaskView

#: The smallest panel that says anything.
LEAST_WIDTH, LEAST_HEIGHT = 34, 6
#: Where not all fit anyway, each is so high that it is read from afar, as long as a page has so
#: many: the most urgent ones are on the first. Large letters if that can be, else small ones.
PAGED = ((11, 8), (9, 4))
_CELL_SHAPE = 2.6


@record
class Grid:
    """Columns and rows of panels in a window of `width` x `height` cells."""

    columns: int
    rows: int
    width: int
    height: int

    @property
    def capacity(self) -> int:
        return self.columns * self.rows

    def columns_in(self, row: int, count: int) -> int:
        """Return how many of `count` panels are in a row: those of the last one share it."""
        return max(1, min(self.columns, count - row * self.columns))

    def column(self, number: int, columns: int) -> tuple[int, int]:
        """Return the first cell and the width of one of `columns`; together they fill the
        window."""
        start = number * self.width // columns
        return start, (number + 1) * self.width // columns - start

    def row(self, number: int) -> tuple[int, int]:
        """Return the first line and the height of a row."""
        start = number * self.height // self.rows
        return start, (number + 1) * self.height // self.rows - start

    def place(self, number: int, count: int) -> tuple[int, int, int, int]:
        """Return where panel `number` of `count` is: x, y, width, height in cells."""
        row, column = divmod(number, self.columns)
        x, width = self.column(column, self.columns_in(row, count))
        y, height = self.row(row)
        return x, y, width, height

    def row_at(self, y: int) -> int:
        return next(number for number in reversed(range(self.rows)) if self.row(number)[0] <= y)


def grid_for(count: int, width: int, height: int) -> Grid:
    """Share a window among `count` panels: all of them if they fit, as large as they can be.

    Where they do not, it is shared among as many as can be read from afar, or else as fit.
    """
    width, height = max(width, 1), max(height, 1)
    most_columns = max(1, width // LEAST_WIDTH)
    most_rows = max(1, height // LEAST_HEIGHT)
    readable = (height // least for least, page in PAGED if height // least * most_columns >= page)
    best = Grid(most_columns, next(readable, most_rows), width, height)
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
    """Return what runs and what ended a short while ago, most urgent first, as in the list.

    Among equals the newest comes last, so that panels stay where they are. A task that is alone
    stays whatever became of it.
    """
    every = list(views)
    shown = [view for view in every if not view.archived and _belongs(view, now)]
    if not shown and len(every) == 1:
        shown = every
    return sorted(shown, key=lambda view: (urgency(view, now), view.handle.saved_at, view.key))


def _belongs(view: TaskView, now: float) -> bool:
    return not view.state.ended or is_recent(view, now)


def page_of(keys: Sequence[str], page: int, capacity: int) -> tuple[int, list[str]]:
    """Return the page (moved into what exists) and the keys on it."""
    pages = page_count(len(keys), capacity)
    page = max(0, min(page, pages - 1))
    return page, list(keys[page * capacity : (page + 1) * capacity])


def page_count(count: int, capacity: int) -> int:
    return max(1, -(-count // capacity))

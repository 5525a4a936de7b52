"""Which row of the list is on which line: one line for each, or two where all have room (pure).

A handful of tasks leaves most of a window empty while each is cut to fit beside its columns. So
where every task can have two lines, its message has the second to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.listing.model import GroupRow

if TYPE_CHECKING:
    from mcp_tasks_tui.ui.listing.model import ListModel, Row

#: Lines that have to be free before tasks get two again: a list must not jump to and fro.
_SPARE = 4


class Lines:
    """The lines of `model`. Counted from 0, the headings of the columns not among them."""

    def __init__(self, model: ListModel) -> None:
        self._model = model
        #: What is on each line, and which line of its task that is; None: one line for each.
        self._roomy: list[tuple[Row, int]] | None = None
        self._first: dict[str, int] = {}

    @property
    def roomy(self) -> bool:
        return self._roomy is not None

    @property
    def of_a_task(self) -> int:
        """How many lines a task has."""
        return 2 if self.roomy else 1

    def arrange(self, page: int) -> None:
        """Work out the lines anew: the rows are others, or `page` lines are seen by now."""
        needed = len(self._model) + self._model.shown
        free = page if self.roomy else page - _SPARE
        if self._model.shown and needed <= free:
            self._spread()
        else:
            self._roomy = None

    def _spread(self) -> None:
        lines: list[tuple[Row, int]] = []
        self._first = {}
        for index in range(len(self._model)):
            row = self._model.row(index)
            if isinstance(row, str):
                self._first[row] = len(lines)
                lines += [(row, 0), (row, 1)]
            elif isinstance(row, GroupRow):
                lines.append((row, 0))
        self._roomy = lines

    def __len__(self) -> int:
        return len(self._model) if self._roomy is None else len(self._roomy)

    def at(self, line: int) -> tuple[Row | None, int]:
        """Return what is on `line`, and which line of it that is."""
        if self._roomy is None:
            return self._model.row(line), 0
        return self._roomy[line] if 0 <= line < len(self._roomy) else (None, 0)

    def first(self, key: str) -> int | None:
        """Return the first line of task `key`."""
        return self._model.index(key) if self._roomy is None else self._first.get(key)

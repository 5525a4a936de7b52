"""How wide the columns of the list of tasks have to be for what was seen so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from mcp_tasks_tui.supervise.words import title
from mcp_tasks_tui.ui.listing.columns import Fit, fit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.supervise.view import TaskView

#: Cells that the longest name of a task or a server asks for at most.
_LONGEST = 40


class TaskWidths:
    """Only ever grows: a list whose columns jump back and forth cannot be read."""

    def __init__(self) -> None:
        self._name = 0
        self._server = 0
        self._servers: set[str] = set()

    def take_in(self, views: Iterable[TaskView]) -> bool:
        """Look at these tasks too; tell whether the columns may have to change."""
        before = (self._name, len(self._servers))
        for view in views:
            self._name = max(self._name, min(cell_len(title(view.handle)), _LONGEST))
            if view.server not in self._servers:
                self._servers.add(view.server)
                self._server = max(self._server, min(cell_len(view.server), _LONGEST))
        return before != (self._name, len(self._servers))

    def fit(self, width: int, *, server: bool) -> Fit:
        """Return the columns for a list `width` cells wide; `server`: name the server in each.

        A column that says the same in every row says nothing, and is left out.
        """
        told = server and len(self._servers) > 1
        return fit(width, longest_name=self._name, longest_server=self._server if told else 0)

"""The parts of the main screen, for what works on them beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from textual.screen import Screen

    from mcp_tasks_tui.ui.widgets.filter_bar import FilterBar
    from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
    from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
    from mcp_tasks_tui.ui.widgets.wall.wall import Wall


class Parts(NamedTuple):
    """The classes of `screen` say which of them is in view."""

    screen: Screen[None]
    tasks: TaskList
    panel: TaskPanel
    wall: Wall
    filter_bar: FilterBar

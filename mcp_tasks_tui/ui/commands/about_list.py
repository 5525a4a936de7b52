"""Which commands are about the list alone: on the wall, which hides it, none of them is seen."""

from __future__ import annotations

from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS

_ABOUT_THE_LIST = frozenset(
    command.id for command in COMMANDS if command.id.startswith("list.")
) - {"list.clear"}


def holds_at(command_id: str, place: Place) -> bool:
    """Tell whether a command of the main screen does something that is seen at `place` of it."""
    return place is not Place.WALL or command_id not in _ABOUT_THE_LIST

"""What stands where the list would be when it has nothing to show: what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.words import counted
from mcp_tasks_tui.ui.looks.text import beside, content, lines
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from textual.content import Content

    from mcp_tasks_tui.ui.commands.keymap import Keymap


class Blank(Line):
    DEFAULT_CSS = """
    Blank { padding: 1 2; }
    """


def loading() -> Content:
    return content("Reading the saved tasks …", "$quiet")


def failed(why: str) -> Content:
    return lines(
        content("The saved tasks cannot be read.", "$state-failed bold"),
        content(why),
        content(""),
        content("Nothing of them is lost by this. `mcp-tasks-tui doctor` looks for the reason."),
    )


def no_tasks(keymap: Keymap, *, archived: int) -> Content:
    """Teach where tasks come from."""
    parts = [
        content("No tasks are kept here yet.", "bold"),
        content(""),
        content("A task is what an MCP server hands out for a call that takes long. Get one by:"),
        content(""),
        _way(keymap, "program.new_call", "call a tool of a server from here"),
        _way(keymap, "program.add", "keep a task that something else started"),
        beside(content("  $ ", "$quiet"), content("mcp-tasks-tui call SERVER TOOL", "bold")),
        beside(content("  $ ", "$quiet"), content("mcp-tasks-tui add SERVER TASK_ID", "bold")),
        beside(
            content("  $ ", "$quiet"),
            content("mcp-tasks-tui demo", "bold"),
            content("   a server of its own, to try things on"),
        ),
        content(""),
        content("What is saved anywhere else on this machine appears here by itself.", "$quiet"),
    ]
    if archived:
        parts += [
            content(""),
            _way(keymap, "list.archived", f"show the {archived} archived"),
        ]
    return lines(*(part for part in parts))


def held_still(keymap: Keymap, arriving: int) -> Content:
    """The list is frozen, and all that there would be in it came afterwards."""
    waits = "waits" if arriving == 1 else "wait"
    it = "it" if arriving == 1 else "them"
    return lines(
        content(f"The list is frozen: {counted(arriving, 'new task')} {waits}.", "bold"),
        content(""),
        _way(keymap, "list.freeze", f"show {it}, and all that comes"),
    )


def no_matches(keymap: Keymap, total: int) -> Content:
    return lines(
        content("No task matches the filter.", "bold"),
        content(""),
        _way(keymap, "list.clear", f"clear it and see all {total}"),
        _way(keymap, "list.archived", "look among the archived ones too"),
    )


def _way(keymap: Keymap, command_id: str, words: str) -> Content:
    key = keymap.label(command_id)
    if not key:
        return content("")
    return beside(content(f"  {key}", "$accent bold"), content(f"   {words}"))

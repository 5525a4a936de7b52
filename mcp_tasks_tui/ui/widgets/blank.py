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
    """Teach where tasks come from; what to do comes first, a small window may have no more."""
    parts = [
        content("No tasks are kept here yet. Get one:", "bold"),
        content(""),
        _way(keymap, "program.new_call", "call a tool of a server"),
        _way(keymap, "program.add", "keep a task that runs already"),
        beside(content("  $ ", "$quiet"), content("mcp-tasks-tui call SERVER TOOL", "bold")),
        beside(content("  $ ", "$quiet"), content("mcp-tasks-tui add SERVER TASK_ID", "bold")),
        beside(
            content("  $ ", "$quiet"),
            content("mcp-tasks-tui demo", "bold"),
            content("   a server of its own, to try things on"),
        ),
    ]
    if archived:
        parts.append(_way(keymap, "list.archived", f"show the {archived} archived"))
    parts += [
        content(""),
        content("A task is what an MCP server hands out for a call that takes long.", "$quiet"),
        content("What is saved anywhere else on this machine appears here by itself.", "$quiet"),
    ]
    return lines(*parts)


def held_still(keymap: Keymap, arriving: int) -> Content:
    """The list is frozen, and all that there would be in it came afterwards."""
    waits = "waits" if arriving == 1 else "wait"
    it = "it" if arriving == 1 else "them"
    return lines(
        content(f"The list is frozen: {counted(arriving, 'new task')} {waits}.", "bold"),
        content(""),
        _way(keymap, "list.freeze", f"show {it}, and all that comes"),
    )


def no_matches(keymap: Keymap, total: int, *, archived: int) -> Content:
    """`total`: how many there are without the filter; `archived`: how many more would be shown."""
    parts = [
        content("No task matches the filter.", "bold"),
        content(""),
        _way(keymap, "list.clear", f"clear it and see all {total}"),
    ]
    if archived:
        parts.append(_way(keymap, "list.archived", f"look among the {archived} archived too"))
    return lines(*parts)


def _way(keymap: Keymap, command_id: str, words: str) -> Content:
    key = keymap.label(command_id)
    if not key:
        return content("")
    return beside(content(f"  {key}", "$accent bold"), content(f"   {words}"))

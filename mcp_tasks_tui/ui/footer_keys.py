"""Which keys the footer shows, the ones that matter now first (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.command import Place, Target
from mcp_tasks_tui.ui.commands import emphasis
from mcp_tasks_tui.ui.widgets.server_lines import is_ill, is_unwell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.tally import Counts
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.command import Command
    from mcp_tasks_tui.ui.keymap import Keymap

_WAYS_OUT = ("program.help", "program.quit")
#: They have a place only while a server is ill.
_ILL = frozenset({"server.next", "server.retry"})


def footer_commands(
    keymap: Keymap,
    view: TaskView | None,
    here: Place,
    counts: Counts,
    servers: Sequence[ServerView] = (),
) -> list[Command]:
    """Return commands for the footer; `view` is the task under the cursor, `here` the place of
    the keyboard. The last two are the ways out, which stay to the last."""
    commands = keymap.commands
    first = [commands[each] for each in _first(view, here, counts, servers) if each in commands]
    inside = [each for each in commands.values() if each.place is here is not Place.MAIN]
    main = [each for each in commands.values() if each.place is Place.MAIN]
    views = [] if view is None else [view]
    chosen: dict[str, Command] = {each.id: each for each in first}
    for each in (*inside, *main):
        usual = each.short and each.id not in _WAYS_OUT and each.id not in _ILL
        if usual and _makes_sense(each, views):
            chosen.setdefault(each.id, each)
    return [*chosen.values(), *(commands[each] for each in _WAYS_OUT)]


def commands_here(keymap: Keymap, here: Place, footer: Iterable[Command]) -> list[Command]:
    """Return every command that holds `here`, those of the footer first."""
    held = (each for each in keymap.commands.values() if each.place in (Place.MAIN, here))
    return list(dict.fromkeys((*footer, *held)))


def _first(
    view: TaskView | None, here: Place, counts: Counts, servers: Sequence[ServerView]
) -> tuple[str, ...]:
    first = emphasis(view)
    if here is not Place.MAIN:
        return ("list.clear", *(each for each in first if each != "task.open"))
    here_is = None if view is None else view.handle.server_url
    unwell = any(is_unwell(server) and server.url == here_is for server in servers)
    retry = ("server.retry",) if unwell else ()
    trouble = ("task.next_attention",) if counts.attention else ()
    server = ("server.next",) if any(map(is_ill, servers)) else ()
    return (*first[:1], *retry, *first[1:], *trouble, *server)


def _makes_sense(command: Command, views: list[TaskView]) -> bool:
    if command.target is Target.NOTHING:
        return True
    return any(command.fits(view) for view in views)

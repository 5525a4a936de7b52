"""Which keys the footer shows, the ones that matter now first (pure).

Two zones: keys of the task under the cursor on the left, keys of the program on the right. Both
keep their order, so that words do not move under the eye with each step of the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcp_tasks_tui.ui.commands.about_list import holds_at
from mcp_tasks_tui.ui.commands.model import Place, Section, Target
from mcp_tasks_tui.ui.commands.vocabulary import emphasis
from mcp_tasks_tui.ui.widgets.server_lines import is_ill, is_unwell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.tally import Counts
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.commands.model import Command

_WAYS_OUT = ("program.help", "program.quit")
#: With nothing to look at: where tasks come from.
_FROM_NOTHING = ("program.new_call", "program.add")
#: Keys of the program, left to right, and which of them go last where room is short.
_PROGRAM = (
    "program.palette",
    "program.add",
    "list.sort",
    "task.next_input",
    "server.next",
    "task.next_attention",
    "list.filter",
    "view.wall",
    "program.new_call",
    *_WAYS_OUT,
)
_KEPT_LONGEST = (
    *_WAYS_OUT,
    "list.filter",
    "task.next_attention",
    "program.new_call",
    "view.wall",
    "server.next",
    "list.sort",
    "task.next_input",
    "program.palette",
    "program.add",
)
#: Keys of a task, left to right; the first ones go last where room is short. Those of an ended
#: one differ in what is worth a key.
_TASK = (
    "task.open",
    "server.retry",  # without it the others come to nothing
    "task.answer",
    "task.cancel",
    "task.save_result",
    "task.poll",
    "task.hold",
    "task.archive",
    "task.edit",
    "list.mark",
    "task.copy_id",
    "task.raw",
)
_LATE_FOR_ENDED = ("task.poll",)
_ABOUT_TASKS = (Section.TASK, Section.MARKED)


class FooterKey(NamedTuple):
    """A command in the footer, of the `program` or of the task. A lower `rank` is kept longer."""

    command: Command
    rank: int
    program: bool


def footer_keys(
    keymap: Keymap,
    view: TaskView | None,
    here: Place,
    counts: Counts,
    servers: Sequence[ServerView] = (),
    *,
    marked: Sequence[TaskView] = (),
) -> list[FooterKey]:
    """Return the keys of the footer, left to right; `view` is the task under the cursor, `here`
    the place of the keyboard. Where tasks are `marked`: only keys that act on all of them."""
    commands = keymap.commands
    if here is Place.MAIN:
        task = _of_marked(keymap) if marked else _of_task(view, servers)
        program = _of_program(counts, servers)
    else:
        task = _that_hold(keymap, here, _elsewhere(keymap, view, here))
        program = _that_hold(keymap, here, _WAYS_OUT)
    views = [*marked] or ([] if view is None else [view])
    fitting = [each for each in task if each in commands and _makes_sense(commands[each], views)]
    left = [FooterKey(commands[each], rank, False) for rank, each in enumerate(fitting)]
    ranks = {each: rank for rank, each in enumerate(_KEPT_LONGEST)}
    right = [FooterKey(commands[each], ranks[each], True) for each in program if each in commands]
    return [*left, *right]


def footer_commands(keys: Iterable[FooterKey]) -> list[Command]:
    """Return the commands of the footer, what matters now first: those of the task, then those
    of the program, and the ways out."""

    def place(key: FooterKey) -> tuple[bool, bool, int]:
        return key.program, key.command.id in _WAYS_OUT, key.rank

    return [key.command for key in sorted(keys, key=place)]


def commands_here(keymap: Keymap, here: Place, footer: Iterable[Command]) -> list[Command]:
    """Return every command that holds `here`, those of the footer first."""
    held = (
        each
        for each in keymap.commands.values()
        if each.place in (Place.MAIN, here) and holds_at(each.id, here)
    )
    return list(dict.fromkeys((*footer, *held)))


def _of_task(view: TaskView | None, servers: Sequence[ServerView]) -> Sequence[str]:
    if view is None:
        return ()
    url = view.handle.server_url
    unwell = any(is_unwell(server) and server.url == url for server in servers)
    keys = [each for each in _TASK if each != "server.retry" or unwell]
    late = _LATE_FOR_ENDED if view.state.ended else ()
    return [*(each for each in keys if each not in late), *late]


def _of_marked(keymap: Keymap) -> Sequence[str]:
    every = (each for each in _TASK if each in keymap.commands)
    return [each for each in every if keymap.commands[each].target is Target.MANY]


def _of_program(counts: Counts, servers: Sequence[ServerView]) -> Sequence[str]:
    if not counts.total:
        return (*_FROM_NOTHING, *_WAYS_OUT)
    unfit = set()
    if not counts.attention:
        unfit |= {"task.next_attention", "task.next_input"}
    if not any(map(is_ill, servers)):
        unfit.add("server.next")
    return [each for each in _PROGRAM if each not in unfit]


def _elsewhere(keymap: Keymap, view: TaskView | None, here: Place) -> Sequence[str]:
    """Return the keys of the panel or the wall: back, those of the task, those of that place."""
    first = [each for each in emphasis(view) if each != "task.open"]
    inside = [each.id for each in keymap.commands.values() if each.place is here and each.short]
    main = [
        each.id
        for each in keymap.commands.values()
        if each.section in _ABOUT_TASKS and each.short and each.id != "task.open"
    ]
    back = ("panel.leave" if here is Place.PANEL else "wall.leave", "list.clear")
    return list(dict.fromkeys((*back, *first, *inside, "view.larger", *main)))


def _that_hold(keymap: Keymap, here: Place, ids: Iterable[str]) -> list[str]:
    """Return the commands whose key, as the footer shows it, does this `here` and nothing else."""
    taken = keymap.taken_at(here)

    def holds(command_id: str) -> bool:
        return (
            taken.isdisjoint(keymap.of(command_id)[:1]) or keymap.commands[command_id].place is here
        )

    return [each for each in ids if holds(each)]


def _makes_sense(command: Command, views: list[TaskView]) -> bool:
    if command.target is Target.NOTHING:
        return True
    return any(command.fits(view) for view in views)

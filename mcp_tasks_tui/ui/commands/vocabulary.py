"""The one vocabulary of what a person can do: it feeds footer, help, palette and keymap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.words import why_gone
from mcp_tasks_tui.ui.commands.inside import INSIDE
from mcp_tasks_tui.ui.commands.model import Command, Section, Target
from mcp_tasks_tui.ui.looks.signs import awaits_cancel

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


def _not_cancellable(view: TaskView) -> str | None:
    if view.state is State.GONE:
        return why_gone(view.snapshot)
    if view.state.ended:
        return "it has ended"
    return None


def _not_answerable(view: TaskView) -> str | None:
    if view.state is not State.INPUT_REQUIRED:
        return "it asks nothing"
    return None


def _not_readable(view: TaskView) -> str | None:
    return "it has ended" if view.state.terminal else None


def _no_result(view: TaskView) -> str | None:
    known = view.snapshot
    if known.has_result or known.error:
        return None
    if known.result_lost:
        return "its result was lost with a damaged database; a poll asks its server for it again"
    return "it has no result" if view.state.ended else "it has no result yet"


_LIST_KEYS: tuple[Command, ...] = (
    Command(
        "list.down",
        "Down",
        "to the next task",
        ("down", "j", "greater_than_sign"),
        Section.MOVE,
        steps=True,
    ),
    Command(
        "list.up",
        "Up",
        "to the one before",
        ("up", "k", "less_than_sign"),
        Section.MOVE,
        steps=True,
    ),
    Command(
        "list.page_down", "Page down", "down one page", ("pagedown",), Section.MOVE, steps=True
    ),
    Command("list.page_up", "Page up", "up one page", ("pageup",), Section.MOVE, steps=True),
    Command("list.first", "First", "to the top of the list", ("home",), Section.MOVE, steps=True),
    Command("list.last", "Last", "to its end", ("end", "G"), Section.MOVE, steps=True),
)

_TASK_KEYS: tuple[Command, ...] = (
    Command(
        "task.open",
        "Open task",
        "go to its panel",
        ("enter",),
        Section.TASK,
        "open",
        Target.ONE,
    ),
    Command(
        "task.answer",
        "Answer",
        "what the task asks",
        ("u",),
        Section.TASK,
        "answer",
        Target.ONE,
        sends=True,
        unfit=_not_answerable,
    ),
    Command(
        "task.next_input",
        "Next question",
        "to the next task that asks",
        ("i",),
        Section.MOVE,
        "next question",
    ),
    Command(
        "task.next_attention",
        "Next trouble",
        "to the next that wants a person",
        ("exclamation_mark",),
        Section.MOVE,
        "trouble",
    ),
    Command(
        "server.next",
        "Next ill server",
        "to tasks of a server in trouble",
        ("X",),
        Section.MOVE,
        "ill server",
    ),
    Command(
        "task.cancel",
        "Cancel task",
        "asks you first, then the server",
        ("c",),
        Section.MARKED,
        "cancel",
        Target.MANY,
        sends=True,
        unfit=_not_cancellable,
    ),
    Command(
        "task.poll",
        "Poll now",
        "read its status at once",
        ("r",),
        Section.MARKED,
        "poll",
        Target.MANY,
    ),
    Command(
        "task.hold",
        "Hold polling",
        "stop reading it, or resume",
        ("p",),
        Section.MARKED,
        "hold",
        Target.MANY,
        unfit=_not_readable,
    ),
    Command(
        "task.archive",
        "Archive",
        "hide it, or bring it back",
        ("d",),
        Section.MARKED,
        "archive",
        Target.MANY,
    ),
    Command(
        "task.undo",
        "Undo archive",
        "bring back what was archived last",
        ("z",),
        Section.MARKED,
    ),
    Command(
        "task.edit",
        "Edit",
        "label, note, tags; of several: tags",
        ("e",),
        Section.MARKED,
        "edit",
        Target.MANY,
    ),
    Command(
        "task.copy_id",
        "Copy task id",
        "put it on the clipboard",
        ("y",),
        Section.TASK,
        "copy id",
        Target.ONE,
    ),
    Command(
        "task.raw",
        "Raw JSON",
        "show what the server sent",
        ("J",),
        Section.TASK,
        "raw",
        Target.ONE,
    ),
    Command(
        "task.save_result",
        "Save result",
        "to a file that you name",
        ("w",),
        Section.TASK,
        "save",
        Target.ONE,
        unfit=_no_result,
    ),
    Command(
        "task.open_link",
        "Open link",
        "in the browser; asks you first",
        ("o",),
        Section.TASK,
        "",
        Target.ONE,
    ),
)

_LIST_COMMANDS: tuple[Command, ...] = (
    Command(
        "list.filter",
        "Filter",
        "by words, state: server: is: -not",
        ("slash",),
        Section.LIST,
        "filter",
    ),
    Command("list.sort", "Sort", "change what it is sorted by", ("s",), Section.LIST, "sort"),
    Command("list.reverse", "Reverse", "turn the order round", ("S",), Section.LIST),
    Command("list.group", "Group", "by server, by state, or not at all", ("g",), Section.LIST),
    Command(
        "list.mark",
        "Mark",
        "and go on; keys act on all marked",
        ("space",),
        Section.LIST,
        "mark",
        Target.ONE,
        steps=True,
    ),
    Command("list.mark_all", "Mark all", "all tasks of the list, or none", ("A",), Section.LIST),
    Command(
        "list.freeze",
        "Freeze",
        "hold it still while you read",
        ("f",),
        Section.LIST,
    ),
    Command(
        "list.archived",
        "Archived",
        "show archived tasks, or hide them",
        ("D",),
        Section.LIST,
    ),
    Command(
        "list.clear",
        "Back",
        "to the list; clears filter, marks",
        ("escape",),
        Section.LIST,
    ),
    Command(
        "view.wall", "Wall", "a live card for each task that runs", ("v",), Section.LIST, "wall"
    ),
    Command(
        "view.larger",
        "Larger",
        "give the panel more room, or all",
        ("plus",),
        Section.LIST,
        "larger",
    ),
    Command(
        "view.smaller",
        "Smaller",
        "give the panel less room, or none",
        ("minus",),
        Section.LIST,
    ),
)

_PROGRAM: tuple[Command, ...] = (
    Command(
        "program.new_call",
        "New call",
        "call a tool; its task is kept",
        ("n",),
        Section.PROGRAM,
        "new",
        sends=True,
    ),
    Command(
        "program.add",
        "Add handle",
        "keep a task that runs already",
        ("a",),
        Section.PROGRAM,
        "add",
    ),
    Command(
        "server.retry",
        "Retry server",
        "ask it now, even if it refused",
        ("R",),
        Section.PROGRAM,
        "retry server",
        Target.ONE,
    ),
    Command(
        "server.hold",
        "Hold server",
        "stop reading it, or resume",
        ("H",),
        Section.PROGRAM,
        target=Target.ONE,
    ),
    Command(
        "program.hold",
        "Hold everything",
        "stop reading all, or resume",
        ("E",),
        Section.PROGRAM,
    ),
    Command(
        "program.forget_calls",
        "Forget lost calls",
        "that left no handle; asks first",
        ("F",),
        Section.PROGRAM,
    ),
    Command(
        "program.mouse",
        "Mouse on / off",
        "off: the terminal selects text",
        ("M",),
        Section.PROGRAM,
    ),
    Command("program.theme", "Dark / light", "switch the theme", ("T",), Section.PROGRAM),
    Command(
        "program.help",
        "Help",
        "this list of keys",
        ("question_mark", "f1"),
        Section.PROGRAM,
        "help",
    ),
    Command(
        "program.palette",
        "Commands",
        "and tasks, to search",
        ("ctrl+p",),
        Section.PROGRAM,
        "commands",
    ),
    Command(
        "program.suspend",
        "Suspend",
        "go to the shell; fg comes back",
        ("ctrl+z",),
        Section.PROGRAM,
    ),
    Command(
        "program.quit",
        "Quit",
        "nothing is sent, tasks run on",
        ("q", "ctrl+q"),
        Section.PROGRAM,
        "quit",
    ),
)

COMMANDS: tuple[Command, ...] = (*_LIST_KEYS, *_TASK_KEYS, *_LIST_COMMANDS, *_PROGRAM, *INSIDE)
BY_ID: dict[str, Command] = {command.id: command for command in COMMANDS}


def available(*, read_only: bool) -> tuple[Command, ...]:
    """Return the vocabulary; with `read_only`, without what sends anything."""
    return tuple(command for command in COMMANDS if not (read_only and command.sends))


def emphasis(view: TaskView | None) -> tuple[str, ...]:
    """Return ids of the commands that matter most for this task, for the footer's start."""
    if view is None:
        return ("program.new_call", "program.add")
    if view.state is State.INPUT_REQUIRED and view.open_requests:
        return ("task.answer", "task.open", "task.cancel")
    if view.state.ended:
        return ("task.open", "task.save_result", "task.archive")
    if awaits_cancel(view):
        return ("task.open", "task.poll")
    return ("task.open", "task.cancel", "task.poll")

"""The one vocabulary of what a person can do: it feeds footer, help, palette and keymap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.command import Command, Section, Target
from mcp_tasks_tui.ui.commands_inside import INSIDE
from mcp_tasks_tui.ui.looks import awaits_cancel

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


def _not_cancellable(view: TaskView) -> str | None:
    if view.state is State.GONE:
        return "its server does not know it any more"
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
    Command("list.down", "Down", "To the next task", ("down", "j"), Section.MOVE),
    Command("list.up", "Up", "To the task before", ("up", "k"), Section.MOVE),
    Command("list.page_down", "Page down", "One page down", ("pagedown",), Section.MOVE),
    Command("list.page_up", "Page up", "One page up", ("pageup",), Section.MOVE),
    Command("list.first", "First", "To the first task", ("home",), Section.MOVE),
    Command("list.last", "Last", "To the last task", ("end", "G"), Section.MOVE),
)

_TASK_KEYS: tuple[Command, ...] = (
    Command(
        "task.open",
        "Open task",
        "To the panel of the task; with little room it takes the whole screen",
        ("enter",),
        Section.TASK,
        "open",
        Target.ONE,
    ),
    Command(
        "task.answer",
        "Answer",
        "Answer what the task asks",
        ("u",),
        Section.TASK,
        "answer",
        Target.ONE,
        sends=True,
        unfit=_not_answerable,
    ),
    Command(
        "task.next_input",
        "Next that needs input",
        "To the next task that waits for an answer",
        ("i",),
        Section.MOVE,
        "next question",
    ),
    Command(
        "task.next_attention",
        "Next that wants attention",
        "To the next task that is stuck, expiring, not stopping or unreadable, or that waits",
        ("exclamation_mark",),
        Section.MOVE,
        "next trouble",
    ),
    Command(
        "server.next",
        "Next server in trouble",
        "To the tasks of the next server that is down, refuses us or answers badly",
        ("X",),
        Section.MOVE,
        "ill server",
    ),
    Command(
        "task.cancel",
        "Cancel task",
        "Ask the server to stop; asks you first",
        ("c",),
        Section.TASK,
        "cancel",
        Target.MANY,
        sends=True,
        unfit=_not_cancellable,
    ),
    Command(
        "task.poll",
        "Poll now",
        "Read the task from its server now",
        ("r",),
        Section.TASK,
        "poll",
        Target.MANY,
    ),
    Command(
        "task.hold",
        "Hold / resume polling",
        "Stop reading the task by itself until you resume it",
        ("p",),
        Section.TASK,
        "hold",
        Target.MANY,
        unfit=_not_readable,
    ),
    Command(
        "task.archive",
        "Archive / bring back",
        "Take the task out of the list (nothing is deleted, a running one is still watched), "
        "or bring an archived one back",
        ("d",),
        Section.TASK,
        "archive",
        Target.MANY,
    ),
    Command(
        "task.undo",
        "Undo archive",
        "Bring back what was archived last",
        ("z",),
        Section.TASK,
    ),
    Command(
        "task.edit",
        "Edit label, note, tags",
        "Name the task, write a note, tag it; with marked tasks: tag them all",
        ("e",),
        Section.TASK,
        "edit",
        Target.MANY,
    ),
    Command(
        "task.copy_id",
        "Copy task id",
        "Send the id to the terminal's clipboard (OSC 52)",
        ("y",),
        Section.TASK,
        "copy id",
        Target.ONE,
    ),
    Command(
        "task.raw",
        "Raw JSON",
        "Show what the server sent, as JSON",
        ("J",),
        Section.TASK,
        "raw",
        Target.ONE,
    ),
    Command(
        "task.save_result",
        "Save result",
        "Write the result to a file",
        ("w",),
        Section.TASK,
        "save",
        Target.ONE,
        unfit=_no_result,
    ),
    Command(
        "task.open_link",
        "Open link",
        "Open a link of the task in the browser; asks you first",
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
        "Words, or state: server: tool: tag: is:stuck is:waiting; - negates; Esc clears",
        ("slash",),
        Section.LIST,
        "filter",
    ),
    Command("list.sort", "Sort", "Next order of the list", ("s",), Section.LIST, "sort"),
    Command("list.reverse", "Reverse", "The order of the list upside down", ("S",), Section.LIST),
    Command("list.group", "Group", "Group by server, by state, or not", ("g",), Section.LIST),
    Command(
        "list.mark",
        "Mark",
        "Mark the task and go on; actions then are about all marked ones",
        ("space",),
        Section.LIST,
        "mark",
        Target.ONE,
    ),
    Command("list.mark_all", "Mark all", "Mark all tasks in view, or none", ("A",), Section.LIST),
    Command(
        "list.freeze",
        "Freeze",
        "Hold the list still while you read; changes are counted and come in afterwards",
        ("f",),
        Section.LIST,
    ),
    Command(
        "list.archived",
        "Archived tasks",
        "Show archived tasks too, or hide them again",
        ("D",),
        Section.LIST,
    ),
    Command(
        "list.clear",
        "Back",
        "Clear the filter, then the marks; from the panel back to the list",
        ("escape",),
        Section.LIST,
    ),
    Command("view.wall", "Wall", "Live panels of all running tasks", ("v",), Section.LIST, "wall"),
)

_PROGRAM: tuple[Command, ...] = (
    Command(
        "program.new_call",
        "New call",
        "Call a tool of a server and keep the task it starts",
        ("n",),
        Section.PROGRAM,
        "new",
        sends=True,
    ),
    Command(
        "program.add",
        "Add handle",
        "Keep a task that something else started, by its server and id",
        ("a",),
        Section.PROGRAM,
        "add",
    ),
    Command(
        "server.retry",
        "Retry server",
        "Ask the server of the task again now, also when it wanted credentials",
        ("R",),
        Section.PROGRAM,
        "retry server",
        Target.ONE,
    ),
    Command(
        "server.hold",
        "Hold / resume server",
        "Stop reading the tasks of this task's server by themselves, or read them again",
        ("H",),
        Section.PROGRAM,
        target=Target.ONE,
    ),
    Command(
        "program.hold",
        "Hold / resume everything",
        "Stop reading any task by itself, or read all of them again; kept when you leave",
        ("E",),
        Section.PROGRAM,
    ),
    Command(
        "program.forget_calls",
        "Forget lost calls",
        "End the reminder of calls that were sent and left no handle; asks you first",
        ("F",),
        Section.PROGRAM,
    ),
    Command(
        "program.mouse",
        "Mouse on / off",
        "Off: the terminal selects text again (or hold Shift, on a Mac Option, and drag)",
        ("M",),
        Section.PROGRAM,
    ),
    Command("program.theme", "Dark / light", "The other theme", ("T",), Section.PROGRAM),
    Command("program.help", "Help", "All keys", ("question_mark", "f1"), Section.PROGRAM, "help"),
    Command(
        "program.palette",
        "Commands",
        "Search all commands and tasks",
        ("ctrl+p",),
        Section.PROGRAM,
        "commands",
    ),
    Command(
        "program.quit",
        "Quit",
        "Leave; nothing is sent and the tasks run on",
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

"""What a command's exit status means."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.supervise.view import TaskView


class Exit(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    CANCELLED = 3
    INPUT_REQUIRED = 4
    GONE = 5
    UNREACHABLE = 6
    NOT_FINISHED = 7
    OWN_FAULT = 70
    TIMED_OUT = 124
    INTERRUPTED = 130


_BY_STATE = {
    "completed": Exit.DONE,
    "tool_error": Exit.FAILED,
    "failed": Exit.FAILED,
    "cancelled": Exit.CANCELLED,
    "input_required": Exit.INPUT_REQUIRED,
    "gone": Exit.GONE,
}
#: Worst first: with several keys the worst outcome is the command's.
_WORST_FIRST = (
    Exit.OWN_FAULT,
    Exit.UNREACHABLE,
    Exit.GONE,
    Exit.INPUT_REQUIRED,
    Exit.FAILED,
    Exit.CANCELLED,
    Exit.TIMED_OUT,
    Exit.NOT_FINISHED,
    Exit.USAGE,
    Exit.DONE,
)


def of_task(view: TaskView) -> Exit:
    """Return the exit status that tells where the task stands."""
    return _BY_STATE.get(view.state, Exit.NOT_FINISHED)


def of_read(view: TaskView) -> Exit:
    """Return the exit status for the last read of a task: DONE where it succeeded."""
    read = view.snapshot.read
    if read.ok:
        return Exit.DONE
    return Exit.GONE if read.error_kind == "no-such-task" else Exit.UNREACHABLE


def worst(exits: Iterable[Exit]) -> Exit:
    return min(exits, key=_WORST_FIRST.index, default=Exit.DONE)

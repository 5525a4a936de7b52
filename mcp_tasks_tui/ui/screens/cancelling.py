"""Asks once more before servers are asked to cancel work: it cannot be taken back."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import counted, percent, standing_label, title
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.form.head import who_asks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.supervise.view import TaskView

#: Servers that are named; more are counted.
_NAMED = 3


def ask_to_cancel(views: Sequence[TaskView], left_out: Sequence[TaskView] = ()) -> ConfirmScreen:
    """Return what to ask before `views` are cancelled, of which there is at least one.

    `left_out` were marked as well, and cannot be cancelled any more.
    """
    servers = Counter(one_line(view.server, 30) for view in views)
    if len(views) == 1:
        return ConfirmScreen(
            f"Ask {next(iter(servers))} to cancel {_name(views[0])}?",
            [_doing(views[0])],
            yes="Cancel the work",
            no="Let it run",
            hint=_hint("The server", "The task", left_out),
            who=who_asks(views[0], views[0].key),
        )
    asked = ", ".join(servers) if len(servers) <= _NAMED else f"{len(servers)} servers"
    several = len(servers) > 1
    return ConfirmScreen(
        f"Ask {asked} to cancel {counted(len(views), 'task')}?",
        [_line(view, named=several) for view in views],
        yes="Cancel the work",
        no="Let them run",
        hint=_hint("The servers" if several else "The server", "Each task", left_out),
    )


def _hint(who: str, task: str, left_out: Sequence[TaskView]) -> str:
    may = f"{who} may ignore this. {task} stays as it is until its server says otherwise."
    return f"{_left_out(left_out)} {may}" if left_out else may


def _left_out(views: Sequence[TaskView]) -> str:
    have, are = ("has", "is") if len(views) == 1 else ("have", "are")
    gone = sum(view.state is State.GONE for view in views)
    ended = f"{have} already ended"
    unknown = f"{are} not known to a server"
    why = ended if not gone else unknown if gone == len(views) else f"{ended} or {unknown}"
    return f"{len(views):,} {why} and {are} left out."


def _line(view: TaskView, *, named: bool) -> str:
    name, tool = _name(view), one_line(view.handle.tool or "", 30)
    parts = [
        f"{view.key} {name}",
        "" if tool == name else tool,
        one_line(view.server, 30) if named else "",
        _doing(view),
    ]
    return " · ".join(part for part in parts if part)


def _doing(view: TaskView) -> str:
    """Say what the task does just now, in one line: how far it is, and its own words."""
    progress, message = view.progress, view.message
    parts = [
        percent(progress.fraction) if progress else standing_label(view),
        one_line(message, 200) if message else "",
    ]
    return " · ".join(part for part in parts if part)


def _name(view: TaskView) -> str:
    return one_line(title(view.handle), 60)

"""What would be lost by leaving: a person is asked first, a signal is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import ago, counted
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.unsaved_line import handle_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.handles.model import Intent
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
    from mcp_tasks_tui.ui.app import TasksApp
    from mcp_tasks_tui.ui.screens.answer_drafts import Drafts
    from mcp_tasks_tui.ui.servers import KnownServers


class LeaveScreen(ConfirmScreen):
    """Asks whether to leave all the same."""


def leave(app: TasksApp) -> None:
    """End the program; where something would be lost by it, ask first, and but once."""
    if any(isinstance(screen, LeaveScreen) for screen in app.screen_stack):
        return
    asked = question(app.supervisor, app.drafts, app.known_servers(), app.now())
    if asked is None:
        app.exit()
    else:
        app.push_screen(asked, lambda sure: app.exit() if sure else None)


def question(
    supervisor: Supervisor, drafts: Drafts, servers: KnownServers, now: float
) -> LeaveScreen | None:
    """Return what to ask before leaving, None where nothing would be lost by it."""
    calls, unsaved = supervisor.calls_under_way(), supervisor.unsaved_handles()
    answers = _unsent(supervisor, drafts)
    asked = [*_of_calls(calls), *_of_handles(unsaved), *_of_answers(answers)]
    if not asked:
        return None
    items = [_call_line(one, servers, now) for one in calls]
    items += [f"{handle_name(one.draft, servers)}: not on disk" for one in unsaved]
    items += [f"{counted(answers, 'answer')} typed and not sent"] if answers else []
    titles, hints = zip(*asked, strict=True)
    return LeaveScreen(titles[0], items, yes="Leave", no="Stay", hint=" ".join(hints))


def _of_calls(calls: Sequence[Intent]) -> Iterator[tuple[str, str]]:
    if calls:
        have, their = ("has", "its handle") if len(calls) == 1 else ("have", "their handles")
        yield (
            f"{counted(len(calls), 'call')} {have} not answered yet: leave and lose {their}?",
            "Leaving closes the request, which tells the server to give it up.",
        )


def _of_handles(unsaved: Sequence[UnsavedHandle]) -> Iterator[tuple[str, str]]:
    if unsaved:
        are, them = ("is", "it") if len(unsaved) == 1 else ("are", "them")
        yield (
            f"{counted(len(unsaved), 'handle')} {are} not on disk: leave and keep {them} by hand?",
            "What is not on disk is printed whole, for `mcp-tasks-tui import`.",
        )


def _of_answers(answers: int) -> Iterator[tuple[str, str]]:
    if answers:
        are, them = ("is", "it") if answers == 1 else ("are", "them")
        yield (
            f"{counted(answers, 'answer')} {are} typed and not sent: leave without {them}?",
            "What was typed is kept nowhere but here.",
        )


def _call_line(call: Intent, servers: KnownServers, now: float) -> str:
    place = one_line(servers.called(call.server_url), 30)
    return f"{one_line(call.tool, 30)} on {place}: sent {ago(call.at, now)}"


def _unsent(supervisor: Supervisor, drafts: Drafts) -> int:
    """Count the questions with something typed that can still be answered."""
    asked = ((supervisor.view(task), request) for task, request in drafts.typed())
    # What no task asks is asked by a call, and forgotten with it.
    return sum(view is None or request in view.open_requests for view, request in asked)

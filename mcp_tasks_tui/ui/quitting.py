"""Quitting: what is on its way is waited for a moment, and what would be lost by it is asked about
first; a signal does not ask."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.sendings import PATIENCE
from mcp_tasks_tui.supervise.words import ago, counted
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.unsaved_line import handle_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.widget import Widget

    from mcp_tasks_tui.handles.model import Intent
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
    from mcp_tasks_tui.ui.app import TasksApp
    from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
    from mcp_tasks_tui.ui.screens.call_draft import CallDraft
    from mcp_tasks_tui.ui.servers import KnownServers

#: A key becomes the news of its field, of its box and of the form: each goes up all the way.
_MESSAGES = 4
#: Seconds for which that is waited for.
_PATIENCE = 1.0
_WAITING = "leaving"


class LeaveScreen(ConfirmScreen):
    """Asks whether to leave all the same."""


def leave(app: TasksApp) -> None:
    """End the program; where something would be lost by it, ask first, and but once."""
    field = app.focused
    if field is None or app.screen is app.main:
        _leave_now(app)
    else:
        app.run_worker(_leave_after(app, field), exit_on_error=False)


async def _leave_after(app: TasksApp, field: Widget) -> None:
    """Leave once what was typed just before has come from the field to the drafts."""
    with suppress(TimeoutError):  # of a screen that is taken down nothing comes any more
        async with asyncio.timeout(_PATIENCE):
            for _ in range(_MESSAGES):
                for node in field.ancestors_with_self:
                    passed = asyncio.Event()
                    node.call_later(passed.set)
                    await passed.wait()
    _leave_now(app)


def _leave_now(app: TasksApp) -> None:
    """Leave, once what is on its way has arrived or took too long; who asks again is impatient."""
    waits = any(each.group == _WAITING and not each.is_finished for each in app.workers)
    number, sending = _sending(app.supervisor, app.drafts)
    if number and not waits:
        app.say(f"sending {sending}, then leaving")
        app.run_worker(_leave_once_sent(app), group=_WAITING, exit_on_error=False)
    else:
        _ask_or_leave(app)


async def _leave_once_sent(app: TasksApp) -> None:
    untaken: list[str] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            answered, failed = await asyncio.gather(
                app.drafts.outbox.all_settled(), app.supervisor.sendings_settled()
            )
            if not answered:
                untaken.append("an answer was not sent")
            if any(each.what == "cancel" for each in failed):
                untaken.append("a cancel was not taken")
    if untaken:  # why, is told just now: there is somebody to read it
        app.say(f"not left: {' and '.join(untaken)}", "warning")
    else:
        _ask_or_leave(app)


def _ask_or_leave(app: TasksApp) -> None:
    if any(isinstance(screen, LeaveScreen) for screen in app.screen_stack):
        return
    asked = question(app.supervisor, app.drafts, app.call_draft, app.known_servers(), app.now())
    if asked is None:
        app.exit()
    else:
        app.push_screen(asked, lambda sure: app.exit() if sure else None)


def question(
    supervisor: Supervisor,
    drafts: Drafts,
    call_draft: CallDraft,
    servers: KnownServers,
    now: float,
) -> LeaveScreen | None:
    """Return what to ask before leaving, None where nothing would be lost by it."""
    calls, unsaved = supervisor.calls_under_way(), supervisor.unsaved_handles()
    answers = _unsent(supervisor, drafts)
    number, sending = _sending(supervisor, drafts)
    filled_in = call_draft.filled()
    asked = [
        *_of_calls(calls),
        *_of_handles(unsaved),
        *_of_sendings(number, sending),
        *_of_answers(answers),
        *_of_filled_in(len(filled_in)),
    ]
    if not asked:
        return None
    items = [_call_line(one, servers, now) for one in calls]
    items += [f"{handle_name(one.draft, servers)}: not on disk" for one in unsaved]
    items += [f"{sending} on the way"] if number else []
    items += [f"{counted(answers, 'answer')} typed and not sent"] if answers else []
    items += [f"{_tool_line(tool, url, servers)}: filled in" for url, tool in filled_in]
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


def _of_sendings(number: int, sending: str) -> Iterator[tuple[str, str]]:
    if number:
        are, they = ("is", "it") if number == 1 else ("are", "they")
        yield (
            f"{sending} {are} on the way: leave and not know what comes of it?",
            f"Whether {they} arrived is known a moment later; {they} may not be sent at all.",
        )


def _of_answers(answers: int) -> Iterator[tuple[str, str]]:
    if answers:
        are, them = ("is", "it") if answers == 1 else ("are", "them")
        yield (
            f"{counted(answers, 'answer')} {are} typed and not sent: leave without {them}?",
            "What was typed is kept nowhere but here.",
        )


def _of_filled_in(calls: int) -> Iterator[tuple[str, str]]:
    if calls:
        are, them = ("is", "it") if calls == 1 else ("are", "them")
        yield (
            f"{counted(calls, 'call')} {are} filled in and not sent: leave without {them}?",
            "What was filled in is kept nowhere but here.",
        )


def _sending(supervisor: Supervisor, drafts: Drafts) -> tuple[int, str]:
    """Return how much is on its way, and what in words."""
    cancels = sum(each.what == "cancel" for each in supervisor.sendings_under_way())
    numbers = ((len(drafts.outbox), "answer"), (cancels, "cancel"))
    words = " and ".join(counted(number, what) for number, what in numbers if number)
    return sum(number for number, _ in numbers), words


def _call_line(call: Intent, servers: KnownServers, now: float) -> str:
    return f"{_tool_line(call.tool, call.server_url, servers)}: sent {ago(call.at, now)}"


def _tool_line(tool: str, url: str, servers: KnownServers) -> str:
    return f"{one_line(tool, 30)} on {one_line(servers.called(url), 30)}"


def _unsent(supervisor: Supervisor, drafts: Drafts) -> int:
    """Count the questions with something typed that can still be answered."""
    asked = (
        (supervisor.view(task), request)
        for task, request in drafts.typed()
        if request not in drafts.outbox.sending(task)
    )
    # What no task asks is asked by a call, and forgotten with it.
    return sum(view is None or request in view.open_requests for view, request in asked)

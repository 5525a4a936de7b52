"""What is known of a task -> its view. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import AnswerRecord, State
from mcp_tasks_tui.supervise.answers import current_answers
from mcp_tasks_tui.supervise.attention import attention, open_requests, quiet_text
from mcp_tasks_tui.supervise.progress import without_estimate
from mcp_tasks_tui.supervise.view import Coverage, Reason, TaskView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import Handle, Snapshot
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.view import Attention, Progress

#: Only of what goes on, and is heard of, the pace so far tells of what is to come.
_MOVING = frozenset({State.WORKING, State.UNKNOWN})
_NO_ANSWERS: dict[str, AnswerRecord] = {}
_HEARD = frozenset({Coverage.POLLED, Coverage.PUSHED})


def build_view(
    handle: Handle,
    snapshot: Snapshot,
    answers: Mapping[str, AnswerRecord],
    settings: EngineSettings,
    *,
    now: float,
    server: str,
    progress: Progress | None = None,
    server_at_fault: bool = False,
    live: bool = False,
    covered: bool = False,
    paused: bool = False,
    next_read_at: float | None = None,
    reading: bool = False,
) -> TaskView:
    """Return the view of one task at `now` (epoch seconds)."""
    state = snapshot.state
    standing = current_answers(snapshot.input_requests, answers) if answers else _NO_ANSWERS
    message = snapshot.status_message or snapshot.last_message
    if snapshot.status == State.COMPLETED.value:
        progress = None  # how far the last message was says nothing of what is done
    reasons = attention(
        snapshot,
        standing,
        settings,
        now=now,
        server_at_fault=server_at_fault,
    )
    news = coverage(snapshot, covered=covered, paused=paused)
    moving = state in _MOVING and news in _HEARD and not any(_stands(one) for one in reasons)
    return TaskView(
        handle=handle,
        snapshot=snapshot,
        state=state,
        server=server,
        message=message,
        message_is_old=bool(message) and not snapshot.status_message,
        progress=progress if moving else without_estimate(progress),
        attention=reasons,
        answers=standing,
        open_requests=open_requests(snapshot, standing),
        quiet=quiet_text(snapshot, standing, now=now),
        live=live,
        coverage=news,
        next_read_at=next_read_at,
        reading=reading,
    )


def _stands(one: Attention) -> bool:
    return one.reason in (Reason.STUCK, Reason.READ_FAILING)


def coverage(snapshot: Snapshot, *, covered: bool, paused: bool) -> Coverage:
    """Return how news of the task reaches us; the first that holds names it."""
    if snapshot.state.terminal:
        return Coverage.ENDED
    if snapshot.held:
        return Coverage.HELD
    if paused:
        return Coverage.PAUSED
    return Coverage.PUSHED if covered else Coverage.POLLED

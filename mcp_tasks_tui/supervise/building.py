"""What is known of a task -> its view. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.answers import current_answers
from mcp_tasks_tui.supervise.attention import attention, open_requests, quiet_text
from mcp_tasks_tui.supervise.view import Coverage, TaskView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import AnswerRecord, Handle, Snapshot
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.view import Progress


def build_view(
    handle: Handle,
    snapshot: Snapshot,
    answers: Mapping[str, AnswerRecord],
    settings: EngineSettings,
    *,
    now: float,
    server: str,
    progress: Progress | None = None,
    watched_since: float | None = None,
    server_at_fault: bool = False,
    live: bool = False,
    covered: bool = False,
    paused: bool = False,
    next_read_at: float | None = None,
    reading: bool = False,
) -> TaskView:
    """Return the view of one task at `now` (epoch seconds)."""
    state = snapshot.state
    standing = current_answers(snapshot.input_requests, answers) if answers else {}
    message = snapshot.status_message or snapshot.last_message
    return TaskView(
        handle=handle,
        snapshot=snapshot,
        state=state,
        server=server,
        message=message,
        message_is_old=bool(message) and not snapshot.status_message,
        progress=progress,
        attention=attention(
            snapshot,
            standing,
            settings,
            now=now,
            watched_since=watched_since,
            server_at_fault=server_at_fault,
        ),
        answers=standing,
        open_requests=open_requests(snapshot, standing),
        quiet=quiet_text(snapshot, standing, watched_since=watched_since, now=now),
        live=live,
        coverage=coverage(snapshot, covered=covered, paused=paused),
        next_read_at=next_read_at,
        reading=reading,
    )


def coverage(snapshot: Snapshot, *, covered: bool, paused: bool) -> Coverage:
    """Return how news of the task reaches us; the first that holds names it."""
    if snapshot.state.terminal:
        return Coverage.ENDED
    if snapshot.held:
        return Coverage.HELD
    if paused:
        return Coverage.PAUSED
    return Coverage.PUSHED if covered else Coverage.POLLED

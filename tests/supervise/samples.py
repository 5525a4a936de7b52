"""Plain tasks for tests of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Handle, Snapshot, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.view import Attention, Reason, TaskView

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import AnswerRecord

#: A moment for tests: 2026-09-01T10:00:00Z.
NOON = 1_788_256_800.0


def a_view(
    key: str = "k1",
    *,
    state: State = State.WORKING,
    snapshot: Snapshot | None = None,
    server: str = "local",
    server_url: str = "http://localhost:8000/mcp",
    task_id: str | None = None,
    tool: str | None = "build",
    label: str | None = None,
    note: str | None = None,
    tags: tuple[str, ...] = (),
    message: str | None = None,
    saved_at: float = NOON,
    changed_at: float | None = NOON,
    archived_at: float | None = None,
    held: bool = False,
    cancel_requested_at: float | None = None,
    attention: tuple[Reason, ...] = (),
    open_requests: tuple[str, ...] = (),
    answers: dict[str, AnswerRecord] | None = None,
) -> TaskView:
    handle = Handle(
        key=key,
        server_url=server_url,
        task_id=task_id or f"task-{key}",
        saved_at=saved_at,
        tool=tool,
        label=label,
        note=note,
        tags=tags,
        archived_at=archived_at,
    )
    said = ServerText(message) if message is not None else None
    snapshot = snapshot or Snapshot(
        status="completed" if state is State.TOOL_ERROR else state.value,
        tool_error=state is State.TOOL_ERROR,
        status_message=said,
        changed_at=changed_at,
        held=held,
        cancel_requested_at=cancel_requested_at,
    )
    return TaskView(
        handle=handle,
        snapshot=snapshot,
        state=state,
        server=server,
        message=said,
        message_is_old=False,
        progress=None,
        attention=tuple(Attention(reason, NOON, reason.value) for reason in attention),
        answers=answers or {},
        open_requests=open_requests,
    )

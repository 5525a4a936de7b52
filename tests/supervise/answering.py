"""Answering as a person does: what is shown at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.answers import request_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.supervise.supervisor import Supervisor


def shown_by(supervisor: Supervisor, key: str = "k1") -> dict[str, str]:
    """Return what the task's questions are at this moment, as `Supervisor.answer` takes it."""
    view = supervisor.view(key)
    asked = {} if view is None else view.snapshot.input_requests
    return {each: request_hash(request) for each, request in asked.items()}


async def answer(
    supervisor: Supervisor, responses: Mapping[str, InputResponse], *, again: bool = False
) -> None:
    """Answer what the task "k1" is shown to ask now."""
    await supervisor.answer("k1", responses, shown=shown_by(supervisor), again=again)

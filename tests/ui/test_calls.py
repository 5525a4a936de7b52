"""What becomes of what was filled in for a call, by what comes of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.protocol.errors import NotSent, RpcError, TimedOut, Unreachable
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.problems import CallUnanswered, HandleNotSaved
from mcp_tasks_tui.ui.calling import call_tool
from mcp_tasks_tui.ui.screens.call_draft import CallDraft
from mcp_tasks_tui.ui.screens.new_call import CallWanted
from tests.ui.fakes import SERVER, FakeSupervisor, a_tool

if TYPE_CHECKING:
    from mcp_tasks_tui.ui.calling import CallingApp


class _App:
    def __init__(self, supervisor: FakeSupervisor) -> None:
        self.supervisor = supervisor
        self.call_draft = CallDraft()
        self.said: list[tuple[str, str]] = []

    def say(self, text: str, severity: str = "information") -> None:
        self.said.append((text, severity))


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (StoreError("the disk is full"), True),  # before it: without an intent nothing is sent
        (NotSent("no such variable"), True),
        (Unreachable("refused"), True),
        (RpcError(-32602, ServerText("no such tool"), None, 200), True),
        (CallUnanswered(TimedOut("total", 3.0)), False),
        (HandleNotSaved(HandleDraft(SERVER, "made-1"), StoreError("the disk is full")), False),
    ],
)
async def test_what_was_filled_in_waits_to_be_sent_only_where_surely_nothing_was_started(
    error: Exception, *, is_kept: bool
) -> None:
    app = _App(FakeSupervisor.of())
    app.supervisor.failures["call"] = error
    tool = a_tool("build", branch={"type": "string"})
    app.call_draft.chose("builds", SERVER, tool.name)
    app.call_draft.put(SERVER, tool, read_form(tool.input_schema), "branch", "main")
    wanted = CallWanted(SERVER, tool, {"branch": "main"}, None, app.call_draft.take())
    assert app.call_draft.filled() == []
    await call_tool(cast("CallingApp", app), wanted)
    assert app.said[-1] == (f"build: {error}", "error")
    assert app.call_draft.filled() == ([(SERVER, "build")] if is_kept else [])

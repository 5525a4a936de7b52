"""What a person answered is sent, and is then nowhere: not on the disk, not in a log."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mcp_tasks_tui.handles.model import HandleDraft, State
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.protocol.messages import InputResponse, ListenEvent, Task, TaskReply
from mcp_tasks_tui.supervise.clock import SystemClock
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from tests.ui.bare import BareApp, until
from tests.ui.fakes import SERVER
from tests.ui.screens.answer.answering import Browser, ask, type_text

SECRET = "hunter2correcthorse"
REQUESTS = {"q": ask(apiKey={"type": "string", "title": "API secret"})}


class AskingServer:
    """A server whose one task asks for a secret until it is answered."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []

    async def get_task(self, task_id: str) -> TaskReply:
        status = "working" if self.received else "input_required"
        task = Task.model_validate(
            {
                "taskId": task_id,
                "status": status,
                "inputRequests": {} if self.received else REQUESTS,
            }
        )
        return TaskReply(task)

    async def update_task(self, task_id: str, responses: Mapping[str, InputResponse]) -> None:
        self.received.append({key: each.to_wire() for key, each in responses.items()})

    async def listen(self, task_ids: Sequence[str]) -> AsyncIterator[ListenEvent]:
        pushed: tuple[ListenEvent, ...] = ()
        for event in pushed:
            yield event

    async def _unexpected(self, *_args: Any, **_words: Any) -> NoReturn:
        raise AssertionError("not a part of this test")

    cancel_task = call_tool = list_tools = _unexpected


async def test_an_answer_is_on_the_wire_and_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server = AskingServer()
    async with StoreWorker(tmp_path) as store:
        supervisor = Supervisor(
            store=store,
            connect=lambda _url: server,
            clock=SystemClock(),
            settings=EngineSettings(),
        )
        await supervisor.start(keys=())
        saved = await supervisor.save(HandleDraft(SERVER, "t1"))
        assert (await supervisor.refresh(saved.key)).state is State.INPUT_REQUIRED
        app = BareApp()
        async with app.run_test() as pilot:
            screen = AnswerScreen(supervisor, saved.key, Drafts(), opener=Browser(works=False))
            await app.push_screen(screen)
            await pilot.pause()
            await type_text(pilot, SECRET)
            await pilot.press("ctrl+s")
            await until(pilot, lambda: app.screen is not screen)  # acknowledged
        assert server.received == [{"q": {"action": "accept", "content": {"apiKey": SECRET}}}]
        events = [entry.event for entry in await supervisor.journal(saved.key)]
        assert "input_answered" in events
        await supervisor.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path.name
    assert SECRET not in caplog.text

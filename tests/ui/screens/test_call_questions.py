"""What a call asks before it becomes a task: nothing typed for one reaches another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.forms.reading import read_questions
from mcp_tasks_tui.protocol.messages import InputNeeded, Tool, ToolResult
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.calling import CallQuestions
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.new_call import CallWanted
from tests.ui.bare import until
from tests.ui.fakes import NOW, SERVER, FakeSupervisor
from tests.ui.screens.answer.answering import Browser, page

if TYPE_CHECKING:
    import pytest


def _asked(message: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    params = {"message": message, "requestedSchema": schema}
    return {"a": {"method": "elicitation/create", "params": params}}


def _questions(server: str, message: str) -> CallQuestions:
    wanted = CallWanted(server, Tool("open", None, None, {}), {}, None)
    return CallQuestions(wanted, InputNeeded(_asked(message), None), now=0.0)


def test_what_was_typed_for_one_server_is_never_in_the_form_of_another() -> None:
    drafts = Drafts()
    (question,) = read_questions(_asked("Your account?"))
    key = _questions("http://one.test/mcp", "Your account?").key  # it is over, and its memory free
    drafts.put(key, question, "name", "for the first alone")
    later = [_questions("http://two.test/mcp", "Name?").key for _ in range(20)]
    assert not any(drafts.entries(each, question) for each in later)
    assert len({key, *later}) == 21
    drafts.forget_all(key)
    assert not drafts.waiting(key)
    assert drafts.entries(key, question) == {}


class _AsksFirst(FakeSupervisor):
    """Answers a call with a page to open; with a result once it was answered."""

    async def call(self, *_args: Any, **named: Any) -> Any:
        if named["input_responses"] is None:
            return InputNeeded({"q": page("https://mcp.example.com/")}, None)
        self.results["call"] = named["input_responses"]
        return ToolResult({"content": []})


async def test_a_call_goes_on_once_the_browser_is_up_though_its_form_was_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    browser = Browser(gate=asyncio.Event())
    monkeypatch.setattr("mcp_tasks_tui.ui.calling.open_in_browser", browser)
    fake = _AsksFirst()
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        app._call(CallWanted(SERVER, Tool("open", None, None, {}), {}, None))
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("s", "escape")
        await until(pilot, lambda: app.screen is app.main and bool(browser.opened))
        assert browser.gate is not None
        browser.gate.set()
        await until(pilot, lambda: "call" in fake.results)
    assert [one.action for one in fake.results["call"].values()] == ["accept"]

"""A server that is not ours, answered on the screen: a form, several, a chain, a page, sampling."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from mcp_tasks_tui.cli.compose import running_supervisor
from mcp_tasks_tui.config.model import Config
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.places import Paths
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.ui.screens.answer import AnswerScreen
from mcp_tasks_tui.ui.screens.answer_drafts import Drafts
from tests.ui.bare import BareApp

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.supervisor import Batch
    from mcp_tasks_tui.supervise.view import TaskView

pytestmark = pytest.mark.peer
_LONG = 60


@dataclass
class Asked:
    """A task of the server that was made for one test."""

    supervisor: Supervisor
    key: str

    async def until(self, fits: Callable[[TaskView], bool]) -> TaskView:
        """Wait for a view of the task that fits."""
        news = asyncio.Event()

        def listen(_batch: Batch) -> None:
            news.set()

        stop = self.supervisor.subscribe(listen)
        try:
            async with asyncio.timeout(_LONG):
                while True:
                    news.clear()
                    view = self.supervisor.view(self.key)
                    if view is not None and fits(view):
                        return view
                    await news.wait()
        finally:
            stop()

    async def result_text(self) -> str:
        await self.until(lambda view: view.state is State.COMPLETED)
        result = await self.supervisor.result(self.key)
        text = result["content"][0]["text"]
        assert isinstance(text, str)
        return text


@pytest_asyncio.fixture
async def supervisor(tmp_path: Path) -> AsyncIterator[Supervisor]:
    paths = Paths(data=tmp_path / "data", config=tmp_path / "config", log=tmp_path / "log")
    async with running_supervisor(paths, Config()) as running:
        yield running


async def ask(supervisor: Supervisor, peer: str, tool: str) -> Asked:
    _outcome, view = await supervisor.call(peer, tool, {})
    assert view is not None
    asked = Asked(supervisor, view.key)
    await asked.until(lambda view: view.state is State.INPUT_REQUIRED)
    return asked


class ScreenApp(BareApp):
    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self.asked = asked
        self.drafts = Drafts()
        self.opened: list[str] = []
        self.left = 0

    def on_mount(self) -> None:
        self.open_answer()

    def open_answer(self) -> None:
        screen = AnswerScreen(
            self.asked.supervisor, self.asked.key, self.drafts, opener=self.open_page
        )
        self.push_screen(screen, self._left)

    def open_page(self, url: str) -> bool:
        self.opened.append(url)
        return True

    def _left(self, _outcome: Any) -> None:
        self.left += 1


async def typed(pilot: Pilot[None], text: str, *then: str) -> None:
    await pilot.press(*("minus" if char == "-" else char for char in text), *then)
    await pilot.pause()


async def sent(pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+s")
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def test_a_form_with_a_field_of_every_kind(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_form")
    app = ScreenApp(asked)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await typed(pilot, "v2-1", "tab", "tab", "tab", "backspace", "4", "tab")
        await pilot.press("tab", "right", "space", "tab", "right", "space", "tab")
        await pilot.press("right", "space", "tab", "right", "space", "tab", "space")
        await sent(pilot)
        assert app.left == 1
    text = await asked.result_text()
    assert text.startswith("form accepted: ")
    assert json.loads(text.partition(": ")[2]) == {
        "extras": ["logs"],
        "name": "v2-1",
        "notify": False,
        "regions": ["eu", "us"],
        "replicas": 4,
        "size": "m",
        "target": "production",
    }


async def test_two_questions_one_after_the_other(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_two")
    await asked.until(lambda view: len(view.open_requests) == 2)
    app = ScreenApp(asked)
    async with app.run_test(size=(60, 15)) as pilot:
        for _ in range(2):
            await pilot.pause()
            focused = type(app.focused).__name__
            await pilot.press(*(["3"] if focused == "LineField" else ["right", "space"]))
            await sent(pilot)
        assert app.left == 1
    text = await asked.result_text()
    assert "green" in text
    assert "3" in text


async def test_a_chain_of_questions(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_chain")
    app = ScreenApp(asked)
    async with app.run_test() as pilot:
        for word in ("one", "two", "three"):
            await asked.until(
                lambda view: view.state is State.COMPLETED or bool(view.open_requests)
            )
            if app.left:
                app.open_answer()
            await pilot.pause()
            await typed(pilot, word)
            await sent(pilot)
    assert await asked.result_text() == "chain: one two three"


async def test_a_page_to_open(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_url")
    app = ScreenApp(asked)
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert app.opened == ["https://example.com/connect?state=abc"]
    assert await asked.result_text() == "url accept"


async def test_declining(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_form")
    app = ScreenApp(asked)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+n", "y")
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert await asked.result_text() == "form decline"


async def test_sampling_is_left_alone(supervisor: Supervisor, peer: str) -> None:
    asked = await ask(supervisor, peer, "ask_sampling")
    app = ScreenApp(asked)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l", "escape")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.left == 1
    view = await supervisor.refresh(asked.key)
    assert view.state is State.INPUT_REQUIRED
    assert view.answers == {}
    await supervisor.cancel(asked.key)
    await asked.until(lambda view: view.state is State.CANCELLED)

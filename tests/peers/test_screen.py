"""A server that is not ours, on the whole screen: each way a task can go, by keyboard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from mcp_tasks_tui.cli.compose import Wiring, supervisor_for
from mcp_tasks_tui.config.model import Config, ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.supervise.view import TaskView
from mcp_tasks_tui.ui import links
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.terminal import along
from tests.commandline import Cli
from tests.program.hostile import assert_clean, look_everywhere
from tests.program.running import QUICK
from tests.program.running import screen as open_screen
from tests.quick import make_quick

if TYPE_CHECKING:
    from textual.pilot import Pilot


pytestmark = pytest.mark.peer
_LONG = 30
_CONTROLS = {*map(chr, range(32)), *map(chr, range(127, 160)), "\u202e", "\u200b"} - {"\n"}


@dataclass
class Desk:
    """The app on a real store and a real wire, and what a person does and sees."""

    app: TasksApp
    pilot: Pilot[None]
    server: str
    key: str = ""

    async def call(self, tool: str, **arguments: Any) -> None:
        """Call a tool; the cursor is on its task once this returns."""
        view = await self.app.supervisor.call(self.server, tool, arguments, label=tool)
        assert isinstance(view, TaskView)
        self.key = view.key
        await self.until(lambda: self.app.main.tasks.select(self.key))

    @property
    def view(self) -> TaskView:
        view = self.app.supervisor.view(self.key)
        assert view is not None
        return view

    async def until(self, fits: Callable[[], bool]) -> None:
        async with asyncio.timeout(_LONG):
            while not fits():
                await self.pilot.pause(0.02)

    async def until_state(self, state: State) -> None:
        """Wait until the task is in `state`, and the list says so."""
        await self.until(lambda: self.view.state is state)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str, *then: str) -> None:
        await self.press(*("minus" if char == "-" else char for char in text), *then)

    async def asked(self) -> None:
        """Open the form of the task's question."""
        await self.until(lambda: bool(self.view.open_requests))
        await self.press("u")
        await self.until(lambda: isinstance(self.app.screen, AnswerScreen))
        await self.pilot.pause()

    async def sent(self) -> None:
        """Send the form; return when the answer is on its way."""
        before = dict(self.view.answers)
        await self.press("ctrl+s")
        await self.until(lambda: dict(self.view.answers) != before)
        await self.pilot.pause()

    def asks_for_consent(self) -> bool:
        return isinstance(self.app.screen, ConfirmScreen)

    async def agree(self) -> None:
        """Say yes to what is asked, until it can have been read."""
        await self.until(self.asks_for_consent)
        async with asyncio.timeout(_LONG):
            while self.asks_for_consent():
                await self.press("y")

    def row(self) -> str:
        """The task in the list: its line, and the one below, which may be its message."""
        tasks = self.app.main.tasks
        strips = tasks.render_lines(tasks.size.region)
        lines = [strip.text for strip in strips]
        label = self.view.handle.label or ""
        at = next((at for at, line in enumerate(lines) if label in line), len(lines))
        return "\n".join(lines[at : at + 2])

    def panel(self) -> str:
        return self.app.main.panel.shown_text

    def drawn(self) -> str:
        """Every cell of the screen on top."""
        return "\n".join(
            "".join(segment.text for segment in strip)
            for strip in self.app.screen._compositor.render_strips()
        )

    async def result_text(self) -> str:
        await self.until_state(State.COMPLETED)
        result = await self.app.supervisor.result(self.key)
        return str(result["content"][0]["text"])


@pytest_asyncio.fixture
async def desk(
    peer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Desk]:
    """In a window of 120 x 40, or of the size that a test names with `_in_a_window_of`."""
    size = getattr(request, "param", (120, 40))
    make_quick(monkeypatch)
    monkeypatch.setattr(along, "TOGETHER", 0.0)  # keys come faster than hands type them
    config = Config()
    wiring = Wiring(config)
    async with StoreWorker(tmp_path / "data") as store:
        engine = supervisor_for(store, wiring, config)
        app = TasksApp(engine, config=ScreenConfig(animations=False), environ={})
        try:
            async with app.run_test(size=size) as pilot:
                desk = Desk(app, pilot, peer)
                await desk.until(lambda: app.engine.loaded)
                yield desk
        finally:
            await wiring.close()


async def test_a_build_is_watched_to_its_result(desk: Desk) -> None:
    await desk.call("slow_build", seconds=1.6, steps=8)
    await desk.until(lambda: "building" in desk.row() and "%" in desk.row())
    await desk.until(lambda: "building" in desk.panel())
    await desk.until_state(State.COMPLETED)
    await desk.until(lambda: "completed" in desk.row())
    await desk.until(lambda: "build-1.tar.gz" in desk.panel())


def _in_a_window_of(columns: int, rows: int) -> pytest.MarkDecorator:
    size = (columns, rows)
    return pytest.mark.parametrize("desk", [size], ids=["x".join(map(str, size))], indirect=True)


@_in_a_window_of(80, 24)
async def test_a_form_with_a_field_of_every_kind_is_answered(desk: Desk) -> None:
    await desk.call("ask_form")
    await desk.asked()
    await desk.type("v2-1", "tab", "tab", "tab", "backspace", "4", "tab")
    await desk.press("tab", "right", "space", "tab", "right", "space", "tab")
    await desk.press("right", "space", "tab", "right", "space", "tab", "space")
    await desk.sent()
    text = await desk.result_text()
    assert json.loads(text.partition("form accepted: ")[2]) == {
        "extras": ["logs"],
        "name": "v2-1",
        "notify": False,
        "regions": ["eu", "us"],
        "replicas": 4,
        "size": "m",
        "target": "production",
    }
    await desk.until(lambda: not isinstance(desk.app.screen, AnswerScreen))
    await desk.until(lambda: "form accepted" in desk.panel())


async def test_a_form_is_declined(desk: Desk) -> None:
    await desk.call("ask_form")
    await desk.asked()
    await desk.press("ctrl+n")
    await desk.agree()
    assert await desk.result_text() == "form decline"


@_in_a_window_of(60, 15)
async def test_two_questions_at_once(desk: Desk) -> None:
    await desk.call("ask_two")
    await desk.until(lambda: len(desk.view.open_requests) == 2)
    await desk.asked()
    for _ in range(2):
        choice = type(desk.app.focused).__name__ != "LineField"
        await desk.press(*(("right", "space") if choice else ("3",)))
        await desk.sent()
    text = await desk.result_text()
    assert "green" in text
    assert "3" in text


async def test_a_chain_of_questions(desk: Desk) -> None:
    await desk.call("ask_chain")
    for word in ("one", "two", "three"):
        await desk.until(lambda: bool(desk.view.open_requests))
        if not isinstance(desk.app.screen, AnswerScreen):
            await desk.asked()
        await desk.pilot.pause()
        await desk.type(word)
        await desk.sent()
    assert await desk.result_text() == "chain: one two three"


@_in_a_window_of(60, 15)
async def test_a_page_to_open(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    async def opener(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(links, "open_in_browser", opener)
    await desk.call("ask_url")
    await desk.asked()
    assert "example.com" in desk.drawn()
    await desk.press("o")
    assert opened == [], "it asks first"
    await desk.until(lambda: isinstance(desk.app.screen, OpenScreen))
    await desk.press("right", "right")
    async with asyncio.timeout(_LONG):  # a yes from before it can have been read does not count
        while isinstance(desk.app.screen, OpenScreen):
            await desk.press("enter")
    assert await desk.result_text() == "url accept"
    assert opened == ["https://example.com/connect?state=abc"]


async def test_a_request_that_is_not_for_us_is_shown_and_left_alone(desk: Desk) -> None:
    await desk.call("ask_sampling")
    await desk.asked()
    assert "Say hello" in desk.drawn()
    await desk.press("ctrl+s", "ctrl+n", "ctrl+l", "escape")
    await desk.until(lambda: not isinstance(desk.app.screen, AnswerScreen))
    view = await desk.app.supervisor.refresh(desk.key)
    assert view.state is State.INPUT_REQUIRED
    assert view.answers == {}
    await desk.app.supervisor.cancel(desk.key)
    await desk.until_state(State.CANCELLED)


async def test_an_endless_task_is_cancelled_by_a_yes_alone(desk: Desk) -> None:
    await desk.call("never_ends")
    await desk.until(lambda: "still at it" in desk.row())
    await desk.press("c")
    assert desk.asks_for_consent()
    assert "never_ends" in desk.drawn()
    await desk.press("enter")
    assert not desk.asks_for_consent()
    view = await desk.app.supervisor.refresh(desk.key)
    assert view.state is State.WORKING
    assert view.snapshot.cancel_requested_at is None
    await desk.press("c")
    await desk.agree()
    await desk.until_state(State.CANCELLED)
    await desk.until(lambda: "cancelled" in desk.row())
    assert "still at it" in desk.panel()


async def test_a_tool_error_and_a_protocol_failure_look_different(desk: Desk) -> None:
    await desk.call("fails_tool")
    await desk.until_state(State.TOOL_ERROR)
    await desk.until(lambda: "tool error" in desk.row())
    await desk.until(lambda: "3 tests failed" in desk.panel())
    await desk.call("fails_protocol")
    await desk.until_state(State.FAILED)
    await desk.until(lambda: "failed" in desk.row())
    await desk.until(lambda: "upstream rate limit exceeded" in desk.panel())


async def test_hostile_text_is_shown_as_text(desk: Desk) -> None:
    await desk.call("hostile_text", seconds=0.6)
    await desk.until(lambda: "^[[2J" in desk.row())
    await desk.until_state(State.COMPLETED)
    await desk.until(lambda: "next line" in desk.panel())
    assert "^[]0;title" in desk.panel()
    assert not _CONTROLS & set(desk.drawn())


def test_hostile_text_reaches_no_terminal_raw(
    cli: Cli, peer: str, neutral_environment: Path
) -> None:
    assert cli("call", peer, "hostile_text", "--arg", "seconds=1").code == 0
    with open_screen(neutral_environment, columns=160, rows=60, program=QUICK) as terminal:
        terminal.wait_for("^[[2J")
        look_everywhere(terminal)
        terminal.wait_for("completed")
        look_everywhere(terminal)
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
        assert_clean(terminal.output)

"""Quitting while something would be lost by it: asked once, and the answer is no by default."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual.events import Key
from textual.widgets import Input

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.forms.reading import read_questions
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import HandleDraft, State
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.protocol.messages import Tool
from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
from mcp_tasks_tui.ui import quitting
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.quitting import LeaveScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.new_call import CallWanted
from mcp_tasks_tui.ui.terminal.output import INTERRUPTED
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_task

if TYPE_CHECKING:
    from textual.pilot import Pilot

ASKS = {
    "a": {
        "method": "elicitation/create",
        "params": {
            "message": "Deploy?",
            "requestedSchema": {"type": "object", "properties": {"why": {"type": "string"}}},
        },
    }
}
HANDLE = UnsavedHandle(
    HandleDraft(server_url=SERVER, task_id="made-1", tool="build", label="nightly"),
    "the disk is full; make room",
)


def _said(app: TasksApp) -> str:
    return " ".join(whole_screen(app).replace("│", " ").split())


async def _asked(pilot: Pilot[None], app: TasksApp, key: str = "q") -> str:
    """Press the key; return what the window says then."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, LeaveScreen))
    await pilot.pause()
    return _said(app)


async def test_what_would_be_lost_by_leaving_is_asked_for_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quitting, "PATIENCE", 0.05)
    fake = FakeSupervisor.of(a_task("k1", State.INPUT_REQUIRED, requests=ASKS), a_task("k2"))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)

        # What was typed, as long as it can still be sent.
        (question,) = read_questions(ASKS)
        app.drafts.put("k1", question, "why", "because")
        assert "1 answer is typed and not sent: leave without it?" in await _asked(pilot, app)
        await pilot.press("enter")  # no, until said else
        await until(pilot, lambda: app.screen is app.main)
        app.drafts.put("k1", question, "why", "")
        assert app.drafts.typed() == []
        app.drafts.put("k2", question, "why", "asked no more")

        # An answer on its way, which has no text, and which nobody counts twice.
        app.drafts.put("k1", question, "why", "because")
        fake.gate = asyncio.Event()
        app.answer("k1")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("ctrl+s", "escape")
        await until(pilot, lambda: app.screen is app.main)
        said = await _asked(pilot, app)
        assert "1 answer is on the way: leave and not know what comes of it?" in said
        assert "typed and not sent" not in said
        await pilot.press("n")
        fake.gate.set()
        await until(pilot, lambda: not app.drafts.outbox)

        # A call that is waited for: said as long as it is, and asked for once however often.
        fake.gate = asyncio.Event()
        tool = Tool("build", None, None, {"type": "object"})
        app._call(CallWanted(SERVER, tool, {}, None))
        await until(pilot, lambda: "1 call under way" in _said(app))
        said = await _asked(pilot, app, "ctrl+c")
        assert "1 call has not answered yet: leave and lose its handle?" in said
        assert "build on builds: sent just now" in said
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert sum(isinstance(each, LeaveScreen) for each in app.screen_stack) == 1
        await pilot.press("n")
        await until(pilot, lambda: app.screen is app.main)
        assert len(fake.under_way) == 1, "it is still waited for"
        fake.gate.set()
        await until(pilot, lambda: not fake.under_way)
        await until(pilot, lambda: app.screen is not app.main)  # its result
        await pilot.press("escape")
        await until(pilot, lambda: "1 call under way" not in _said(app))

        # A handle that the disk refused: a line that stays, not a toast that goes.
        fake.unsaved.append(HANDLE)
        await until(pilot, lambda: "1 handle is NOT SAVED: nightly on builds" in _said(app))
        said = _said(app)
        assert "the disk is full; make room" in said
        assert "tried again every 5 s; leaving prints it whole" in said
        said = await _asked(pilot, app)
        assert "1 handle is not on disk: leave and keep it by hand?" in said
        assert "nightly on builds: not on disk" in said
        await pilot.press("escape")
        fake.unsaved.clear()
        await until(pilot, lambda: "NOT SAVED" not in _said(app))

        # Nothing at stake, nothing asked.
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_what_is_on_its_way_is_waited_for_and_then_the_program_ends_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quitting, "PATIENCE", 1000)
    fake = FakeSupervisor.of(a_task("k1"), a_task("k2"))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        fake.gate = asyncio.Event()
        for key in ("k1", "k2"):
            app.run_worker(fake.cancel(key))
        await until(pilot, lambda: len(fake.sendings) == 2)
        await pilot.press("q")
        await until(pilot, lambda: bool(app._notifications))
        assert [each.message for each in app._notifications] == ["sending 2 cancels, then leaving"]
        assert app.is_running
        fake.gate.set()
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_an_answer_that_could_not_be_sent_is_told_before_the_program_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quitting, "PATIENCE", 1000)
    fake = FakeSupervisor.of(a_task("k1", State.INPUT_REQUIRED, requests=ASKS))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        fake.gate = asyncio.Event()
        fake.failures["answer"] = StoreError("the disk is full")
        app.answer("k1")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("ctrl+s", "escape")
        await until(pilot, lambda: app.screen is app.main and len(app.drafts.outbox) == 1)
        await pilot.press("q")
        await until(pilot, lambda: bool(app._notifications))
        fake.gate.set()
        told = "not left: an answer was not sent"
        await until(pilot, lambda: told in [each.message for each in app._notifications])
        assert any("the disk is full" in each.message for each in app._notifications)
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


async def test_a_cancel_that_was_not_taken_is_told_before_the_program_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quitting, "PATIENCE", 1000)
    fake = FakeSupervisor.of(a_task("k1", State.INPUT_REQUIRED, requests=ASKS))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        fake.gate = asyncio.Event()
        fake.failures["cancel"] = Unreachable("refused")
        app.answer("k1")
        await until(pilot, lambda: isinstance(app.focused, Input))
        await pilot.press("ctrl+s", "escape")  # waited for as well: the cancel may fail first
        await until(pilot, lambda: app.screen is app.main and len(app.drafts.outbox) == 1)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        app.screen.dismiss(True)
        await until(pilot, lambda: bool(fake.sendings))
        await pilot.press("q")
        told = "sending 1 answer and 1 cancel, then leaving"
        await until(pilot, lambda: told in [each.message for each in app._notifications])
        fake.gate.set()
        told = "not left: a cancel was not taken"
        await until(pilot, lambda: told in [each.message for each in app._notifications])
        why = str(Unreachable("refused"))
        await until(pilot, lambda: any(why in each.message for each in app._notifications))
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


async def test_who_cannot_wait_for_what_is_on_its_way_is_asked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quitting, "PATIENCE", 1000)
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        fake.gate = asyncio.Event()
        app.run_worker(fake.cancel("k1"))
        await until(pilot, lambda: bool(fake.sendings))
        await pilot.press("q")
        said = await _asked(pilot, app)
        assert "1 cancel is on the way: leave and not know what comes of it?" in said
        await pilot.press("y")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_what_was_typed_right_before_is_asked_for_too() -> None:
    fake = FakeSupervisor.of(a_task("k1", State.INPUT_REQUIRED, requests=ASKS))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: fake.started)
        app.answer("k1")
        await until(pilot, lambda: isinstance(app.focused, Input))
        for key in "why":
            app.post_message(Key(key, key))
        app.post_message(Key("ctrl+c", None))  # all at once, as a terminal hands them over
        await until(pilot, lambda: isinstance(app.screen, LeaveScreen))
        await pilot.press("y")
        await until(pilot, lambda: not app.is_running)
    assert fake.asked_for("answer") == []


@pytest.mark.parametrize("by_signal", [True, False])
async def test_a_signal_does_not_ask_and_a_yes_leaves(*, by_signal: bool) -> None:
    fake = FakeSupervisor.of(a_task("k1"))
    fake.unsaved.append(HANDLE)
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: fake.started)
        if by_signal:
            app.told_to_end()
        else:
            await _asked(pilot, app)
            await pilot.press("y")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == (INTERRUPTED if by_signal else 0)
    assert fake.closed

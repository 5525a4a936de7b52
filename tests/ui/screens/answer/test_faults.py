"""Sending goes wrong, takes long, or is not allowed: nothing is lost or sent twice."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from textual.screen import ModalScreen
from textual.widgets import Input

from mcp_tasks_tui.forms.answer import compose
from mcp_tasks_tui.protocol.errors import NoSuchTask, TimedOut, Unreachable
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.problems import AlreadyAnswered, AnswerUnconfirmed
from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome
from tests.ui.bare import until
from tests.ui.screens.answer.answering import (
    COUNT,
    KEY,
    AnswerApp,
    ask,
    page,
    settled,
    type_text,
)

if TYPE_CHECKING:
    from mcp_tasks_tui.forms.answer import FormAnswer

FAULTS: list[tuple[Exception, str]] = [
    (NoSuchTask(-32602, ServerText("name [/] required"), None, 400), "Refused by the server"),
    (NoSuchTask(-32602, ServerText("name [/] required"), None, 400), "name [/] required"),
    (Unreachable("refused"), "Not sent: connection refused"),
    (TimedOut("total", 60), "Perhaps not delivered"),
    (AnswerUnconfirmed(TimedOut("silence", 30)), "Perhaps not delivered"),
    (AlreadyAnswered(["q"]), "Not sent: already answered"),
    (KeyError("x"), "a fault of this program"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
async def test_a_failed_send_brings_the_form_back_with_its_text(
    fault: Exception, words: str
) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.failures["answer"] = fault
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert words in " ".join(app.text().replace("│", " ").split())
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        assert app.drafts.waiting(KEY) == 1
        del app.supervisor.failures["answer"]
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.outcomes == [AnswerOutcome(KEY, {"q": "accept"})]


async def test_an_answer_is_checked_where_it_holds_up_neither_the_screen_nor_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []

    def noted(*form_and_entries: Any) -> FormAnswer:
        threads.append(threading.current_thread())
        return compose(*form_and_entries)

    monkeypatch.setattr("mcp_tasks_tui.ui.screens.answer.panes.compose_answer", noted)
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(app.outcomes))
    assert [each.daemon for each in threads] == [True]


async def test_while_it_is_sent_it_cannot_be_sent_again() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        while not app.sent():
            await pilot.pause()
        await pilot.press("ctrl+s", "ctrl+n")
        await pilot.pause()
        assert "Sending…" in app.text()
        assert len(app.sent()) == 1
        app.supervisor.gate.set()
        await settled(pilot)
        assert len(app.sent()) == 1


async def test_while_it_is_sent_nothing_can_be_typed_and_the_frame_tells_that_it_goes_on() -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"}, sure={"type": "boolean"})})
    app.supervisor.gate = asyncio.Event()
    app.supervisor.failures["answer"] = TimedOut("total", 60)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "esc closes, sends nothing" in app.text()
        await type_text(pilot, "4")
        await pilot.press("tab")
        await type_text(pilot, "ab")
        await pilot.press("tab", "space", "shift+tab", "ctrl+s")
        while not app.sent():
            await pilot.pause()
        await type_text(pilot, "qnu")
        await pilot.press("ctrl+s", "ctrl+o")
        await pilot.pause()
        assert "Sending…" in app.text()
        assert "esc closes, the answer goes on" in app.text()
        assert [each.value for each in app.answer.query(Input)] == ["4", "ab"]
        assert len(app.sent()) == 1
        app.supervisor.gate.set()
        await settled(pilot)

        # It did not arrive: a person goes on in the field that they were in.
        assert "Perhaps not delivered" in app.text()
        assert "esc closes, sends nothing" in app.text()
        await type_text(pilot, "c")
        assert [each.value for each in app.answer.query(Input)] == ["4", "abc"]


async def test_closing_while_it_is_sent_breaks_nothing_off() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    app.supervisor.failures["answer"] = TimedOut("total", 60)
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        while not app.sent():
            await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        app.supervisor.gate.set()
        await settled(pilot)
        [told] = app._notifications
        assert told.message.startswith("Perhaps not delivered")
        assert app.drafts.waiting(KEY) == 1


@pytest.mark.parametrize("arrives", [True, False])
async def test_opened_again_while_it_is_sent_it_waits_for_what_comes_of_it(arrives: bool) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    if not arrives:
        app.supervisor.failures["answer"] = TimedOut("total", 60)
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: len(app.sent()) == 1)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.outcomes) == 1)
        app.open_answer()
        await until(pilot, lambda: "Sending…" in app.text())
        await type_text(pilot, "2")
        await pilot.press("ctrl+s", "ctrl+n")
        await pilot.pause()
        assert len(app.sent()) == 1
        assert [each.value for each in app.answer.query(Input)] == ["4"]
        app.supervisor.gate.set()
        if arrives:
            await until(pilot, lambda: len(app.outcomes) == 2)
            assert app.outcomes[-1] == AnswerOutcome(KEY, {"q": "accept"})
            assert app.drafts.waiting(KEY) == 0
        else:
            await until(pilot, lambda: "Perhaps not delivered" in app.text())
            await until(pilot, lambda: isinstance(app.focused, Input))
            await type_text(pilot, "2")
            assert [each.value for each in app.answer.query(Input)] == ["42"]
        assert len(app.sent()) == 1


async def test_a_screen_above_has_all_the_keys() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await app.push_screen(ModalScreen[None]())
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l", "enter", "5")
        await settled(pilot)
        app.pop_screen()
        await pilot.pause()
        assert app.sent() == []
        assert [each.value for each in app.answer.query(Input)] == ["4"]


async def test_read_only_sends_nothing() -> None:
    app = AnswerApp({"q": ask(count=COUNT), "u": page("https://a.example")}, read_only=True)
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l", "ctrl+t")
        await settled(pilot)
        assert app.sent() == []

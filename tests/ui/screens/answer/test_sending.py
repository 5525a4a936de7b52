"""What is sent by the answering screen, and above all what is not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input, Static

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.screens.answer import panes
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome
from mcp_tasks_tui.ui.widgets.form.text import LineField
from tests.ui.bare import until
from tests.ui.screens.answer.answering import (
    COUNT,
    KEY,
    SAMPLING,
    AnswerApp,
    ask,
    form,
    page,
    settled,
    type_text,
    waiting,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [(60, 15), (80, 24), (120, 40)]


@pytest.mark.parametrize("size", SIZES)
async def test_send_sends_what_was_typed_and_closes(size: tuple[int, int]) -> None:
    app = AnswerApp({"q": ask(count=COUNT, note={"type": "string"})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("tab")
        await type_text(pilot, "a b")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4, "note": "a b"}}}]
        assert app.outcomes == [AnswerOutcome(KEY, {"q": "accept"})]


@pytest.mark.parametrize("size", SIZES)
async def test_server_tool_task_and_message_are_in_view(size: tuple[int, int]) -> None:
    many = {f"field{n}": {"type": "string"} for n in range(30)}
    app = AnswerApp({"q": form({"type": "object", "properties": many})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.screen.query(Input)[20].focus()
        await pilot.pause()
        shown = app.text()
        for word in ("builds", "region_build", KEY, "nightly", "How many?", "field20"):
            assert word in shown
        for button in ("Send", "Decline", "Dismiss"):
            assert button in shown
        assert "cancel" not in shown.lower()


@pytest.mark.parametrize(
    ("key", "action"), [("ctrl+n", "decline"), ("ctrl+l", "cancel")], ids=["decline", "dismiss"]
)
async def test_decline_and_dismiss_carry_no_content(key: str, action: str) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press(key, "y")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": action}}]


@pytest.mark.parametrize("key", ["ctrl+n", "ctrl+l"], ids=["decline", "dismiss"])
@pytest.mark.parametrize("then", ["enter", "n", "escape", "again"])
async def test_a_key_that_refuses_asks_first_and_takes_no_for_granted(key: str, then: str) -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press(key)
        await pilot.pause()
        assert "It is final." in app.text()
        await pilot.press(*([key, key, "escape"] if then == "again" else [then]))
        await settled(pilot)
        assert app.sent() == []
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4}}}]


async def test_a_question_withdrawn_while_asking_is_not_refused() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("ctrl+n")
        await pilot.pause()
        app.supervisor.put(waiting({}, state=State.COMPLETED))
        await pilot.press("y")
        await settled(pilot)
        assert app.sent() == []
        assert "No longer asked" in app.text()


async def test_buttons_do_what_the_keys_do() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.click("#decline")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_escape_sends_nothing_and_keeps_what_was_typed() -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "42")
        await pilot.press("escape")
        await settled(pilot)
        assert app.sent() == []
        assert app.outcomes == [AnswerOutcome(KEY, {})]
        app.open_answer()
        await pilot.pause()
        assert [each.value for each in app.answer.query(Input)] == ["42", ""]


async def test_quitting_sends_nothing() -> None:
    app = AnswerApp({"q": ask(count=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4")
    assert app.sent() == []


@pytest.mark.parametrize("size", SIZES)
async def test_errors_stand_beside_the_field_and_hold_sending_back(size: tuple[int, int]) -> None:
    app = AnswerApp({"q": ask(count=COUNT, name={"type": "string"})})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "✗" not in app.text(), "nobody is blamed before they typed"
        await type_text(pilot, "42xyz")
        assert "not a whole number" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        assert "Not sent: see count, name" in app.text()
        focused = app.focused
        assert isinstance(focused, LineField)
        assert focused.value == "42xyz"
        await pilot.press(*["backspace"] * 5)
        await type_text(pilot, "7")
        assert "not a whole number" not in app.text()


async def test_enter_goes_on_and_does_not_send() -> None:
    app = AnswerApp({"q": ask(a=COUNT, b=COUNT)})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "4\n5")
        assert [each.value for each in app.answer.query(Input)] == ["4", "5"]
        assert app.sent() == []


@pytest.mark.parametrize("hostile", ["[/", "[red]x[/red]", "[@click=app.quit]x[/]", "\x1b[2J"])
async def test_words_of_a_server_are_never_markup(hostile: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            hostile: {"type": "string", "title": hostile, "description": hostile},
            "c": {"enum": [hostile, "b"]},
            "m": {"enum": [hostile, *map(str, range(20))], "default": hostile},
        },
    }
    app = AnswerApp({"a": form(schema, hostile), "b": page(f"https://a.example/{hostile}")})
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        shown = hostile.replace("\x1b", "^[")
        assert app.text().count(shown) >= 5
        assert "\x1b" not in app.text()
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert shown in app.text()


def test_drafts_of_a_changed_question_keep_text_and_drop_picks() -> None:
    from mcp_tasks_tui.forms.reading import read_question
    from mcp_tasks_tui.forms.values import Picked

    old = read_question("q", ask(name={"type": "string"}, level={"enum": ["low", "high"]}))
    new = read_question("q", ask(name={"type": "string"}, level={"enum": ["high", "low"]}))
    drafts = Drafts()
    drafts.put(KEY, old, "name", "x")
    drafts.put(KEY, old, "level", Picked((0,)))
    assert drafts.entries(KEY, old) == {"name": "x", "level": Picked((0,))}
    assert drafts.entries(KEY, new) == {"name": "x"}
    assert drafts.entries("other", old) == {}
    assert drafts.entries(KEY, replace(new, key="r")) == {}


async def test_nothing_but_static_text_is_drawn_without_content() -> None:
    """Every Static of the screen has markup off, whatever it shows."""
    app = AnswerApp(
        {"a": ask(s={"type": "string"}), "u": page("http://a.example:81"), "x": SAMPLING}
    )
    async with app.run_test() as pilot:
        for _ in range(3):
            await pilot.press("ctrl+g")
            await pilot.pause()
        lines = list(app.answer.query(Static))
        assert len(lines) > 10
        assert not any(line._render_markup for line in lines)


async def test_an_answer_is_said_to_be_sent_once_it_has_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = asyncio.Event()

    async def slowly(work: Callable[..., Any], *arguments: Any) -> Any:
        await gate.wait()
        return work(*arguments)

    monkeypatch.setattr(panes, "in_daemon_thread", slowly)
    app = AnswerApp({"q": ask(count=COUNT)})
    app.supervisor.gate = asyncio.Event()
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await type_text(pilot, "77")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Checking…" in app.text())
        assert "esc closes, it is sent if it has no error" in app.text()
        gate.set()
        await until(pilot, lambda: "Not sent" in app.text())
        assert "esc closes, sends nothing" in app.text()
        await pilot.press("backspace")
        gate.clear()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Checking…" in app.text())
        gate.set()
        await until(pilot, lambda: "Sending…" in app.text())
        assert "esc closes, the answer goes on" in app.text()
        app.supervisor.gate.set()
        await until(pilot, lambda: bool(app.sent()))

"""Pages to open, and requests that cannot be answered here."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome
from tests.ui.bare import until
from tests.ui.screens.answer.answering import (
    COUNT,
    KEY,
    SAMPLING,
    AnswerApp,
    Browser,
    ask,
    form,
    page,
    settled,
    type_text,
    waiting,
)

SIZES = [(60, 15), (80, 24), (120, 40)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_page_is_opened_only_after_a_yes(size: tuple[int, int]) -> None:
    url = "https://mcp.example.com/connect?state=1"
    app = AnswerApp({"q": page(url)})
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        shown = app.text()
        assert shown.count("mcp.example.com") >= 2
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.browser.opened == [], "the default is to go back"
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "enter")
        await settled(pilot)
        assert app.browser.opened == [url]
        assert app.sent() == [], "opening alone tells the server nothing"
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept"}}]


async def test_opening_and_sending_are_one_step_if_wanted() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "does not say that you are done" in " ".join(app.text().replace("│", " ").split())
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await settled(pilot)
        assert app.browser.opened == ["https://mcp.example.com/"]
        assert app.sent() == [{"q": {"action": "accept"}}]


async def test_what_is_sent_once_the_page_is_open_answers_the_question_it_belongs_to() -> None:
    """Finding a browser may take seconds; the person need not wait for it."""
    browser = Browser(gate=asyncio.Event())
    asks = {"a": page("https://mcp.example.com/"), "b": page("https://other.example.com/")}
    app = AnswerApp(asks, browser=browser)
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await until(pilot, lambda: bool(browser.opened))
        assert "Opening it in your browser" in app.text()
        await app.answer.action_turn(1)
        assert app.sent() == []
        assert browser.gate is not None
        browser.gate.set()
        await until(pilot, lambda: bool(app.sent()))
        assert app.sent() == [{"a": {"action": "accept"}}]


@pytest.mark.parametrize("works", [True, False])
async def test_a_form_that_is_left_before_the_browser_came_up_loses_no_answer(
    *, works: bool
) -> None:
    browser = Browser(works=works, gate=asyncio.Event())
    app = AnswerApp({"q": page("https://mcp.example.com/")}, browser=browser)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("s", "escape")
        await until(pilot, lambda: len(app.outcomes) == 1)
        assert app.outcomes == [AnswerOutcome(KEY, {})]
        assert browser.gate is not None
        await until(pilot, lambda: bool(browser.opened))
        assert app.sent() == []
        assert len(app.drafts.outbox) == 1
        browser.gate.set()
        await until(pilot, lambda: len(app.drafts.outbox) == 0)
        await pilot.pause()
        assert app.sent() == ([{"q": {"action": "accept"}}] if works else [])
        told = [note.message for note in app._notifications]
        why = "Not sent: no browser could be started: copy the URL (y) in the form, then Send"
        assert told == ([] if works else [why])


async def test_a_form_that_is_opened_again_waits_for_the_browser_too() -> None:
    browser = Browser(gate=asyncio.Event())
    app = AnswerApp({"q": page("https://mcp.example.com/")}, browser=browser)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("s", "escape")
        await until(pilot, lambda: len(app.outcomes) == 1)
        app.open_answer()
        await pilot.pause()
        await pilot.press("ctrl+s")  # it is on its way: not twice
        assert browser.gate is not None
        browser.gate.set()
        await until(pilot, lambda: len(app.outcomes) == 2)
        assert app.outcomes[1] == AnswerOutcome(KEY, {"q": "accept"})
        assert app.sent() == [{"q": {"action": "accept"}}]


async def test_a_browser_that_does_not_come_up_is_told_where_no_form_is_any_more() -> None:
    browser = Browser(works=False, gate=asyncio.Event())
    app = AnswerApp({"q": page("https://mcp.example.com/")}, browser=browser)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("y", "escape")
        await until(pilot, lambda: bool(browser.opened) and len(app.outcomes) == 1)
        assert browser.gate is not None
        browser.gate.set()
        await until(pilot, lambda: bool(app._notifications))
        [told] = app._notifications
        assert told.message.startswith("Not opened: no browser could be started")


async def test_without_a_browser_nothing_is_sent_and_the_url_can_be_copied() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")}, browser=Browser(works=False))
    async with app.run_test() as pilot:
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "right", "enter")
        await settled(pilot)
        assert app.sent() == []
        assert "no browser could be started" in app.text()
        await pilot.press("y")
        assert app.copied == ["https://mcp.example.com/"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a\u202eb.c"])
async def test_what_is_no_web_page_is_never_opened(url: str) -> None:
    app = AnswerApp({"q": page(url)})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Not opened from here" in app.text()
        await pilot.press("o", "enter")
        await pilot.pause()
        assert app.browser.opened == []
        await pilot.press("ctrl+n", "y")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_a_page_names_its_keys_as_they_are_bound() -> None:
    app = AnswerApp(
        {"q": page("https://mcp.example.com/")},
        browser=Browser(works=False),
        keys={"answer.open": "f3", "answer.copy": "f4"},
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "Open… f3" in app.text()
        assert "Copy URL f4" in app.text()
        await pilot.press("f3")
        await pilot.pause()
        await pilot.press("right", "enter")
        await settled(pilot)
        assert "copy the URL (f4) in the form, then Send" in app.text()


async def test_an_answered_page_can_be_opened_again_and_is_not_asked_again() -> None:
    app = AnswerApp({"q": page("https://mcp.example.com/")})
    app.supervisor.put(waiting({"q": page("https://mcp.example.com/")}, answered=["q"]))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "waits until the page is finished" in app.text()
        await pilot.press("o")
        await pilot.pause()
        await pilot.press("right", "enter")
        await settled(pilot)
        assert app.browser.opened == ["https://mcp.example.com/"]
        assert app.sent() == []


async def test_other_kinds_are_shown_and_left_alone() -> None:
    app = AnswerApp({"a": SAMPLING, "b": ask(count=COUNT)})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+g")
        await pilot.pause()
        assert "sampling/createMessage" in app.text()
        await pilot.press("ctrl+s", "ctrl+n", "ctrl+l")
        await settled(pilot)
        assert app.sent() == []
        await pilot.click("#cancel-task")
        await pilot.pause()
        assert app.cancel_wanted == [KEY]
        await pilot.press("ctrl+g")
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"b": {"action": "accept", "content": {"count": 4}}}]
        assert app.outcomes == [AnswerOutcome(KEY, {"b": "accept"})]


async def test_a_malformed_form_can_still_be_declined() -> None:
    app = AnswerApp({"q": form("what")})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "requestedSchema is not a schema" in app.text()
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == []
        await pilot.press("ctrl+n", "y")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "decline"}}]


async def test_an_unknown_task_and_a_task_that_asks_nothing_only_close() -> None:
    app = AnswerApp({})
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "The task asks nothing" in app.text()
        app.supervisor.put(waiting({"q": ask(count=COUNT)}))
        await pilot.pause()
        await type_text(pilot, "4")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"count": 4}}}]

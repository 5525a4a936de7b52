"""Leaving: keys that come twice or too late take nothing else away, and end nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.answer_pick import PickScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.edit import TagScreen
from tests.ui.answering import KEY, AnswerApp, settled
from tests.ui.bare import BareApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen


@pytest.mark.parametrize(
    "make",
    [
        lambda: ConfirmScreen("Cancel?", ["one"], yes="Yes", no="No"),
        lambda: TagScreen("Tags"),
        lambda: PickScreen(ServerText("Pick"), ["one"], (), several=False),
    ],
)
async def test_leaving_twice_takes_no_other_screen_away(make: Callable[[], Screen[Any]]) -> None:
    app = BareApp()
    async with app.run_test() as pilot:
        left, after = make(), ConfirmScreen("Next", ["two"], yes="Yes", no="No")
        answers: list[object] = []
        await app.push_screen(left, answers.append)
        left.dismiss()
        await app.push_screen(after)
        left.dismiss()
        await pilot.pause()
        assert app.screen is after
        assert answers == [None]


async def test_news_while_the_screen_is_taken_down_is_no_bug() -> None:
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app._engine is not None and app._engine.done())
        await app.main.filter_bar.remove_children()
        app.exit()
        fake.put(a_task("k1", message="too late"))
    assert app.return_code == 0
    assert app.crash_report == ""


async def test_news_after_the_answer_are_not_drawn_on_a_screen_that_goes_away() -> None:
    app = AnswerApp({"confirm": {"method": "elicitation/create", "params": {"message": "Go?"}}})
    async with app.run_test() as pilot:
        await settled(pilot)
        screen = app.answer
        await screen.remove_children()
        screen.dismiss(None)
        app.supervisor.put(a_task(KEY, message="goes on"))
        await pilot.pause()
        assert app.outcomes == [None]

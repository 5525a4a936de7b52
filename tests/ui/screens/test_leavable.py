"""Leaving: keys that come twice or too late take nothing else away, and end nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.quitting import LeaveScreen
from mcp_tasks_tui.ui.screens.add import AddScreen
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.answer.pick import PickScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.dialog import Dialog
from mcp_tasks_tui.ui.screens.edit import EditScreen, TagScreen
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.screens.result import ResultScreen
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from mcp_tasks_tui.ui.servers import KnownServers
from mcp_tasks_tui.ui.widgets.lines.pieces import Piece
from tests.ui.bare import BareApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_task
from tests.ui.screens.answer.answering import KEY, AnswerApp, Browser, settled

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


_SERVERS = KnownServers()
_LINK = look_at("https://example.com/consent")


def _early(fake: FakeSupervisor, app: TasksApp) -> dict[type[Screen[Any]], Screen[Any]]:
    """One of each screen that can be left."""
    view = fake.tasks["k1"]
    made: list[Screen[Any]] = [
        AddScreen(_SERVERS),
        AnswerScreen(fake, "k1", Drafts(), opener=Browser()),
        ConfirmScreen("Cancel?", ["one"], yes="Yes", no="No"),
        EditScreen(view.handle, "one"),
        HelpScreen(app.keymap, Place.MAIN),
        LeaveScreen("Leave?", ["one"], yes="Leave", no="Stay"),
        NewCallScreen(fake, _SERVERS),
        OpenScreen(_LINK, can_send=True),
        PickScreen(ServerText("Pick"), ["one"], (), several=False),
        ResultScreen(fake, view, now=lambda: NOW),
        TagScreen("Tags"),
        ViewerScreen((Piece("Head"),)),
    ]
    return {type(each): each for each in made}


def _leavable(base: type[Screen[Any]] = LeavableScreen) -> set[type[Screen[Any]]]:
    below = {each for child in base.__subclasses__() for each in _leavable(child)}
    return {base, *below} - {LeavableScreen, Dialog}


async def test_a_screen_left_before_it_is_built_is_gone_and_nothing_else() -> None:
    """As when keys were typed ahead of a busy machine."""
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
        screens = _early(fake, app)
        ours = {each for each in _leavable() if each.__module__.startswith("mcp_tasks_tui.")}
        assert screens.keys() == ours, "a new screen belongs into this test"
        for screen in screens.values():
            answers: list[object] = []
            app.push_screen(screen, answers.append)
            screen.dismiss(None)
            screen.dismiss(None)
            await until(pilot, lambda: app.screen is app.main)
            assert answers == [None], type(screen)
            assert app.crash_report == ""
    assert not fake.asked_for("save") + fake.asked_for("call") + fake.asked_for("answer")


async def test_a_screen_with_another_over_it_is_not_left_nor_is_that_other() -> None:
    """As when what runs beside it ends under a question."""
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
        for screen in _early(fake, app).values():
            answers: list[object] = []
            await app.push_screen(screen, answers.append)
            over = ConfirmScreen("Leave?", ["one"], yes="Yes", no="No")
            await app.push_screen(over, answers.append)
            hears = list(fake.listeners)
            screen.dismiss(None)
            await pilot.pause()
            assert app.screen_stack == [app.main, screen, over]
            assert fake.listeners == hears, "it goes on"
            over.dismiss(False)
            screen.dismiss(None)
            await until(pilot, lambda: app.screen is app.main)
            assert answers == [False, None], type(screen)


@pytest.mark.parametrize("kind", [AnswerScreen, EditScreen, NewCallScreen, ResultScreen])
async def test_the_program_may_end_while_a_screen_is_being_built(kind: type[Screen[Any]]) -> None:
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
        app.push_screen(_early(fake, app)[kind])
        app.exit()
    assert app.return_code == 0
    assert app.crash_report == ""


async def test_news_while_the_screen_is_taken_down_is_no_bug() -> None:
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
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


async def test_the_key_to_the_shell_holds_on_every_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[type[Screen[Any]]] = []
    fake = FakeSupervisor.of(a_task("k1"))
    app = TasksApp(fake, now=lambda: NOW, environ={})
    monkeypatch.setattr(app, "to_the_shell", lambda: went.append(type(app.screen)))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
        screens = _early(fake, app)
        for screen in screens.values():
            app.push_screen(screen)
            await until(pilot, lambda screen=screen: screen.is_mounted)  # type: ignore[misc]
            await pilot.press("ctrl+z")
            screen.dismiss()
            await until(pilot, lambda: app.screen is app.main)
    assert went == list(screens)

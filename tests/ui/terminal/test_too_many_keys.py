"""Where more is typed than can be done, what is dropped is the end of it, and that is said."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.widgets import Input

from mcp_tasks_tui.ui.quitting import LeaveScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from tests.ui.bare import until
from tests.ui.terminal.typed_at_once import Hanging, post, running, values

if TYPE_CHECKING:
    from textual.app import App

_TOO_MANY = "too many keys at once: the rest was dropped"


def _told(app: App[None]) -> list[str]:
    return [each.message for each in app._notifications if "dropped" in each.message]


async def test_of_too_many_keys_the_last_ones_are_dropped_and_that_is_said_once() -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        for _ in range(2):
            app.hangs.clear()
            post(app, "h" + "x" * 300)
            await pilot.pause()
            assert app.done == ""
            app.hangs.set()
            await until(pilot, lambda: len(app.done) >= 200)
            await pilot.pause()
            assert app.done == "x" * 200
            app.done = ""
        assert app.dropped == [_TOO_MANY] * 2


async def test_however_many_different_keys_wait_there_is_an_end() -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        post(app, "h" + "xy" * 3_000)
        await pilot.pause()
        app.hangs.set()
        await until(pilot, lambda: len(app.done) >= 2_500)
        await pilot.pause()
        assert app.done == "x" * 2_500
        assert app.dropped == [_TOO_MANY]


def _mouse(kind: type[events.MouseEvent], x: int = 1) -> events.MouseEvent:
    return kind(None, x, 3, 0, 0, 1, False, False, False, x, 3)


_DOWN, _UP, _MOVE = events.MouseDown, events.MouseUp, events.MouseMove
_WHEELS = (events.MouseScrollUp, events.MouseScrollDown)


async def test_the_ways_of_the_mouse_and_the_wheel_take_no_place_of_a_key() -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        app.post_message(_mouse(_DOWN))
        post(app, "hx")
        for number in range(300):
            app.post_message(_mouse(_MOVE, number % 80))
            app.post_message(_mouse(_WHEELS[number % 2]))
        post(app, "x" * 199)
        app.post_message(_mouse(_UP))
        await pilot.pause()
        assert len(app.mouse) == 601, "nothing that waits is about where the mouse is"
        app.hangs.set()
        await until(pilot, lambda: type(app.mouse[-1]) is _UP)
        assert app.done == "x" * 200
        assert app.dropped == []


async def test_what_a_button_is_about_is_where_the_mouse_was_then() -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        post(app, "h")
        for kind in (_DOWN, _UP):
            app.post_message(_mouse(kind))
            for number in range(100):
                app.post_message(_mouse(_MOVE, number % 80))
                app.post_message(_mouse(_WHEELS[0]))
        await pilot.pause()
        assert app.mouse == []
        app.hangs.set()
        await until(pilot, lambda: len(app.mouse) >= 6)
        await pilot.pause()
        pair = [_MOVE, _WHEELS[0]]
        assert [type(each) for each in app.mouse] == [_DOWN, *pair, _UP, *pair]
        assert [each.x for each in app.mouse if isinstance(each, _MOVE)] == [19, 19]


@pytest.mark.parametrize("pressed_before", [True, False])
async def test_where_keys_are_dropped_a_press_of_the_mouse_is_whole_or_none(
    pressed_before: bool,
) -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        if pressed_before:
            app.post_message(_mouse(_DOWN))
        post(app, "h" + "x" * 300)
        if not pressed_before:
            app.post_message(_mouse(_DOWN))
        post(app, "x")
        if pressed_before:
            app.post_message(_mouse(_UP))
        app.hangs.set()
        await until(pilot, lambda: bool(app.dropped))
        if not pressed_before:
            app.post_message(_mouse(_UP))
            await pilot.pause()
        assert [type(each) for each in app.mouse] == ([_DOWN, _UP] if pressed_before else [])
        app.post_message(_mouse(_DOWN))
        app.post_message(_mouse(_UP))
        await until(pilot, lambda: [type(each) for each in app.mouse[-2:]] == [_DOWN, _UP])


async def test_of_a_text_that_comes_as_keys_nothing_is_dropped() -> None:
    async with running() as (app, _fake, pilot):
        taken_away = "".join(f"{number:03}\x15" for number in range(60))
        post(app, f"uAAA\t{taken_away}\tccc\tddd")
        await until(pilot, lambda: values(app)[-4:] == ["AAA", "", "ccc", "ddd"])


async def test_once_a_key_is_dropped_none_is_taken_until_all_before_it_are_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mcp_tasks_tui.ui.terminal.in_order._MOST_OF_ONE", 30)
    monkeypatch.setattr("mcp_tasks_tui.ui.terminal.in_order._MOST", 30)
    async with running() as (app, fake, pilot):
        post(app, "u")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        await pilot.pause()
        post(app, "AAA\t" + "x\x15" * 20)
        handing_on = True
        async with asyncio.timeout(60):
            while handing_on:
                post(app, "z\tz\x13")
                await asyncio.sleep(0.002)
                handing_on = app._in_order._handing_on is not None
        await pilot.pause()
        post(app, "\tend")
        await until(pilot, lambda: "end" in values(app))
        assert values(app)[-4:] == ["AAA", "x", "end", ""]
        assert fake.asked_for("answer") == []
        assert _told(app) == [_TOO_MANY]


async def test_what_is_dropped_does_not_go_with_the_text_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mcp_tasks_tui.ui.terminal.in_order._MOST", 2)
    monkeypatch.setattr("mcp_tasks_tui.ui.terminal.in_order._MOST_OF_ONE", 2)
    async with running() as (app, _fake, pilot):
        post(app, "u")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        await until(pilot, lambda: app._in_order._handing_on is None)
        calm: list[bool] = []  # as often as this, nothing is left to do
        monkeypatch.setattr(app._in_order, "_patience", 60.0)
        monkeypatch.setattr(app._in_order, "_is_at_rest", lambda: bool(calm) and calm.pop())
        post(app, "\tbcd")
        await pilot.pause()
        calm += [True] * 3
        await until(pilot, lambda: values(app)[-4:] == ["", "bc", "", ""])
        post(app, "e")
        await pilot.pause()
        calm += [True] * 3
        await until(pilot, lambda: _told(app) == [_TOO_MANY])
        assert values(app)[-4:] == ["", "bc", "", ""]


@pytest.mark.parametrize(("later", "at_once", "in_the_end"), [(0.1, "", "xxxo"), (1.0, "o", "o")])
async def test_where_the_program_is_behind_the_way_out_does_not_wait(
    later: float, at_once: str, in_the_end: str
) -> None:
    app = Hanging(patience=60.0)
    async with app.run_test() as pilot:
        post(app, "hxxx")
        way_out = events.Key("o", "o")
        way_out.time += later
        app.post_message(way_out)
        await pilot.pause()
        assert app.done == at_once
        app.hangs.set()
        await until(pilot, lambda: len(app.done) >= len(in_the_end))
        await pilot.pause()
        assert app.done == in_the_end
        assert app.dropped == (["what was typed before o was dropped"] if at_once else [])


def _late(key: str) -> events.Key:
    event = events.Key(key, None)
    event.time += 1.0
    return event


async def test_where_something_is_selected_ctrl_c_copies_and_drops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running() as (app, _fake, pilot):
        post(app, "uAAA")
        await until(pilot, lambda: values(app)[-4:] == ["AAA", "", "", ""])
        field = app.focused
        assert isinstance(field, Input)
        field.select_all()
        copied: list[str] = []
        monkeypatch.setattr(app, "copy", lambda text, what: copied.append(text))
        post(app, "\tbbb")
        app.post_message(events.Key("shift+home", None))
        app.post_message(_late("ctrl+c"))
        await until(pilot, lambda: copied == ["bbb"])
        assert values(app)[-4:] == ["AAA", "bbb", "", ""]
        assert isinstance(app.screen, AnswerScreen)
        assert _told(app) == []


async def test_a_key_that_leaves_elsewhere_drops_nothing_here() -> None:
    async with running() as (app, _fake, pilot):
        post(app, "uAAA")
        await until(pilot, lambda: values(app)[-4:] == ["AAA", "", "", ""])
        post(app, "\tbbb\tccc")
        app.post_message(_late("ctrl+q"))
        post(app, "\tddd")
        await until(pilot, lambda: values(app)[-4:] == ["AAA", "bbb", "ccc", "ddd"])
        assert _told(app) == []


async def test_leaving_says_that_what_was_typed_before_it_is_dropped() -> None:
    async with running() as (app, _fake, pilot):
        post(app, "uAAA")
        await until(pilot, lambda: values(app)[-4:] == ["AAA", "", "", ""])
        post(app, "\tbbb")
        app.post_message(_late("ctrl+c"))
        await until(pilot, lambda: isinstance(app.screen, LeaveScreen))
        assert _told(app) == ["what was typed before ^c was dropped"]

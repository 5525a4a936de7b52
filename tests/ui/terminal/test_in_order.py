"""Keys that come all at once take effect one after the other, each where the one before led."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import events
from textual.widgets import Input

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.add import AddScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.header import Header
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, SERVER, Asked, FakeSupervisor, a_task
from tests.ui.screens.answer.answering import ask
from tests.ui.terminal.typed_at_once import Hanging, HangingScreen, post, running, values

if TYPE_CHECKING:
    pass


async def test_what_is_typed_with_tabs_between_lands_in_one_field_after_the_other() -> None:
    async with running() as (app, fake, pilot):
        post(app, "uAAA\tbbb@example.com\thttps://ccc.example\r2026-09-01\x13")
        await until(pilot, lambda: bool(fake.asked_for("answer")))
        [asked] = fake.asked_for("answer")
        assert asked.value[0]["q"].to_wire() == {
            "action": "accept",
            "content": {
                "one": "AAA",
                "two": "bbb@example.com",
                "three": "https://ccc.example",
                "four": "2026-09-01",
            },
        }


async def test_a_pasted_text_goes_where_the_key_before_it_led() -> None:
    async with running() as (app, _fake, pilot):
        post(app, "uA\t")
        app.post_message(events.Paste("pasted"))
        post(app, "B\tC")
        await until(pilot, lambda: values(app)[-4:] == ["A", "pastedB", "C", ""])


async def test_a_filter_ends_where_it_is_ended_and_the_next_key_is_a_command() -> None:
    async with running() as (app, _fake, pilot):
        post(app, "/fields\ru")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        assert app.main.filter_bar.text == "fields"
        post(app, "\x1b/\x1b")
        await until(pilot, lambda: app.screen is app.main and not app.main.filter_bar.text)


async def test_what_is_taken_away_in_a_field_is_what_was_typed_before() -> None:
    async with running() as (app, _fake, pilot):
        post(app, "/abc\x7f\x7fxy\x7f")
        await until(pilot, lambda: app.main.filter_bar.text == "ax")
        post(app, "\x15other\r" + "/\x15oth\x7fer")
        await until(pilot, lambda: app.main.filter_bar.text == "oter")


async def test_in_a_dialog_enter_and_tab_come_into_force_before_the_next_key() -> None:
    async with running() as (app, fake, pilot):
        app.main.tasks.focus()
        post(app, "a")
        await until(pilot, lambda: isinstance(app.screen, AddScreen))
        app.screen.query_one("#server", Input).value = ""
        post(app, f"{SERVER}\tnoSuchTask\r")
        await until(pilot, lambda: bool(fake.asked_for("save")))
        [asked] = fake.asked_for("save")
        assert (asked.value.server_url, asked.value.task_id) == (SERVER, "noSuchTask")


async def test_the_answer_to_a_question_that_comes_up_is_for_that_question() -> None:
    async with running() as (app, fake, pilot):
        post(app, "cn" + "jkc" + "y")
        await until(pilot, lambda: "y came before" in whole_screen(app))
        assert not fake.asked_for("cancel"), "nobody can have read what is asked"
        post(app, "y")
        await until(pilot, lambda: bool(fake.asked_for("cancel")))
        assert fake.asked_for("cancel") == [Asked("cancel", "t1")]
        assert [asked.what for asked in fake.asked] == ["start", "cancel"]
        await until(pilot, lambda: app.screen is app.main)


async def test_keys_that_stay_in_the_list_do_not_wait_for_one_another() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n:02}", label=f"job {n}") for n in range(60)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        goes_on = asyncio.Event()
        app.main.query_one(Header).call_later(goes_on.wait)  # never at rest
        await pilot.pause()
        first = app.main.tasks.model.cursor_index
        assert first is not None
        for keys in ("j" * 15, "jjk", "   "):
            post(app, keys)
            await pilot.pause()
        assert app.main.tasks.model.cursor_index == first + 19
        assert len(app.main.tasks.model.marks) == 3
        goes_on.set()
        post(app, "kjk" + "c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        assert "to cancel 3 tasks?" in whole_screen(app)


async def test_what_waits_is_taken_on_by_and_by_and_all_of_it() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n:03}", label=f"job {n}") for n in range(150)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        first = app.main.tasks.model.cursor_index
        assert first is not None
        post(app, "j" * 90 + "k" * 10 + "/" + "abc" * 200)
        await until(pilot, lambda: app.main.filter_bar.text == "abc" * 200)
        post(app, "\x1b")
        await until(pilot, lambda: app.focused is app.main.tasks)
        assert app.main.tasks.model.cursor_index == first + 80


async def test_who_types_in_a_field_is_here() -> None:
    async with running() as (app, _fake, pilot):
        await pilot.press("slash")
        typed = [events.Key("a", "a"), events.Paste("b"), events.Key("tab", None)]
        for number, event in enumerate(typed, 1):
            event.time += 1000.0 * number
            app.post_message(event)
            await pilot.pause()
            assert app._announcer.last_key == event.time


async def test_a_text_with_tabs_in_it_presses_no_button() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, label="job", requests={"q": ask(False)})
    )
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        for _ in range(9):
            post(app, "name\t\r")
            await pilot.pause()
            if isinstance(app.focused, Button) and app.focused.id == "send":
                break
        assert isinstance(app.focused, Button)
        assert fake.asked_for("answer") == []
        await pilot.press("enter")
        await until(pilot, lambda: bool(fake.asked_for("answer")))


async def test_a_handler_that_hangs_is_no_dead_keyboard() -> None:
    app = Hanging(patience=0.02)
    async with app.run_test() as pilot:
        screen = app.screen
        assert isinstance(screen, HangingScreen)
        post(app, "hxx")
        async with asyncio.timeout(30):
            while app.done != "xx":
                await asyncio.sleep(0.005)
        assert not screen.freed
        app.hangs.set()
        await until(pilot, lambda: screen.freed)

"""What a person sees of the main screen while a dialog is open, and finds when it is left."""

from __future__ import annotations

from textual.widgets._toast import Toast

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.help import HelpScreen
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task


async def test_rows_stay_where_they_are_and_go_on_saying_what_is_so() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", label="crawl", message="step 1"),
        a_task("t2", label="deploy", message="step 2", fraction=0.09),
    )
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "step 2" in whole_screen(app))
        model = app.main.tasks.model
        before = list(model.keys())
        app.push_screen(HelpScreen(keymap_of(app.main), Place.MAIN))
        await until(pilot, lambda: model.held)
        fake.put(a_task("t2", State.FAILED, label="deploy", message="no space", fraction=0.21))
        fake.put(a_task("t3", State.FAILED, label="brand new"))
        await until(pilot, lambda: model.views["t2"].state is State.FAILED)
        assert list(model.keys()) == before
        app.pop_screen()
        await until(pilot, lambda: not model.held)
        assert set(list(model.keys())[:2]) == {"t2", "t3"}, "they go to their places afterwards"

        # What a person froze stays as it was, with a dialog above it or without.
        await pilot.press("f")
        app.push_screen(HelpScreen(keymap_of(app.main), Place.MAIN))
        await until(pilot, lambda: model.held)
        fake.put(a_task("t1", label="crawl", message="step 9"))
        app.pop_screen()
        await until(pilot, lambda: not model.held)
        assert str(model.views["t1"].message) == "step 1"
        assert "frozen +1 changed" in whole_screen(app)
        await pilot.press("f")
        assert str(model.views["t1"].message) == "step 9"


async def test_the_cursor_stays_on_the_filtered_task_that_something_was_done_with() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"k{n}") for n in range(1, 5)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        tasks = app.main.tasks
        tasks.select("t1")
        await pilot.press("slash", "k", "3", "enter")
        await until(pilot, lambda: tasks.has_focus and tasks.model.cursor == "t3")
        await pilot.press("escape")
        await until(pilot, lambda: tasks.model.shown == 4)
        assert tasks.model.cursor == "t1", "it was only looked for"
        await pilot.press("slash", "k", "3", "enter")
        await until(pilot, lambda: tasks.has_focus and tasks.model.cursor == "t3")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("y")
        await until(pilot, lambda: bool(fake.asked_for("cancel")) and app.screen is app.main)
        await pilot.press("escape")
        await until(pilot, lambda: tasks.model.shown == 4)
        assert tasks.model.cursor == "t3"


async def test_a_toast_that_was_told_just_before_a_dialog_is_drawn_in_one_place() -> None:
    app = TasksApp(FakeSupervisor.of(a_task()), config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        for words in ("first words", "second words"):
            app.say(words, "error")
            app.push_screen(HelpScreen(keymap_of(app.main), Place.MAIN))
            await until(pilot, lambda: bool(app.screen.query(Toast)))
            await pilot.pause()
            await until(pilot, lambda: not app.main.query(Toast), seconds=3)
            assert whole_screen(app).count(words) == 1

            # One dialog right after the other: the screen below is on top for a moment.
            app.pop_screen()
            app.push_screen(HelpScreen(keymap_of(app.main), Place.MAIN))
            await until(pilot, lambda: bool(app.screen.query(Toast)))
            await pilot.pause()
            await until(pilot, lambda: not app.main.query(Toast), seconds=3)
            app.pop_screen()
            await until(pilot, lambda: bool(app.main.query(Toast)))

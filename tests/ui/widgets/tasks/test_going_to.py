"""Going to a task: the cursor is on it, whatever hid it, and also before its news came."""

from __future__ import annotations

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task


async def test_a_new_task_has_the_cursor_before_the_list_was_told_of_it() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"old {n}") for n in range(5)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        tasks, bar = app.main.tasks, app.main.filter_bar
        await until(pilot, lambda: len(tasks.model) == 5)
        fake.tasks["new"] = a_task("new", label="new")  # its batch is still to come
        app.go_to("new")
        assert tasks.model.cursor == "new"

        # Nothing was in its way: the filter stays, unless it hides the task.
        bar.fill("old")
        await until(pilot, lambda: len(tasks.model) == 5)
        fake.tasks["newer"] = a_task("newer", label="older still")
        app.go_to("newer")
        assert (tasks.model.cursor, bar.text) == ("newer", "old")
        fake.tasks["newest"] = a_task("newest", label="newest")
        app.go_to("newest")
        assert (tasks.model.cursor, bar.text) == ("newest", "")

        # Frozen: what is new waits with the rest, and nothing is rearranged for it in vain.
        bar.fill("old")
        await until(pilot, lambda: tasks.model.shown == 6)
        await pilot.press("f")
        await until(pilot, lambda: tasks.model.frozen)
        fake.tasks["late"] = a_task("late", label="late")
        app.go_to("late")
        assert (tasks.model.waiting, bar.text) == (1, "old")
        app.go_to("newest")
        assert (tasks.model.cursor, bar.text) == ("newest", "")


async def test_enter_opens_the_task_of_the_row_though_the_panel_is_pinned_to_another() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"job {n}") for n in range(3)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(app.main.tasks.model) == 3)
        await pilot.press("enter", "P", "escape", "end")
        panel, model = app.main.panel, app.main.tasks.model
        assert panel.view is not None
        assert (panel.view.key, model.cursor, panel.pinned) == ("t0", "t2", True)
        await pilot.press("enter")
        assert (panel.view.key, panel.pinned, panel.has_focus) == ("t2", False, True)


async def test_a_task_far_away_comes_with_what_is_around_it() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n:03}", label=f"task {n}") for n in range(200)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        tasks = app.main.tasks
        await until(pilot, lambda: len(tasks.model) == 200)
        keys = list(tasks.model.keys())
        for far in (keys[120], keys[20]):
            assert tasks.select(far)
            await pilot.pause()
            seen = list(tasks.in_sight())
            at = seen.index(far)
            assert min(at, len(seen) - 1 - at) >= 2
            # One that is in sight already moves nothing.
            assert tasks.select(seen[0])
            await pilot.pause()
            assert list(tasks.in_sight()) == seen
        assert tasks.select(keys[-1])
        await pilot.pause()
        assert list(tasks.in_sight())[-1] == keys[-1]

"""What the app tells while a question is answered leaves the buttons free."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.widgets.button import Button
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task
from tests.ui.screens.answer.answering import COUNT, ask


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_toasts_do_not_cover_the_buttons(size: tuple[int, int]) -> None:
    fake = FakeSupervisor.of(a_task("t1", State.INPUT_REQUIRED, requests={"q": ask(count=COUNT)}))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen))
        app.notify("Task t2 has failed: no such region", title="builds", markup=False)
        await until(pilot, lambda: any(toast.region for toast in app.screen.query(Toast)))
        [told] = app.screen.query(Toast)
        shown = [button for button in app.screen.query(Button) if button.region]
        assert len(shown) >= 4
        assert not any(button.region.overlaps(told.region) for button in shown)
        assert told.region.right > size[0] - 4, "on the right"


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (40, 10)])
async def test_a_toast_leaves_the_pages_of_the_wall(size: tuple[int, int]) -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}") for n in range(30)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        await pilot.press("v")
        app.main.say("one line of many words " * 9)
        await until(pilot, lambda: "one line" in whole_screen(app))
        assert f"page 1 of {app.main.wall.pages}" in whole_screen(app)


async def test_toasts_stand_where_the_screen_is_empty() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}") for n in range(3)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        app.main.say("one line")
        await until(pilot, lambda: any(toast.region for toast in app.screen.query(Toast)))
        [told] = app.screen.query(Toast)
        assert not told.region.overlaps(app.main.panel.region)
        assert told.region.y > app.main.tasks.region.y + len(fake.tasks) * 2
        await pilot.press("v")
        app.main.say("another line")
        lowest = app.main.wall
        await until(
            pilot,
            lambda: (
                [toast.region.bottom for toast in app.screen.query(Toast)]
                == [lowest.region.bottom - 1]
            ),
        )

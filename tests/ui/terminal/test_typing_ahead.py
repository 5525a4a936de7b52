"""What is typed while a field opens is text for it: none of it is a command."""

from __future__ import annotations

import pytest
from textual import events

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task

_NAMES = {"/": "slash", " ": "space"}


@pytest.mark.parametrize(("before", "field"), [((), "/dc build"), (("enter",), "task dc build")])
async def test_letters_behind_the_key_that_opens_a_field_are_in_it(
    before: tuple[str, ...], field: str
) -> None:
    fake = FakeSupervisor({"t1": a_task("t1", label="build")})
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        for _ in range(2):  # the field is made the first time
            await pilot.press(*before)
            for character in "/dc build":  # all of them before the app has handled the first
                app.post_message(events.Key(_NAMES.get(character, character), character))
            await until(pilot, lambda: field in whole_screen(app))
            await pilot.press("escape")
            await until(pilot, lambda: field not in whole_screen(app))
            await pilot.press("escape")
            await until(pilot, lambda: app.focused is app.main.tasks)
    assert [asked.what for asked in fake.asked] == ["start"], "nothing was done with the task"

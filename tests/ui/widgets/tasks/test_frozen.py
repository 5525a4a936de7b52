"""A list that a person holds still: what comes meanwhile is told, also where it shows nothing."""

from __future__ import annotations

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task


async def test_a_quote_without_an_end_is_a_mistake_only_when_the_typing_is_over() -> None:
    fake = FakeSupervisor()
    fake.put(a_task("t1", label="two words"))
    fake.put(a_task("t2", label="crawl"))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:

        async def sees(*words: str) -> None:
            await until(pilot, lambda: all(each in whole_screen(app) for each in words))

        await sees("two words", "crawl")
        await pilot.press("slash", *'"two w')
        await sees("1 of 2 tasks")
        assert "quote" not in whole_screen(app)
        await pilot.press("enter")
        await sees('at 1: the quote is not closed: "two w')
        assert app.main.filter_bar.has_focus_within  # it is to be mended
        await pilot.press("quotation_mark")
        await until(pilot, lambda: "quote is not closed" not in whole_screen(app))
        await pilot.press("enter", "j")
        await until(pilot, lambda: app.focused is app.main.tasks)
        assert "quote is not closed" not in whole_screen(app)


async def test_an_empty_list_that_is_frozen_tells_what_waits_and_which_key_shows_it() -> None:
    fake = FakeSupervisor()
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:

        async def sees(*words: str) -> None:
            await until(pilot, lambda: all(each in whole_screen(app) for each in words))

        await sees("No tasks are kept here yet")
        await pilot.press("f")
        await sees(" frozen\n")
        assert "changed" not in whole_screen(app)
        fake.put(a_task("t1", label="crawl", message="on"))
        await sees("The list is frozen: 1 new task waits.", "f   show it", "frozen +1 changed")
        fake.put(a_task("t2", label="deploy", message="on"))
        await sees("2 new tasks wait", "frozen +2 changed")

        # What the filter hides does not come with it.
        app.main.filter_bar.fill("crawl")
        await sees("The list is frozen: 1 new task waits.")
        app.main.filter_bar.fill("nothing like it")
        await sees("No task matches the filter", "see all 2")
        app.main.filter_bar.fill("crawl")
        await pilot.press("down", "f")
        await sees("● working     crawl")
        fake.put(a_task("t1", label="crawl", message="on and on"))
        await sees("on and on")
        assert ServerText("on and on") == app.main.tasks.model.views["t1"].message

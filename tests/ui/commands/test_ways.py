"""One key leads to what a person looks for: the next trouble, the next server, a text, one task."""

from __future__ import annotations

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.screens.help import HelpScreen
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task
from tests.ui.running import press, running, three_tasks

DOWN = "http://b/mcp"


async def test_one_key_leads_to_each_trouble() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", label="calm"),
        a_task("t2", label="stuck one", attention=[Reason.STUCK]),
        a_task("t3", label="over there", server="billing", server_url=DOWN),
        a_task("t4", State.COMPLETED, label="done there", server="billing", server_url=DOWN),
        servers=[a_server(), a_server(DOWN, "billing", Health.DOWN, "refused")],
    )
    app = TasksApp(
        fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={}, initial="t1"
    )
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.model.cursor == "t1")
        await pilot.press("exclamation_mark")
        assert app.main.tasks.model.cursor == "t2"
        await pilot.press("X")
        assert app.main.tasks.model.cursor == "t3"
        await pilot.press("enter", "slash", *"over", "enter")
        await until(pilot, lambda: app.main.panel.has_focus)
        await until(pilot, lambda: "found 1 of 1" in whole_screen(app).split("\n")[0])
        assert app.main.panel.find("over there") >= 1
        await pilot.press("f")
        await until(pilot, lambda: "panel frozen " in whole_screen(app).split("\n")[0])
        await pilot.press("f", "slash", "escape")
        await until(pilot, lambda: "fo" not in whole_screen(app).split("\n")[0])
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await pilot.press("i")
        drawn = whole_screen(app)
        assert drawn.index("panel.open") < drawn.index(Place.PANEL.name.lower() + ".times")
        await pilot.press("escape")
        app.main.show_alone("t4")
        await pilot.pause()
        assert app.main.wall.shown == ["t4"]
        await pilot.press("escape")
        assert app.main.tasks.has_focus


async def test_what_was_found_in_a_task_is_over_when_it_is_left() -> None:
    async with running(three_tasks()) as (app, pilot):
        for leave in ("escape", "click"):
            await press(pilot, "enter")
            await press(pilot, "slash", *"build", "enter")
            await until(pilot, lambda: "found 1 of" in whole_screen(app))
            assert app.main.panel.has_focus
            if leave == "click":
                app.main.tasks.focus()
                await pilot.pause()
                assert "found 1 of" in whole_screen(app), "it is still read, beside the list"
            await press(pilot, "escape")
            assert app.main.tasks.has_focus
            assert "found" not in whole_screen(app).split("\n")[0]

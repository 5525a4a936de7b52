"""What a start does first: the saved tasks are seen before anything competes for the processor."""

from __future__ import annotations

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task


async def test_what_waits_for_the_saved_tasks_finds_them_on_the_screen() -> None:
    seen: list[str] = []
    app = TasksApp(
        FakeSupervisor({"t1": a_task("t1", label="nightly build")}),
        config=ScreenConfig(animations=False),
        on_shown=lambda: seen.append(whole_screen(app)),
        now=lambda: NOW,
        environ={},
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(seen))
        assert not app.main.wall.is_attached, "what is not seen is not made"
    (screen,) = seen
    assert "nightly build" in screen

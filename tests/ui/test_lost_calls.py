"""Calls that left no handle: told of at the start, forgotten when a person says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Intent
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import until
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_task

if TYPE_CHECKING:
    from textual.pilot import Pilot


def _toasts(app: TasksApp) -> list[str]:
    return [notification.message for notification in app._notifications]


async def _asked(pilot: Pilot[None], app: TasksApp) -> str:
    """Press the key; return what the dialog says."""
    await pilot.press("F")
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
    return " ".join(str(line.render()) for line in app.screen.query(Line))


async def test_the_reminder_ends_when_a_person_says_so_and_not_before() -> None:
    fake = FakeSupervisor.of(a_task("t1"))
    fake.intents = [
        Intent(7, SERVER, "deploy", {}, None, NOW - 100),
        Intent(9, "http://x.test/mcp", "build", {}, None, NOW - 200),
    ]
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(_toasts(app)))
        assert _toasts(app)[0].endswith("they may have started; `F` ends this reminder")

        said = await _asked(pilot, app)
        assert "a call of deploy on builds" in said
        assert "a call of build on http://x.test/mcp" in said
        await pilot.press("enter")  # the answer is no until said else
        await until(pilot, lambda: app.screen is app.main)
        assert fake.asked_for("dismiss") == []

        fake.failures["dismiss"] = StoreError("the disk is full")
        await _asked(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: any("disk is full" in toast for toast in _toasts(app)))
        assert len(fake.intents) == 2

        fake.failures.clear()
        await _asked(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: any("forgot 2 calls" in toast for toast in _toasts(app)))
        assert fake.intents == []

        await pilot.press("F")
        await until(pilot, lambda: any("no call is lost" in toast for toast in _toasts(app)))
        assert app.screen is app.main

"""The app in a window without a terminal, and what a test presses and sees there."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.pilot import Pilot


QUESTION = {
    "method": "elicitation/create",
    "params": {"message": "Deploy?", "requestedSchema": {"type": "object", "properties": {}}},
}


@asynccontextmanager
async def running(
    fake: FakeSupervisor,
    *,
    size: tuple[int, int] = (120, 40),
    keys: dict[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[tuple[TasksApp, Pilot[None]]]:
    config = ScreenConfig(animations=False, keys=keys or {})
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={}, **options)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        # What is saved was loaded, or could not be.
        assert app.engine.loaded
        yield app, pilot


async def settle(pilot: Pilot[None]) -> None:
    """Wait until the screen and its workers have nothing left to do."""
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys; a worker that waits for a dialog is not waited for."""
    await pilot.press(*keys)
    await pilot.pause()


def text_of(app: TasksApp, selector: str) -> str:
    """Return the lines that a widget draws, as text."""
    widget = app.screen.query_one(selector)
    strips = widget.render_lines(widget.outer_size.region)
    return "\n".join(strip.text.rstrip() for strip in strips)


def sees(app: TasksApp, selector: str) -> bool:
    """Tell whether a widget of the main screen has a place in the window."""
    return app.main.query_one(selector) in app.main._compositor.visible_widgets


def toasts(app: TasksApp) -> list[str]:
    return [note.message for note in app._notifications]


def three_tasks() -> FakeSupervisor:
    return FakeSupervisor.of(
        a_task("t1", label="one", saved_at=NOW - 1),
        a_task("t2", label="two", saved_at=NOW - 2),
        a_task("t3", State.COMPLETED, label="three", saved_at=NOW - 3),
    )

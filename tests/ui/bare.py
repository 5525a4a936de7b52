"""An app with our themes and nothing else, to try one widget or screen in."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult

from mcp_tasks_tui.ui.theme import DARK, STATE_DEFAULTS, THEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot
    from textual.widget import Widget


class BareApp(App[None]):
    """Shows one widget; without one, an empty screen."""

    def __init__(self, widget: Widget | None = None) -> None:
        super().__init__()
        self._widget = widget
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return STATE_DEFAULTS

    def compose(self) -> ComposeResult:
        if self._widget is not None:
            yield self._widget


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 10.0) -> None:
    """Let the app run until `true`; fail if it never is."""
    stop = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < stop, "it never happened"
        await pilot.pause(0.01)


class LagMeter:
    """How long the event loop kept others waiting at worst, in seconds."""

    def __init__(self) -> None:
        self.worst = 0.0

    async def __aenter__(self) -> LagMeter:
        self._task = asyncio.create_task(self._sample())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _sample(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.002)
            self.worst = max(self.worst, time.perf_counter() - before - 0.002)

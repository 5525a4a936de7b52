"""An app with our themes and nothing else, to try one widget or screen in."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult

from mcp_tasks_tui.ui.looks.theme import DARK, THEMES, variables_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot
    from textual.widget import Widget

    from mcp_tasks_tui.ui.commands.keymap import Keymap


class BareApp(App[None]):
    """Shows one widget; without one, an empty screen."""

    def __init__(self, widget: Widget | None = None) -> None:
        super().__init__()
        self._widget = widget
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables_for(self.current_theme)

    def compose(self) -> ComposeResult:
        if self._widget is not None:
            yield self._widget


class KeyedApp(BareApp):
    """Has a keymap of its own, as the real app has."""

    def __init__(self, widget: Widget | None, keymap: Keymap) -> None:
        super().__init__(widget)
        self.keymap = keymap


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Let the app run until `true`, which may be up to a timer, a thread or a socket; fail if it
    never is."""
    stop = time.monotonic() + seconds
    await pilot.pause()
    while not true():
        assert time.monotonic() < stop, "it never happened"
        await pilot.pause(0.01)
        await pilot.pause()


class LagMeter:
    """How long the event loop kept others waiting at worst, in seconds.

    `worst` is by the clock, `cpu` by the processor time of this thread: other programs on a busy
    machine count in the first alone. `collector` is the longest garbage collection, part of both.
    """

    def __init__(self) -> None:
        self.worst = 0.0
        self.cpu = 0.0
        self.collector = 0.0
        self._collecting = 0.0

    async def __aenter__(self) -> LagMeter:
        self._task = asyncio.create_task(self._sample())
        gc.callbacks.append(self._collected)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        gc.callbacks.remove(self._collected)

    def _collected(self, phase: str, _: object) -> None:
        now = time.thread_time()
        if phase == "stop":
            self.collector = max(self.collector, now - self._collecting)
        self._collecting = now

    async def _sample(self) -> None:
        while True:
            before, spent = time.perf_counter(), time.thread_time()
            await asyncio.sleep(0.002)
            self.worst = max(self.worst, time.perf_counter() - before - 0.002)
            self.cpu = max(self.cpu, time.thread_time() - spent)


def whole_screen(app: App[None]) -> str:
    """Return what the window shows, line by line, without the blanks at the ends."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)

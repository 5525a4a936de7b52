"""Keys that come all at once, and apps that they come to."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Input

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.terminal.in_order import InOrder
from tests.ui.bare import BareApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task
from tests.ui.screens.answer.answering import ask

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.app import App
    from textual.binding import BindingType
    from textual.events import Event
    from textual.pilot import Pilot

_NAMES = {
    "/": "slash",
    " ": "space",
    "\t": "tab",
    "\r": "enter",
    "\x13": "ctrl+s",
    "\x15": "ctrl+u",
    "\x7f": "backspace",
    "\x1b": "escape",
}
_QUESTION = ask(False, **{name: {"type": "string"} for name in ("one", "two", "three", "four")})


def post(app: App[None], keys: str) -> None:
    """Post all of `keys` before the app has handled the first, as a slow link delivers them."""
    for key in keys:
        app.post_message(events.Key(_NAMES.get(key, key), key))


@asynccontextmanager
async def running() -> AsyncIterator[tuple[TasksApp, FakeSupervisor, Pilot[None]]]:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, label="fields", requests={"q": _QUESTION}),
        a_task("t2", label="other"),
        servers=[a_server(name="builds")],
    )
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        app.go_to("t1")
        await pilot.pause()
        yield app, fake, pilot


def values(app: App[None]) -> list[str]:
    return [line.value for line in app.screen.query(Input)]


class Hanging(BareApp):
    """Its screen hangs on the key ``h``; the app itself has bindings for ``x``, and for ``o``, a
    way out. `done` are these, as they come, `mouse` is what comes of the mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "note('x')", priority=True),
        Binding("o", "note('o')", priority=True),
    ]

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.done = ""
        self.dropped: list[str] = []
        self.mouse: list[Event] = []
        self.hangs = asyncio.Event()
        self.in_order = InOrder(
            self, patience, leaves=lambda key: key.key == "o", dropped=self.dropped.append
        )

    async def on_event(self, event: Event) -> None:
        if not self.in_order.holds_back(event):
            if isinstance(event, events.MouseEvent) and not event.is_forwarded:
                self.mouse.append(event)
            await super().on_event(event)

    def get_default_screen(self) -> Screen[None]:
        return HangingScreen()

    def action_note(self, key: str) -> None:
        self.done += key


class HangingScreen(Screen[None]):
    freed = False

    async def key_h(self) -> None:
        assert isinstance(self.app, Hanging)
        async with asyncio.timeout(30):
            await self.app.hangs.wait()
        self.freed = True

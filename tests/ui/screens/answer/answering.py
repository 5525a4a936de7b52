"""An app with nothing but the answering screen on it, and questions to ask."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested
from tests.ui.bare import BareApp, until
from tests.ui.fakes import FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.pilot import Pilot

    from mcp_tasks_tui.ui.screens.answer.state import AnswerOutcome

KEY = "k7"


def form(schema: Any, message: str = "How many?") -> dict[str, Any]:
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }


def ask(required: bool = True, **properties: Any) -> dict[str, Any]:
    """A form request with these properties, all required or none."""
    needed = list(properties) if required else []
    return form({"type": "object", "properties": properties, "required": needed})


def page(url: str) -> dict[str, Any]:
    return {
        "method": "elicitation/create",
        "params": {"mode": "url", "message": "Sign in, please", "url": url},
    }


SAMPLING = {"method": "sampling/createMessage", "params": {"maxTokens": 5}}
COUNT = {"type": "integer", "minimum": 1, "maximum": 10}


def waiting(requests: Mapping[str, Any], **more: Any) -> Any:
    more.setdefault("state", State.INPUT_REQUIRED)
    return a_task(KEY, requests=requests, label="nightly", tool="region_build", **more)


@dataclass
class Browser:
    """Stands for the browser: what it was asked to open, and whether it can."""

    works: bool = True
    opened: list[str] = field(default_factory=list)
    #: What it waits for before it is there.
    gate: asyncio.Event | None = None

    async def __call__(self, url: str) -> bool:
        self.opened.append(url)
        if self.gate is not None:
            await self.gate.wait()
        return self.works


class AnswerApp(BareApp):
    """Opens the screen at once; `outcomes` are what it gave when it was left."""

    def __init__(
        self,
        requests: Mapping[str, Any],
        *,
        drafts: Drafts | None = None,
        browser: Browser | None = None,
        read_only: bool = False,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.keymap = read_keymap(keys or {}, COMMANDS)
        self.supervisor = FakeSupervisor.of(waiting(requests))
        self.drafts = drafts or Drafts()
        self.browser = browser or Browser()
        self.read_only = read_only
        self.outcomes: list[AnswerOutcome | None] = []
        self.cancel_wanted: list[str] = []
        self.copied: list[str] = []

    def on_mount(self) -> None:
        self.open_answer()

    def open_answer(self) -> None:
        screen = AnswerScreen(
            self.supervisor,
            KEY,
            self.drafts,
            opener=self.browser,
            read_only=self.read_only,
        )
        self.push_screen(screen, self.outcomes.append)

    def on_answer_screen_cancel_task_wanted(self, event: AnswerScreen.CancelTaskWanted) -> None:
        self.cancel_wanted.append(event.key)

    def on_copy_requested(self, event: CopyRequested) -> None:
        self.copied.append(event.text)

    # --- what tests look at --------------------------------------------------------------
    @property
    def answer(self) -> AnswerScreen:
        assert isinstance(self.screen, AnswerScreen)
        return self.screen

    def sent(self) -> list[dict[str, Any]]:
        """Every update that was sent, as it would be on the wire."""
        return [
            {key: response.to_wire() for key, response in asked.value[0].items()}
            for asked in self.supervisor.asked_for("answer")
        ]

    def text(self) -> str:
        """Everything on the screen, as text."""
        width, height = self.size
        lines = self.screen._compositor.render_strips()
        assert len(lines) == height
        assert all(strip.cell_length == width for strip in lines)
        return "\n".join(strip.text for strip in lines)


async def settled(pilot: Pilot[None]) -> None:
    """Wait until the workers are done and the screen is drawn."""
    await until(pilot, lambda: all(each.is_finished for each in pilot.app.workers))
    await pilot.pause()


async def type_text(pilot: Pilot[None], text: str) -> None:
    names = {" ": "space", "\n": "enter"}
    await pilot.press(*(names.get(char, char) for char in text))
    await pilot.pause()

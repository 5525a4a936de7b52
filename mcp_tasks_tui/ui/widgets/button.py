"""A button whose words come from our own source: the only user of Textual's ``Button``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from textual.widgets import Button as TextualButton

from mcp_tasks_tui.ui.looks.text import content

if TYPE_CHECKING:
    from textual import events


class Button(TextualButton):
    """Pressed by who could see that it has the keyboard: a key that was typed before that, as in a
    text that comes as keys with a tab in it, presses nothing."""

    DEFAULT_CSS = """
    Button { min-width: 0; width: auto; height: 1; margin: 0 1 0 0; }
    Button.-style-default {
        background: $foreground 10%;
        &.-primary { background: $primary; }
        &.-error { background: $error; }
        &:ansi, &:ansi.-primary, &:ansi.-error { background: ansi_default; }
        &:focus { text-style: bold reverse; }
    }
    """

    def __init__(
        self,
        label: str,
        *,
        variant: Literal["default", "primary", "success", "warning", "error"] = "default",
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(content(label), variant=variant, id=id, compact=True)
        self._has_keyboard_since = 0.0

    def on_focus(self) -> None:
        self._has_keyboard_since = time.monotonic()

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and event.time < self._has_keyboard_since:
            event.stop()

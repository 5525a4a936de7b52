"""The three answers that the protocol knows, and closing, which is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message

from mcp_tasks_tui.ui.commands.keymap import with_key
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.button import Button

if TYPE_CHECKING:
    from textual.app import ComposeResult


class AnswerButtons(Horizontal):
    """`allows` tells what can be done now; the keys ask the same question."""

    @dataclass
    class Wanted(Message):
        """One of the names of `allows`, or ``close``."""

        what: str

    def __init__(self) -> None:
        super().__init__(id="buttons")
        self._allowed: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        yield Button(self._label("Send", "send"), id="send", variant="primary")
        yield Button(self._label("Decline", "decline"), id="decline")
        yield Button(self._label("Dismiss", "dismiss"), id="dismiss")
        yield Button("", id="together", variant="primary")
        yield Button(self._label("Close", "close"), id="close")

    def _label(self, words: str, what: str) -> str:
        """Return the words on a button and the key that does the same."""
        return with_key(self, words, f"answer.{what}")

    def allows(self, what: str) -> bool:
        return what in self._allowed

    def show(self, *, send: bool, refuse: bool, again: bool, together: int) -> None:
        """`send` and `refuse`: what the current question takes; `together`: how many are ready."""
        allowed = {
            "send": send,
            "decline": refuse,
            "dismiss": refuse,
            "together": together > 1,
        }
        self._allowed = frozenset(what for what, is_allowed in allowed.items() if is_allowed)
        for what in ("send", "decline", "dismiss"):
            self.query_one(f"#{what}", Button).disabled = what not in self._allowed
        self.query_one("#send", Button).label = self._label(
            "Send again" if again else "Send", "send"
        )
        button = self.query_one("#together", Button)
        button.display = together > 1
        button.label = content(self._label(f"Send {together}", "together"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(self.Wanted(event.button.id or ""))

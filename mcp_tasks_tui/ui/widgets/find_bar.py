"""A line to find text in the task panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from textual import events


class FindBar(Horizontal):
    DEFAULT_CSS = """
    FindBar { height: 1; display: none; background: $surface; }
    FindBar.-open { display: block; }
    FindBar > #find-sign { width: auto; padding: 0 1; color: $accent; }
    FindBar > Input { width: 1fr; border: none; height: 1; padding: 0; background: $surface; }
    """

    class Changed(Message):
        """Another text is to be found, empty for none."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class Done(Message):
        """The typing is over."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._line = Input(id="find-text", compact=True)
        self._line.cursor_blink = False

    def open(self) -> None:
        if not self._line.is_attached:
            self.mount(Line(content("find in the task"), id="find-sign"), self._line)
        self.add_class("-open")
        self._line.value = ""
        self.screen.set_focus(self._line)  # at once: what is typed next is for it

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            self.post_message(self.Changed(""))
            self._close()

    def _close(self) -> None:
        self.remove_class("-open")
        self.post_message(self.Done())

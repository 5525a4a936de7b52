"""Typing text into a field: on one line, or on several once there are several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import TextArea

from mcp_tasks_tui.ui.widgets.text_line import TextLine

if TYPE_CHECKING:
    from textual import events

_LEAST_LINES, _MOST_LINES = 3, 10


class LineField(TextLine):
    """One line of text. Pasted lines are not cut off: the field asks to become a larger one."""

    @dataclass
    class Grown(Message):
        """Several lines were put in; `text` is the whole text with them."""

        field: LineField
        text: str

        @property
        def control(self) -> LineField:
            return self.field

    def __init__(self, text: str, *, filled_in: str, secret: bool, blink: bool) -> None:
        super().__init__(text, filled_in=filled_in, password=secret, blink=blink)
        self.secret = secret

    def on_paste(self, event: events.Paste) -> None:
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        if "\n" not in text.rstrip("\n"):
            return
        event.prevent_default()
        event.stop()
        start, end = sorted(self.selection)
        whole = self.value[:start] + text + self.value[end:]
        if self.secret:
            self.value = whole
        else:
            self.post_message(self.Grown(self, whole))


class AreaField(TextArea):
    """Several lines of text; grows with them."""

    def __init__(self, text: str, *, blink: bool) -> None:
        super().__init__(
            text,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=False,
            compact=True,
        )
        self.cursor_blink = blink

    @property
    def cursor_row(self) -> int:
        """The line that the cursor is at, of those that are in view."""
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        return max(0, row - round(self.scroll_y))

    def on_mount(self) -> None:
        self._fit()

    def on_text_area_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        lines = max(_LEAST_LINES, min(_MOST_LINES, self.document.line_count))
        if self.styles.height is None or self.styles.height.value != lines:
            self.styles.height = lines

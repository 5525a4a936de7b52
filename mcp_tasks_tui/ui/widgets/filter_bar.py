"""The filter as it is typed: how many tasks match, or where the mistake is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from mcp_tasks_tui.supervise.filter import Filter, FilterError, parse_filter
from mcp_tasks_tui.supervise.words import counted
from mcp_tasks_tui.ui.text import cell, content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from textual import events

_HINT = "words  state:  server:  tool:  tag:  is:stuck  is:waiting  -not"


class FilterBar(Horizontal):
    DEFAULT_CSS = """
    FilterBar { height: 1; display: none; background: $surface; }
    FilterBar.-open { display: block; }
    FilterBar > #filter-sign { width: 2; padding: 0 0 0 1; color: $accent; }
    FilterBar > Input { width: 1fr; border: none; height: 1; padding: 0; background: $surface; }
    FilterBar > #filter-says { width: 1fr; height: 1; padding: 0 1; }
    FilterBar > #filter-says { text-align: right; color: $quiet; }
    FilterBar > #filter-says { text-wrap: nowrap; text-overflow: ellipsis; }
    FilterBar.-wrong > #filter-says { width: 2fr; }
    FilterBar.-wrong > #filter-says { color: $state-failed; }
    """

    class Changed(Message):
        """Another filter holds; None only when the text is empty."""

        def __init__(self, chosen: Filter) -> None:
            self.chosen = chosen
            super().__init__()

    class Done(Message):
        """The typing is over: back to the list."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._line = Input(placeholder=_HINT, id="filter-text", compact=True)
        self._line.cursor_blink = False
        self._says = Line(id="filter-says")

    @property
    def text(self) -> str:
        return self._line.value

    def open(self) -> None:
        self._show()
        self.screen.set_focus(self._line)  # at once: what is typed next is for it

    def clear(self) -> None:
        """Empty and hide."""
        self._line.value = ""
        self.remove_class("-open", "-wrong")

    def fill(self, text: str) -> None:
        """Set the text, as if it was typed."""
        self._show()
        with self._line.prevent(Input.Changed):
            self._line.value = text
        self._typed(text)

    def say_matches(self, shown: int, total: int) -> None:
        if self._line.is_attached and not self.has_class("-wrong"):
            says = f"{shown} of {counted(total, 'task')}" if self.text.strip() else ""
            self._says.show(content(says))

    def _show(self) -> None:
        if not self._line.is_attached:  # most starts never need it, and an input costs some
            self.mount(Line(content("/"), id="filter-sign"), self._line, self._says)
        self.add_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._typed(event.value)

    def _typed(self, text: str) -> None:
        try:
            chosen = parse_filter(text)
        except FilterError as error:
            self.add_class("-wrong")
            where = f"at {error.position + 1}: {error}"
            says = cell(where, max(20, self.size.width * 2 // 3 - 4))
            self._says.show(content(says))
            return
        self.remove_class("-wrong")
        self.post_message(self.Changed(chosen))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Done())

    def on_key(self, event: events.Key) -> None:
        if event.key in ("escape", "down"):
            event.stop()
            if event.key == "escape":
                self.clear()
            self.post_message(self.Done())

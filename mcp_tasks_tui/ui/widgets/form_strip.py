"""The questions of a task on one line, each with its sign; the current one stands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.ui.keymap import keymap_of
from mcp_tasks_tui.ui.text import content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class QuestionStrip(Widget):
    """``1 ✓  2 ?  3 …``: one segment for each question, centred on the current one."""

    @dataclass
    class Chosen(Message):
        """The place of the question that was clicked."""

        place: int

    def __init__(self) -> None:
        super().__init__(id="strip")
        self._signs: Sequence[str] = ()
        self._current = 0

    def show(self, signs: Sequence[str], current: int) -> None:
        if (list(signs), current) != (list(self._signs), self._current):
            self._signs, self._current = tuple(signs), current
            self.refresh()

    def render(self) -> Content:
        first, segments = self._segments()
        parts = [content(f"Question {self._current + 1} of {len(self._signs)} ", "bold")]
        for place, segment in enumerate(segments, first):
            parts.append(content(segment, "reverse" if place == self._current else ""))
        if key := keymap_of(self).label("answer.next"):
            parts.append(content(f"  {key} next", "dim"))
        return Content("").join(parts)

    def on_click(self, event: events.Click) -> None:
        left = len(f"Question {self._current + 1} of {len(self._signs)} ")
        first, segments = self._segments()
        for place, segment in enumerate(segments, first):
            if left <= event.x < left + len(segment):
                self.post_message(self.Chosen(place))
                return
            left += len(segment)

    def _segments(self) -> tuple[int, list[str]]:
        """Return the place of the first segment that fits, and the segments."""
        room = max(1, (self.size.width - 32) // 6)
        first = max(0, min(self._current - room // 2, len(self._signs) - room))
        shown = self._signs[first : first + room]
        return first, [f" {place} {sign} " for place, sign in enumerate(shown, first + 1)]

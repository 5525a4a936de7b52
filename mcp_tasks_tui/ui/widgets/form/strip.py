"""The questions of a task on one line, each with its sign; the current one stands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.looks.text import content

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events


class QuestionStrip(Widget):
    """``1 ✓  2 ?  3 …``: one segment for each question, centred on the current one.

    Of very many only those are asked for that are shown.
    """

    @dataclass
    class Chosen(Message):
        """The place of the question that was clicked."""

        place: int

    def __init__(self) -> None:
        super().__init__(id="strip")
        self._sign: Callable[[int], str] = lambda _place: ""
        self._total = 0
        self._current = 0
        self._drawn: object = None

    def show(self, sign: Callable[[int], str], total: int, current: int) -> None:
        """`sign` gives that of the question at a place below `total`."""
        self._sign, self._total, self._current = sign, total, current
        if self._drawn != (self._head(), self._segments()):
            self.refresh()

    def render(self) -> Content:
        head = self._head()
        first, segments = self._segments()
        self._drawn = head, (first, segments)
        parts = [content(head, "bold")]
        for place, segment in enumerate(segments, first):
            parts.append(content(segment, "reverse" if place == self._current else ""))
        parts.append(content(self._ways(), "dim"))
        return Content("").join(parts)

    def on_click(self, event: events.Click) -> None:
        left = len(self._head())
        first, segments = self._segments()
        for place, segment in enumerate(segments, first):
            if left <= event.x < left + len(segment):
                self.post_message(self.Chosen(place))
                return
            left += len(segment)

    def _head(self) -> str:
        return f"Question {self._current + 1:,} of {self._total:,} "

    def _ways(self) -> str:
        """Return the keys that lead to other questions; a way to any where not all are in view."""
        label = keymap_of(self).label
        ways = [(label("answer.next"), "next")]
        if self._room() < self._total:
            ways.append((label("answer.jump"), "any"))
        return "".join(f"  {key} {word}" for key, word in ways if key)

    def _room(self) -> int:
        """Return how many segments fit."""
        taken = len(self._head()) + len("  ^g next  ^o any")
        return max(1, (self.size.width - taken) // len(f" {self._total} ? "))

    def _segments(self) -> tuple[int, list[str]]:
        """Return the place of the first segment that fits, and the segments."""
        room = self._room()
        first = max(0, min(self._current - room // 2, self._total - room))
        shown = range(first, min(self._total, first + room))
        return first, [f" {place + 1} {self._sign(place)} " for place in shown]

"""A line or two that do not scroll, with words that can be clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, width_of
from mcp_tasks_tui.ui.widgets.lines.view import Lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

#: Cells of a sign that there are more tabs; how a tab looks that is shown, or not.
_SIGN = 2
_TONES = {True: Tone.CURRENT, False: Tone.MUTED}


@record
class Word:
    """Something to click: what the command `command_id` does; `number`: for which of several."""

    line: Line
    command_id: str = ""
    number: int = 0


class Bar(Lines, can_focus=False):
    DEFAULT_CSS = """
    Bar { overflow: hidden; scrollbar-gutter: auto; }
    """

    class Chosen(Message):
        """A word was clicked."""

        def __init__(self, command_id: str, number: int) -> None:
            self.command_id = command_id
            self.number = number
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: Sequence[Sequence[Word]] = ()

    def show(self, *rows: Sequence[Word]) -> None:
        """Show one line for each row of words, side by side as they are."""
        self._rows = rows
        self.set_lines([tuple(each for word in row for each in word.line) for row in rows])

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is None or at.y >= len(self._rows):
            return
        x = 0
        for word in self._rows[at.y]:
            if word.command_id and x <= at.x < x + width_of(word.line):
                self.post_message(self.Chosen(word.command_id, word.number))
            x += width_of(word.line)


def tab_bar(titles: Sequence[str], shown: int, width: int, command_id: str) -> list[Word]:
    """Return as many titles of tabs as fit, with their numbers: what is `shown` is among them.

    Signs at the ends tell that there are more; they lead to the next one that is not in view.
    """
    names = [f" {number} {title} " for number, title in enumerate(titles, 1)]
    first = 0
    while first < shown and _room(names[first : shown + 1]) + _SIGN * 2 > width:
        first += 1
    room = width - (_SIGN if first else 0)
    last = len(names)
    while last > shown + 1 and _room(names[first:last]) + _SIGN * (last < len(names)) > room:
        last -= 1
    before = [Word((Piece("‹ ", Tone.MUTED),), command_id, first - 1)] if first else []
    after = [Word((Piece(" ›", Tone.MUTED),), command_id, last)] if last < len(names) else []
    row = [
        Word((Piece(names[number], _TONES[number == shown]),), command_id, number)
        for number in range(first, last)
    ]
    return [*before, *row, *after]


def _room(names: Sequence[str]) -> int:
    return sum(map(len, names))


def key_words(keys: Sequence[tuple[str, str, str]], room: int) -> list[Word]:
    """Return as many of `keys` (command id, key, word) as have room; the first and last stay
    longest."""
    kept = list(keys)
    while kept and sum(len(key) + len(word) + 3 for _, key, word in kept) > room:
        kept.pop(-2 if len(kept) > 1 else 0)
    return [
        Word((Piece(f"  {key}", Tone.KEY), Piece(f" {word}")), command_id)
        for command_id, key, word in kept
    ]

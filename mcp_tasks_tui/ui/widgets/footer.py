"""The last line: the keys that matter now, as many as fit; a click does what the key does.

Keys of the task are on the left, keys of the program on the right. How many of these there are is
told by the window alone: they stay where they are whatever task is under the cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.ui.looks.text import beside, content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.content import Content

    from mcp_tasks_tui.ui.commands.footer_keys import FooterKey
    from mcp_tasks_tui.ui.commands.keymap import Keymap

#: Keys of the program that are never left out; those that a person looks for; all others are
#: nice to have.
_WAYS_OUT, _LOOKED_FOR = 2, 7
#: Cells that these leave to the keys of the task: three, and about seven of them.
_FOR_THREE, _FOR_SEVEN = 32, 76


class _Key(NamedTuple):
    command_id: str
    key: str
    word: str
    rank: int
    program: bool

    @property
    def width(self) -> int:
        return cell_len(self.key) + cell_len(self.word) + 3


class Footer(Widget):
    DEFAULT_CSS = """
    Footer { height: 1; background: $bar; color: $foreground; }
    """

    class Chosen(Message):
        """A key was clicked."""

        def __init__(self, command_id: str) -> None:
            self.command_id = command_id
            super().__init__()

    def __init__(self, keymap: Keymap, *, plain: bool) -> None:
        super().__init__(id="footer")
        self._keymap = keymap
        self._plain = plain
        self._keys: tuple[_Key, ...] = ()
        self._about = ""

    def show(self, keys: Sequence[FooterKey], about: str = "") -> None:
        """Show these, left to right; those without a key are left out.

        `about` says before the keys of tasks which they are for, empty where that is the one under
        the cursor.
        """
        shown = tuple(
            _Key(command.id, key, command.short or command.title.lower(), rank, program)
            for command, rank, program in keys
            if (key := self._keymap.label(command.id, plain=self._plain))
        )
        if shown != self._keys or about != self._about:
            self._keys, self._about = shown, about
            self.refresh()

    def line(self, width: int) -> str:
        """Return what is said in a window of `width` cells."""
        return self._content(width).plain

    def _placed(self, width: int) -> Iterator[tuple[int, _Key]]:
        """Return what there is room for, each with its first cell, left to right."""
        program = _fitting_program(self._keys, width)
        right = width - sum(key.width for key in program)
        x = cell_len(self._about)
        for key in self._keys:
            if not key.program and x + key.width <= right:
                yield x, key
            x += 0 if key.program else key.width
        x = max(0, right)
        for key in program:
            yield x, key
            x += key.width

    def render(self) -> Content:
        return self._content(self.size.width)

    def _content(self, width: int) -> Content:
        parts = [content(self._about, "$accent bold")]
        end = cell_len(self._about)
        for x, key in self._placed(width):
            blanks = content(" " * (x - end))
            parts += [blanks, content(f" {key.key}", "$accent bold"), content(f" {key.word} ")]
            end = x + key.width
        return beside(*parts)

    def on_click(self, event: events.Click) -> None:
        for x, key in self._placed(self.size.width):
            if x <= event.x < x + key.width:
                self.post_message(self.Chosen(key.command_id))


def _fitting_program(keys: Sequence[_Key], width: int) -> list[_Key]:
    """Return the keys of the program for a window of `width` cells, left to right."""
    kept: list[_Key] = []
    used = 0
    alone = all(key.program for key in keys)
    for key in sorted((key for key in keys if key.program), key=lambda key: key.rank):
        used += key.width
        left = _FOR_THREE if key.rank < _LOOKED_FOR else _FOR_SEVEN
        if key.rank >= _WAYS_OUT and used > width - (0 if alone else left):
            break
        kept.append(key)
    return [key for key in keys if key in kept]

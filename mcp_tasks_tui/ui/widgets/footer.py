"""The last line: the keys that matter now, as many as fit; a click does what the key does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.ui.text import beside, content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.content import Content

    from mcp_tasks_tui.ui.command import Command
    from mcp_tasks_tui.ui.keymap import Keymap


class _Key(NamedTuple):
    command_id: str
    key: str
    word: str

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

    def show(self, commands: Sequence[Command]) -> None:
        """Show these, most important first; those without a key are left out."""
        keys = tuple(
            _Key(command.id, key, command.short or command.title.lower())
            for command in commands
            if (key := self._keymap.label(command.id, plain=self._plain))
        )
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _fitting(self) -> list[_Key]:
        """As many as fit; help and quit stay to the last, they are the way out."""
        kept = list(self._keys)
        while len(kept) > 1 and sum(key.width for key in kept) > self.size.width:
            kept.pop(-3 if len(kept) > 2 else -1)
        return kept

    def render(self) -> Content:
        return beside(
            *(
                beside(content(f" {key.key}", "$accent bold"), content(f" {key.word} ", ""))
                for key in self._fitting()
            )
        )

    def on_click(self, event: events.Click) -> None:
        x = 0
        for key in self._fitting():
            if x <= event.x < x + key.width:
                self.post_message(self.Chosen(key.command_id))
                return
            x += key.width

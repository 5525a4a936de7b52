"""All keys: those of what has the focus first, then the whole vocabulary."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from mcp_tasks_tui.ui.command import Section, place_of
from mcp_tasks_tui.ui.screens.dialog import Dialog
from mcp_tasks_tui.ui.text import beside, content, lines, pad
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.binding import BindingType
    from textual.content import Content
    from textual.widget import Widget

    from mcp_tasks_tui.ui.command import Command, Place
    from mcp_tasks_tui.ui.keymap import Keymap

_NOTES = (
    "Everything works without a mouse. To select text with it, hold Shift (on a Mac Option) and",
    "drag, or switch the mouse off. Marked tasks are acted on together. Quitting sends nothing.",
    'Keys are set in the settings file: [keys] task.cancel = "x"  (a list for several, "" for',
    "none); the names of the commands are on the right.",
)


_WIDEST = 110
#: Rows under which headings have no line of their own above them.
_SHORT = 24
_KEYS = 12


class HelpScreen(Dialog[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        ("question_mark", "leave", "Close"),
        ("q", "leave", "Close"),
        ("down,j", "scroll_by(1)", "Down"),
        ("up,k", "scroll_by(-1)", "Up"),
        ("pagedown,space", "scroll_by(12)", "Page down"),
        ("pageup", "scroll_by(-12)", "Page up"),
    ]
    DEFAULT_CSS = """
    HelpScreen > .dialog-box { width: 110; }
    HelpScreen .help-heading { margin: 1 0 0 0; }
    HelpScreen .dialog-title { margin: 0; color: $quiet; }
    HelpScreen.-short .help-heading { margin: 0; }
    """

    def __init__(self, keymap: Keymap, here: Place, *, plain: bool = False) -> None:
        """`here` is where the keyboard is: its keys come first."""
        super().__init__("Keys (esc closes)")
        self._keymap = keymap
        self._here = here
        self._plain = plain
        self._names = 2 + max(len(command_id) for command_id in keymap.commands)
        #: The lines of each section, to be broken anew for another width.
        self._sections: list[tuple[Line, list[Command]]] = []

    def body(self) -> Iterable[Widget]:
        for section in sorted(Section, key=lambda each: place_of(each) is not self._here):
            commands = [
                command for command in self._keymap.commands.values() if command.section is section
            ]
            if commands:
                yield Line(content(section.value, "bold $primary"), classes="help-heading")
                shown = Line(self._rows(commands, self.app.size.width))
                self._sections.append((shown, commands))
                yield shown
        yield Line(content("Good to know", "bold $primary"), classes="help-heading")
        yield Line(lines(*(content(note, "$quiet") for note in _NOTES)))

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _SHORT, "-short")
        for shown, commands in self._sections:
            shown.show(self._rows(commands, event.size.width))

    def _rows(self, commands: Iterable[Command], width: int) -> Content:
        return lines(*(self._row(command, width) for command in commands))

    def _row(self, command: Command, width: int) -> Content:
        """Keys, what it does in as many lines as it takes, and its name in the settings."""
        words_width = min(_WIDEST, width) - 8 - _KEYS - self._names
        key = self._keymap.labels(command.id, plain=self._plain) or "-"
        words = wrap(f"{command.title}: {command.help}", max(20, words_width))
        first = beside(
            content(pad(key, _KEYS), "$accent bold"),
            content(pad(words[0], max(20, words_width))),
            content(f" {command.id}", "$quiet"),
        )
        rest = (content(" " * _KEYS + more) for more in words[1:])
        return lines(first, *rest)

    def action_scroll_by(self, rows: int) -> None:
        self.query_one(".dialog-body").scroll_relative(y=rows, animate=False)

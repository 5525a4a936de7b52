"""Keys: those that hold where the keyboard is first; on demand all, and their names."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len

from mcp_tasks_tui.ui.commands.about_list import holds_at
from mcp_tasks_tui.ui.commands.model import Place, Section, place_of
from mcp_tasks_tui.ui.looks.text import beside, content, lines, pad
from mcp_tasks_tui.ui.screens.dialog import Dialog
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.content import Content
    from textual.widget import Widget

    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.commands.model import Command

_NOTES = (
    "Everything works without a mouse. To select text with it, hold Shift (on a Mac Option) and "
    "drag, or switch the mouse off. Marked tasks are acted on together. Quitting sends nothing.",
    "In a journal ‹ is what the server said, › what you asked for, · what was noticed here.",
    'Keys are set in the settings file: [keys] task.cancel = "x" (a list for several, "" for '
    "none).",
)
_NOTES_HEADING = "Good to know"
#: Places on the main screen, where all of its other keys hold, too.
_ON_MAIN = frozenset({Place.MAIN, Place.PANEL, Place.WALL})
#: Cells of the widest box, of what is around the lines in it, of one column at least, and between.
_WIDEST, _AROUND, _COLUMN, _BETWEEN = 150, 8, 50, 4
#: Cells that what a command is about has at least; else it stands on lines of its own.
_GLOSS = 14


class HelpScreen(Dialog[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        ("question_mark", "leave", "Close"),
        ("q", "leave", "Close"),
        ("i", "names", "Names"),
        ("a", "all", "All keys"),
        ("down,j", "scroll_by(1)", "Down"),
        ("up,k", "scroll_by(-1)", "Up"),
        ("pagedown,space", "scroll_by(12)", "Page down"),
        ("pageup", "scroll_by(-12)", "Page up"),
    ]
    DEFAULT_CSS = """
    HelpScreen > .dialog-box { width: 150; }
    """

    def __init__(self, keymap: Keymap, here: Place, *, plain: bool = False) -> None:
        """`here` is where the keyboard is: its keys come first."""
        super().__init__("Keys: a all, i names for the settings, esc closes")
        self._keymap = keymap
        self._keys_here = keymap.at(here)
        self._here = here
        self._plain = plain
        self._named = self._every = False
        self._lines = Line()

    def body(self) -> Iterable[Widget]:
        self._show(self.app.size.width)
        yield self._lines

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._show(event.size.width)

    def _show(self, width: int) -> None:
        room = max(20, min(_WIDEST, width) - _AROUND)
        columns = 2 if room >= 2 * _COLUMN + _BETWEEN else 1
        cells = (room - _BETWEEN * (columns - 1)) // columns
        blocks = [self._block(section, cells) for section in self._sections()]
        blocks.append([_heading(_NOTES_HEADING), *_notes(cells)])
        self._lines.show(lines(*(_in_columns(blocks, cells) if columns > 1 else _below(blocks))))

    def _sections(self) -> list[Section]:
        """Return the headings: of where the keyboard is, of what holds there too, of the rest."""
        here = [section for section in Section if place_of(section) is self._here]
        too = [
            section
            for section in Section
            if section not in here
            and (self._every or (place_of(section) is Place.MAIN and self._here in _ON_MAIN))
        ]
        return here + too

    def _block(self, section: Section, cells: int) -> list[Content]:
        commands = [
            each
            for each in self._keymap.commands.values()
            if each.section is section and (self._every or not self._taken(each))
        ]
        titles = max((cell_len(each.title) for each in commands), default=0)
        return [
            _heading(section.value),
            *(row for command in commands for row in self._rows(command, titles, cells)),
        ]

    def _taken(self, command: Command) -> bool:
        """Tell whether all of its keys do something else, or nothing, where the keyboard is."""
        if not holds_at(command.id, self._here):
            return True
        return bool(self._keymap.of(command.id)) and not self._keys_here.of(command.id)

    def _rows(self, command: Command, titles: int, cells: int) -> list[Content]:
        """Return what it is called, what it is about, and at the right its keys."""
        keymap = self._keymap if self._every else self._keys_here
        keys = keymap.labels(command.id, plain=self._plain) or "-"
        about = command.id if self._named else command.help
        room = cells - titles - cell_len(keys) - 4
        below = room < _GLOSS
        told = wrap(about, cells - 2 if below else room)
        first = beside(
            content(pad(command.title, titles + 2), "bold"),
            content(pad("" if below else told[0], max(0, room + 2)), "$quiet"),
            content(keys, "$accent bold"),
        )
        indent = " " * (2 if below else titles + 2)
        rest = told if below else told[1:]
        return [first, *(content(indent + more, "$quiet") for more in rest)]

    def action_names(self) -> None:
        """What a command is called in the settings, in place of what it is about."""
        self._named = not self._named
        self._show(self.size.width)

    def action_all(self) -> None:
        self._every = not self._every
        self._show(self.size.width)

    def action_scroll_by(self, rows: int) -> None:
        self.query_one(".dialog-body").scroll_relative(y=rows, animate=False)


def _heading(words: str) -> Content:
    return content(words, "bold $primary")


def _notes(cells: int) -> list[Content]:
    return [content(line, "$quiet") for note in _NOTES for line in wrap(note, cells)]


def _below(blocks: Sequence[Sequence[Content]]) -> list[Content]:
    """Return blocks under each other, a blank line between two."""
    shown: list[Content] = []
    for block in blocks:
        shown += [*([content("")] if shown else []), *block]
    return shown


def _in_columns(blocks: Sequence[Sequence[Content]], cells: int) -> list[Content]:
    """Return blocks in two columns of `cells`, read one after the other, none of them broken."""
    whole = sum(len(block) + 1 for block in blocks)
    left: list[Sequence[Content]] = []
    while len(left) < len(blocks) - 1:
        height = sum(len(block) + 1 for block in left)
        if left and height + len(blocks[len(left)]) / 2 > whole / 2:
            break
        left.append(blocks[len(left)])
    first, second = _below(left), _below(blocks[len(left) :])
    longest = max(len(first), len(second))
    return [
        beside(_filled(_at(first, row), cells + _BETWEEN), _at(second, row))
        for row in range(longest)
    ]


def _at(column: Sequence[Content], row: int) -> Content:
    return column[row] if row < len(column) else content("")


def _filled(line: Content, cells: int) -> Content:
    return beside(line, content(" " * max(0, cells - line.cell_length)))

"""Files and links inside a result, to save or to open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.keymap import keymap_of
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, piece, wrap
from mcp_tasks_tui.ui.widgets.panel_result import file_line
from mcp_tasks_tui.ui.widgets.panel_view import Lines
from mcp_tasks_tui.ui.widgets.result_messages import LinkRequested, ViewChanged
from mcp_tasks_tui.ui.widgets.result_model import Part, PartKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class FilesView(Lines):
    """One entry per file or link; the cursor is on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="files.down"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="files.up"),
        Binding("o", "open_link", "Open link", id="files.open", tooltip="Asks first"),
    ]

    def __init__(self, parts: Sequence[Part], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._parts = parts
        self._cursor = 0
        self._rows: list[int] = []
        self._missed = False

    @property
    def current(self) -> Part:
        return self._parts[self._cursor]

    def on_resize(self, _: events.Resize) -> None:
        self._show()

    def _show(self) -> None:
        width = max(self.scrollable_content_region.width, 16)
        lines: list[Line] = []
        self._rows = []
        for number, part in enumerate(self._parts):
            self._rows.append(len(lines))
            lines += self._entry(part, width, current=number == self._cursor)
        self.set_lines(lines)
        self.post_message(ViewChanged())

    def _entry(self, part: Part, width: int, *, current: bool) -> list[Line]:
        mark = Piece("▌ ", Tone.NAME) if current else Piece("  ")
        if part.kind is PartKind.BLOB:
            return [(mark, *file_line(part, width - 2))]
        name = part.name or part.described
        target = part.uri or ""
        lines: list[Line] = [
            (mark, Piece("↗ ", Tone.MUTED), piece(one_line(name, 200), Tone.STRONG))
        ]
        for line in wrap([piece(target, Tone.LINK)], width - 4):
            lines.append((Piece("    "), *line))
        if part.text:
            lines += [
                (Piece("    "), *line)
                for line in wrap([piece(part.text, Tone.MUTED, 600)], width - 4, 0, 4)
            ]
        return lines

    def action_move(self, by: int) -> None:
        self._cursor = max(0, min(self._cursor + by, len(self._parts) - 1))
        self._show()
        row = self._rows[self._cursor]
        top, height = self.scroll_offset.y, max(self.size.height - 2, 1)
        if not top <= row < top + height:
            self.scroll_to(y=max(0, row - height // 2), animate=False, immediate=True)

    def action_open_link(self) -> None:
        if self.current.uri is not None and self.current.kind is PartKind.LINK:
            self.post_message(LinkRequested(self.current.uri))

    def find(self, needle: str) -> None:
        """Go to the next entry that holds `needle`."""
        wanted = needle.lower()
        self._missed = bool(wanted)
        order = [*range(self._cursor + 1, len(self._parts)), *range(self._cursor + 1)]
        for number in order if wanted else ():
            part = self._parts[number]
            if wanted in f"{part.described} {part.uri or ''}".lower():
                self._missed = False
                self.action_move(number - self._cursor)
                return
        self.post_message(ViewChanged())

    def step(self, by: int) -> None:
        self.action_move(by)

    @property
    def status(self) -> str:
        part = self.current
        what = "o opens, and asks first"
        if part.kind is PartKind.BLOB:
            key = keymap_of(self).label("viewer.save")
            what = words.size(part.size) + (f", {key} saves it" if key else "")
        shown = (
            f"{self._cursor + 1} of {len(self._parts)} · {one_line(part.described, 80)} · {what}"
        )
        return f"{shown} · not found" if self._missed else shown

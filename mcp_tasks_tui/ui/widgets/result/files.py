"""Files and links inside a result, to save or to open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Size

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.results import Part, PartKind
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, piece, wrap
from mcp_tasks_tui.ui.widgets.lines.view import Lines
from mcp_tasks_tui.ui.widgets.panel.result import file_line
from mcp_tasks_tui.ui.widgets.result.messages import LinkRequested, ViewChanged, WholeWanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events


#: Entries of a page.
_PAGE = 5


class FilesView(Lines, inherit_bindings=False):
    """One entry per file or link; the cursor is on one of them."""

    def __init__(self, parts: Sequence[Part], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._parts = parts
        self._cursor = 0
        self._rows: list[int] = []
        self._missed = False

    @property
    def current(self) -> Part:
        return self._parts[self._cursor]

    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        return {
            "viewer.down": partial(self._move, 1),
            "viewer.up": partial(self._move, -1),
            "viewer.page_down": partial(self._move, _PAGE),
            "viewer.page_up": partial(self._move, -_PAGE),
            "viewer.first": partial(self._go, 0),
            "viewer.last": partial(self._go, len(self._parts) - 1),
            "viewer.open_link": self._open_link,
            **({} if self.current.kind is PartKind.BLOB else {"viewer.enter": self._enter}),
        }

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
        self.virtual_size = Size(width, len(lines))
        self.post_message(ViewChanged())

    def _entry(self, part: Part, width: int, *, current: bool) -> list[Line]:
        mark = Piece("▌ ", Tone.NAME) if current else Piece("  ")
        if part.kind is not PartKind.LINK:
            return [(mark, *file_line(part, width - 2))]
        arrow = Piece("↗ ", Tone.MUTED)
        lines: list[Line] = []
        if part.name:
            lines.append((mark, arrow, piece(one_line(part.name, 200), Tone.STRONG)))
        for line in wrap([piece(part.uri or "", Tone.LINK)], width - 4):
            lead = (Piece("    "),) if lines else (mark, arrow)
            lines.append((*lead, *line))
        if part.text:
            lines += [
                (Piece("    "), *line)
                for line in wrap([piece(part.text, Tone.MUTED, 600)], width - 4, 0, 4)
            ]
        return lines

    def go_to_links(self) -> None:
        """Put the cursor on the first link."""
        kinds = [part.kind for part in self._parts]
        if PartKind.LINK in kinds and self.current.kind is not PartKind.LINK:
            self._go(kinds.index(PartKind.LINK))

    def _move(self, by: int) -> None:
        self._go(self._cursor + by)

    def _go(self, number: int) -> None:
        self._cursor = max(0, min(number, len(self._parts) - 1))
        self._show()
        if not self._rows:
            return
        row = self._rows[self._cursor]
        top, height = self.scroll_offset.y, max(self.size.height - 2, 1)
        if not top <= row < top + height:
            self.scroll_to(y=max(0, row - height // 2), animate=False, immediate=True)

    def _open_link(self) -> None:
        if self.current.uri is not None and self.current.kind is PartKind.LINK:
            self.post_message(LinkRequested(self.current.uri))
        else:
            self.go_to_links()

    def _enter(self) -> None:
        part = self.current
        if part.kind is PartKind.TEXT:
            self.post_message(WholeWanted(part.described, part.text))
        elif part.kind is PartKind.LINK:
            self._open_link()

    def find(self, needle: str) -> None:
        """Go to the next entry that holds `needle`."""
        wanted = needle.lower()
        self._missed = bool(wanted)
        order = [*range(self._cursor + 1, len(self._parts)), *range(self._cursor + 1)]
        for number in order if wanted else ():
            part = self._parts[number]
            if wanted in f"{part.described} {part.uri or ''}".lower():
                self._missed = False
                self._go(number)
                return
        self.post_message(ViewChanged())

    def step(self, by: int) -> None:
        self._move(by)

    @property
    def status(self) -> str:
        part = self.current
        size = [] if part.kind is PartKind.LINK else [words.size(part.size)]
        missed = ["not found"] if self._missed else []
        return " · ".join([f"{self._cursor + 1} of {len(self._parts)}", *size, *missed])

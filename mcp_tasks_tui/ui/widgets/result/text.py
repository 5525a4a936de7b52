"""Text of any size: indexed bit by bit, and cleaned only where it is seen."""

from __future__ import annotations

import asyncio
from enum import Enum
from time import perf_counter
from typing import TYPE_CHECKING

from textual.geometry import Size

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.documents.text_index import MOST_MATCHES, Search, TextIndex
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, flat
from mcp_tasks_tui.ui.widgets.lines.view import Lines, LineView
from mcp_tasks_tui.ui.widgets.result.messages import ViewChanged
from mcp_tasks_tui.ui.widgets.result.view import scrolling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events

    from mcp_tasks_tui.supervise.results import Document

#: Seconds of work between two chances for the keyboard.
SLICE = 0.004
#: Seconds between two updates of the scroll bar while a text is indexed.
_SHOWN_EVERY = 0.15


async def in_slices(grow: Callable[[], bool], wanted: Callable[[], bool]) -> None:
    """Call `grow` until it has no more to do, letting everything else run in between."""
    more = True
    while more and wanted():
        stop = perf_counter() + SLICE
        while more and perf_counter() < stop:
            more = grow()
        await asyncio.sleep(0)


class TextView(LineView, inherit_bindings=False):
    """A text in rows; wrapped to the width, or as it is with a horizontal scroll bar."""

    def __init__(
        self,
        document: Document,
        *,
        wrapped: bool = True,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._text = document.text
        self._ours = frozenset(document.ours)
        self._wrapped = wrapped
        self._index = TextIndex(document.text)
        self._search: Search | None = None
        self._here = -1
        self._anchor: int | None = None

    def let_go(self) -> None:
        super().let_go()
        self._text, self._index, self._search = "", TextIndex(""), None

    # --- rows ----------------------------------------------------------------------------
    @property
    def line_count(self) -> int:
        return len(self._index)

    def line(self, number: int) -> Line:
        start, end = self._index.span(number)
        if start in self._ours:
            return (Piece(flat(self._text[start:end]), Tone.HEADING),)
        if self._search is None:
            return (Piece(flat(self._text[start:end])),)
        return self._marked(self._search, start, end)

    def _marked(self, search: Search, start: int, end: int) -> Line:
        pieces: list[Piece] = []
        at = start
        here = search.found[self._here] if 0 <= self._here < len(search.found) else -1
        for first, last in search.within(start, end):
            pieces.append(Piece(flat(self._text[at:first])))
            current = here <= first < here + len(search.needle) and here >= 0
            tone = Tone.FOUND_HERE if current else Tone.FOUND
            pieces.append(Piece(flat(self._text[first:last]), tone))
            at = last
        pieces.append(Piece(flat(self._text[at:end])))
        return tuple(each for each in pieces if each.text)

    # --- indexing ------------------------------------------------------------------------
    def on_resize(self, _: events.Resize) -> None:
        width = self.scrollable_content_region.width if self._wrapped else 0
        if width != self._index.width or not self._index.reached:
            self._index_again(width)

    def _index_again(self, width: int) -> None:
        if self._index.reached:
            self._anchor = self._index.span(min(self.scroll_offset.y, len(self._index) - 1))[0]
        index = TextIndex(self._text, width)
        self._index = index
        index.grow()
        self._grown()
        if not index.done:
            self.run_worker(self._grow(index), group="index", exit_on_error=False)
        self.refresh()

    async def _grow(self, index: TextIndex) -> None:
        shown = perf_counter()

        def grow() -> bool:
            nonlocal shown
            more = index.grow()
            if not more or perf_counter() - shown > _SHOWN_EVERY:
                shown = perf_counter()
                self._grown()
            return more

        await in_slices(grow, lambda: index is self._index and self.is_attached)

    def _grown(self) -> None:
        index = self._index
        width = self.scrollable_content_region.width if self._wrapped else index.widest
        self.virtual_size = Size(max(width, 1), len(index))
        if self._anchor is not None and (index.done or index.reached > self._anchor):
            row = index.row_at(self._anchor)
            self._anchor = None
            self.scroll_to(y=row, animate=False, immediate=True, force=True)
        self.post_message(ViewChanged())

    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        return {**scrolling(self), "viewer.wrap": self.toggle_wrap}

    def toggle_wrap(self) -> None:
        self._wrapped = not self._wrapped
        self.scroll_to(x=0, animate=False, immediate=True)
        self._index_again(self.scrollable_content_region.width if self._wrapped else 0)

    # --- find ----------------------------------------------------------------------------
    def find(self, needle: str) -> None:
        """Mark every place of `needle` and go to the first at or after what is seen."""
        self._strips.clear()
        self._here = -1
        self._search = Search(self._text, needle) if needle else None
        if self._search is not None:
            self.run_worker(self._find(self._search), group="find", exit_on_error=False)
        self.refresh()
        self.post_message(ViewChanged())

    async def _find(self, search: Search) -> None:
        def wanted() -> bool:
            return search is self._search and self.is_attached

        def grow() -> bool:
            more = search.grow()
            if self._here < 0 and search.found:
                self._go_near()
            return more

        await in_slices(grow, wanted)
        if wanted():
            if self._here < 0 and search.found:
                self._go(0)
            self.refresh()
            self.post_message(ViewChanged())

    def _go_near(self) -> None:
        """Go to the newest match found, if it is not above what is seen."""
        assert self._search is not None
        top = self._index.span(min(self.scroll_offset.y, len(self._index) - 1))[0]
        for number, at in enumerate(self._search.found):
            if at >= top:
                self._go(number)
                return

    def step(self, by: int) -> None:
        """Go to the next or previous match, round and round."""
        if self._search is not None and self._search.found:
            self._go((self._here + by) % len(self._search.found))

    def _go(self, number: int) -> None:
        assert self._search is not None
        self._here = number
        at = self._search.found[number]
        row = self._index.row_at(at)
        if not self._index.done and at >= self._index.reached:
            self._anchor = at
        elif not self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height - 1:
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, immediate=True)
        self._strips.clear()
        self.refresh()
        self.post_message(ViewChanged())

    # --- status --------------------------------------------------------------------------
    @property
    def status(self) -> str:
        index = self._index
        said = [words.counted(len(index), "line") + ("" if index.done else " so far")]
        said.append(words.size(len(self._text)))
        said.append("wrapped" if self._wrapped else "not wrapped")
        if self._search is not None:
            said.append(self._found_words(self._search))
        return " · ".join(said)

    def _found_words(self, search: Search) -> str:
        if not search.found:
            return "not found" if search.done else "searching"
        more = "" if search.done and len(search.found) < MOST_MATCHES else "+"
        return f"{self._here + 1} of {len(search.found):,}{more} found"

    @property
    def indexed(self) -> bool:
        """All rows are known."""
        return self._index.done


class End(Enum):
    """Where in a list of lines the newest one is."""

    FIRST = 0
    LAST = 1


class BuiltLines(Lines, inherit_bindings=False):
    """Lines that `build` makes for a width in cells, once per width, off the event loop.

    `note` is said of them in the last line. `newest` tells where news appear, None where nothing
    does: whoever reads there goes on reading there, and whoever reads elsewhere keeps what he reads
    in view. `does`: what it does besides scrolling, by the ids of the viewer's commands.
    """

    def __init__(
        self,
        build: Callable[[int], Sequence[Line]],
        note: Callable[[], str] = lambda: "",
        *,
        newest: Callable[[], End | None] = lambda: None,
        does: Mapping[str, Callable[[], object]] | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self._build = build
        self._note = note
        self._newest = newest
        #: Where the newest of the lines that are shown is.
        self._end: End | None = None
        self._does = does or {}
        self._width = 0
        #: How often the lines were asked for: only the newest answer counts.
        self._asked = 0
        self._building = False
        self._hits: list[int] = []
        self._here = -1
        self._needle = ""

    def let_go(self) -> None:
        super().let_go()
        self._build = lambda _: ()

    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        return {**scrolling(self), **self._does}

    def on_resize(self, _: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self.build_again()

    def build_again(self) -> None:
        """Show what `build` makes now."""
        if self._width:
            self._asked += 1
            if not self._building:
                self._building = True
                self.run_worker(self._build_newest(), group="build", exit_on_error=False)

    async def _build_newest(self) -> None:
        """Build until nobody asked meanwhile: one thread at a time, however often that is."""
        try:
            done = 0
            while done != self._asked:
                done = self._asked
                await self._built(done)
        finally:
            self._building = False

    async def _built(self, asked: int) -> None:
        width, end = self._width, self._newest()
        lines = await in_daemon_thread(self._build, width)
        if asked != self._asked:
            return
        top = self._place_in(len(lines), end)
        self._end = end
        self.set_lines(lines)
        self.virtual_size = Size(width, len(lines))
        found = self._here
        self._search()
        self._here = min(found, len(self._hits) - 1)
        if top is not None:
            self.scroll_to(y=min(top, self.max_scroll_y), animate=False, immediate=True, force=True)
        self.refresh()
        self.post_message(ViewChanged())

    def _place_in(self, count: int, end: End | None) -> int | None:
        """Return where to scroll to in `count` new lines, None where nothing has to be done."""
        turned = end is not self._end or not self.lines
        at, grown = self.scroll_offset.y, count - len(self.lines)
        if end is End.FIRST:
            return 0 if turned or at == 0 else at + grown
        if end is End.LAST and (turned or at >= self.max_scroll_y):
            return count
        return None

    def find(self, needle: str) -> None:
        """Go to the first line with `needle`, in upper or lower case."""
        self._needle = needle
        self._search()
        self._here = -1
        self.refresh()
        self.step(1)
        self.post_message(ViewChanged())

    def _search(self) -> None:
        wanted = self._needle.lower()
        self._hits = [
            number
            for number, line in enumerate(self.lines)
            if wanted and wanted in "".join(each.text for each in line).lower()
        ]

    def step(self, by: int) -> None:
        """Go to the next or previous line found, round and round."""
        if self._hits:
            self._here = (self._here + by) % len(self._hits)
            row = self._hits[self._here]
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, immediate=True)
            self.refresh()
            self.post_message(ViewChanged())

    def line(self, number: int) -> Line:
        line = super().line(number)
        if self._here >= 0 and self._hits[self._here] == number:
            return tuple(Piece(each.text, Tone.FOUND_HERE) for each in line)
        return line

    @property
    def status(self) -> str:
        said = [words.counted(self.line_count, "line")]
        if note := self._note():
            said.append(note)
        if self._needle:
            found = f"{self._here + 1} of {len(self._hits)} found" if self._hits else "not found"
            said.append(found)
        return " · ".join(said)

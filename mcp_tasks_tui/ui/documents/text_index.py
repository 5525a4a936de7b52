"""Rows of a text of any size, worked out bit by bit, so that nothing ever waits for it."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from mcp_tasks_tui.ui.widgets.lines.pieces import flat

if TYPE_CHECKING:
    from collections.abc import Iterator

#: An unwrapped line is cut here all the same: no terminal shows more, and no call takes long.
_LONGEST = 2000
#: Characters looked at before :meth:`TextIndex.grow` lets go.
STEP = 16_384
#: More matches than this are not counted.
MOST_MATCHES = 50_000


class TextIndex:
    """Where the rows of `text` begin, for one width in cells (0: lines as they are).

    Rows exist as far as :meth:`grow` has come; each call looks at about `STEP` characters.
    """

    def __init__(self, text: str, width: int = 0) -> None:
        self.text = text
        self.width = width
        #: Cells of the widest row so far.
        self.widest = 0
        self._starts = array("Q")
        self._at = 0
        self.done = not text

    def __len__(self) -> int:
        """Rows that are known; at least one, even of an empty text."""
        return max(1, len(self._starts))

    @property
    def reached(self) -> int:
        """Characters looked at so far."""
        return self._at

    def grow(self) -> bool:
        """Look at the next stretch of text; return whether there is more."""
        stop = min(self._at + STEP, len(self.text))
        while self._at < stop:
            self._add_line()
        self.done = self._at >= len(self.text)
        return not self.done

    def _add_line(self) -> None:
        start = self._at
        newline = self.text.find("\n", start, start + _LONGEST)
        end = newline if newline >= 0 else min(start + _LONGEST, len(self.text))
        self._starts.append(start)
        self._starts.extend(self._folds(start, end))
        self._at = end + (newline >= 0)
        if newline < 0 and end < len(self.text) and self._starts[-1] > start:
            # Cut at the limit: the last row goes on with what follows.
            self._at = self._starts.pop()

    def _folds(self, start: int, end: int) -> Iterator[int]:
        """Yield where further rows of text[start:end] begin."""
        stretch = self.text[start:end]
        if stretch.isascii() and stretch.isprintable():
            self.widest = max(self.widest, min(end - start, self.width or end - start))
            if self.width and end - start > self.width:
                yield from self._plain_folds(start, end)
        elif self.width:
            self.widest = self.width
            yield from self._cell_folds(stretch, start)
        else:
            self.widest = max(self.widest, cell_len(flat(stretch)))

    def _plain_folds(self, start: int, end: int) -> Iterator[int]:
        width = self.width
        while end - start > width:
            blank = self.text.rfind(" ", start + width // 2, start + width + 1)
            start = blank + 1 if blank >= 0 else start + width
            if start < end:
                yield start

    def _cell_folds(self, stretch: str, start: int) -> Iterator[int]:
        used = 0
        for offset, char in enumerate(stretch):
            size = _cells(char)
            if used + size > self.width and used:
                yield start + offset
                used = 0
            used += size

    def span(self, row: int) -> tuple[int, int]:
        """Return where a row begins and ends in the text, its line break left out."""
        if row >= len(self._starts):
            return self._at, self._at
        start = self._starts[row]
        end = self._starts[row + 1] if row + 1 < len(self._starts) else self._at
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    def row_at(self, offset: int) -> int:
        """Return the row that holds a character."""
        return max(0, min(bisect_right(self._starts, offset), len(self)) - 1)


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    return cell_len(flat(char))


class Search:
    """Every place where `needle` is in `text`, found bit by bit.

    Upper and lower case are the same unless the needle has an upper-case letter.
    """

    def __init__(self, text: str, needle: str) -> None:
        self.needle = needle
        self.found = array("Q")
        self.done = not needle
        self._text = text
        self._at = 0
        flags = 0 if any(char.isupper() for char in needle) else re.IGNORECASE
        self._pattern = re.compile(re.escape(needle), flags)

    def grow(self) -> bool:
        """Search the next stretch; return whether there is more."""
        if self.done:
            return False
        stop = self._at + STEP
        for match in self._pattern.finditer(self._text, self._at, stop + len(self.needle) - 1):
            if match.start() < stop:
                self.found.append(match.start())
        self._at = max(stop, self.found[-1] + len(self.needle) if self.found else 0)
        self.done = self._at >= len(self._text) or len(self.found) >= MOST_MATCHES
        return not self.done

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of text[start:end] that belong to a match."""
        size = len(self.needle)
        first = bisect_right(self.found, max(start - size, 0) - (start < size))
        spans: list[tuple[int, int]] = []
        for index in range(first, len(self.found)):
            at = self.found[index]
            if at >= end:
                break
            if at + size > start:
                spans.append((max(at, start), min(at + size, end)))
        return spans

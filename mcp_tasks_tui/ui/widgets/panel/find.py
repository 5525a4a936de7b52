"""Text that is looked for in the panel: where it is, and how it is marked."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Finder:
    """What a person looks for, and which of the matching lines he is at."""

    def __init__(self) -> None:
        self._needle = ""
        self._at = 0
        self._found: list[int] = []

    def __len__(self) -> int:
        return len(self._found)

    def look_for(self, text: str) -> None:
        """Begin at the first line that has `text`."""
        self._needle, self._at = text, 0

    def step(self, by: int) -> None:
        """Go to the next or previous match, round and round."""
        if self._found:
            self._at = (self._at + by) % len(self._found)

    @property
    def said(self) -> str:
        """Which match the person is at, of how many; empty where nothing is looked for."""
        if not self._needle:
            return ""
        found = len(self._found)
        return f"found {self._at % found + 1} of {found}" if found else "not found"

    @property
    def here(self) -> int | None:
        """The number of the line that the person is at."""
        return self._found[self._at % len(self._found)] if self._found else None

    def marked(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Look through `lines`, and return them with the matching ones marked."""
        self._found = matches(lines, self._needle)
        return marked(lines, self._found, self.here, self._needle)


def matches(lines: Sequence[Line], needle: str) -> list[int]:
    """Return the numbers of the lines that have `needle`, whatever its case."""
    if not needle:
        return []
    wanted = _pattern(needle)
    return [number for number, line in enumerate(lines) if wanted.search(plain(line))]


def marked(
    lines: Sequence[Line], found: Sequence[int], here: int | None, needle: str
) -> tuple[Line, ...]:
    """Return the lines with each place of `needle` marked; `here` is the current line."""
    shown = list(lines)
    for number in found:
        tone = Tone.FOUND_HERE if number == here else Tone.FOUND
        spans = [match.span() for match in _pattern(needle).finditer(plain(lines[number]))]
        shown[number] = tuple(_split(lines[number], spans, tone))
    return tuple(shown)


def _pattern(needle: str) -> re.Pattern[str]:
    return re.compile(re.escape(needle), re.IGNORECASE)


def _split(line: Line, spans: Sequence[tuple[int, int]], tone: Tone) -> Iterator[Piece]:
    """Give what is inside of `spans` of a line's text the tone, wherever its pieces end."""
    edges = sorted({edge for span in spans for edge in span})
    begin = 0
    for text, was in line:
        end = begin + len(text)
        cuts = [begin, *(edge for edge in edges if begin < edge < end), end]
        for first, last in pairwise(cuts):
            inside = any(start <= first < stop for start, stop in spans)
            yield Piece(text[first - begin : last - begin], tone if inside else was)
        begin = end

"""Text that is looked for in the panel: where it is, and how it is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, plain

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    def here(self) -> int | None:
        """The number of the line that the person is at."""
        return self._found[self._at % len(self._found)] if self._found else None

    def marked(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Look through `lines`, and return them with the matching ones marked."""
        self._found = matches(lines, self._needle)
        here = self.here
        return marked(lines, self._found, -1 if here is None else here)


def matches(lines: Sequence[Line], needle: str) -> list[int]:
    """Return the numbers of the lines that have `needle`, whatever its case."""
    wanted = needle.casefold()
    if not wanted:
        return []
    return [number for number, line in enumerate(lines) if wanted in plain(line).casefold()]


def marked(lines: Sequence[Line], found: Sequence[int], here: int) -> tuple[Line, ...]:
    """Return the lines with the matching ones marked; `here` is the current match."""
    shown = list(lines)
    for number in found:
        tone = Tone.FOUND_HERE if number == here else Tone.FOUND
        shown[number] = tuple(Piece(each.text, tone) for each in lines[number])
    return tuple(shown)

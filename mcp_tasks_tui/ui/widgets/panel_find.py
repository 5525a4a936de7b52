"""Text that is looked for in the panel: where it is, and how it is marked (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, plain

if TYPE_CHECKING:
    from collections.abc import Sequence


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

"""Sections under each other, with headings that fold."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, Line, Piece, Tone, fit, width_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcp_tasks_tui.ui.widgets.panel.facts import Section


@record
class Layout:
    """All lines of the panel, and the line of each section's heading."""

    lines: tuple[Line, ...] = ()
    headings: dict[str, int] = field(default_factory=dict)

    def heading_at(self, number: int) -> str:
        """Return the section whose heading is line `number`, empty where none is."""
        return next((name for name, at in self.headings.items() if at == number), "")

    def section(self, name: str) -> tuple[Line, ...]:
        """Return the lines of a section with its heading, none where it is not there."""
        begin = self.headings.get(name)
        if begin is None:
            return ()
        end = min((at for at in self.headings.values() if at > begin), default=len(self.lines))
        lines = self.lines[begin:end]
        return lines if lines[-1] != BLANK else lines[:-1]


def laid_out(
    sections: Sequence[Section],
    width: int,
    *,
    folded: Collection[str] = (),
    current: str = "",
    airy: bool = True,
) -> Layout:
    """Put sections under each other; a section without a title has no heading."""
    lines: list[Line] = []
    headings: dict[str, int] = {}
    for section in sections:
        closed = section.id in folded
        if section.title:
            if airy and lines:
                lines.append(BLANK)
            headings[section.id] = len(lines)
            lines.append(_heading(section, width, closed=closed, current=section.id == current))
        if not closed:
            lines.extend(section.lines)
    return Layout(tuple(lines), headings)


def _heading(section: Section, width: int, *, closed: bool, current: bool) -> Line:
    tone = Tone.CURRENT if current else Tone.HEADING
    left = (Piece(f"{'▸' if closed else '▾'} {section.title} ", tone),)
    right = _aside(section.aside, width - width_of(left) - 1)
    rule = width - width_of(left) - width_of(right)
    if rule < 1:
        return fit(left, width)
    return (*left, Piece("─" * rule, Tone.RULE), *right)


def _aside(aside: str, room: int) -> Line:
    """Return as many of the facts beside a heading as fit whole, the first ones first."""
    while aside:
        line = (Piece(f" {aside}", Tone.MUTED),)
        if width_of(line) <= room:
            return line
        aside = aside.rpartition(" · ")[0]
    return BLANK

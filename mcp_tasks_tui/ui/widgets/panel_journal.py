"""A task's journal as lines: when, who, what; and the time spent in each state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.history import Teller, told
from mcp_tasks_tui.ui.widgets.panel_facts import (
    STATE_TONES,
    Section,
    joined,
    time_per_state,
)
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, piece, wrap

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.ui.widgets.panel_facts import PanelFacts

#: The sign of whose word a line is, and how it looks.
SIGNS: dict[Teller, tuple[str, Tone]] = {
    Teller.SERVER: ("‹", Tone.SERVER),
    Teller.US: ("›", Tone.ASKED),
    Teller.NOTICED: ("·", Tone.ASSUMED),
}
_TONES: dict[Event, Tone] = {
    Event.INPUT_ASKED: Tone.NEED,
    Event.CONTRADICTION: Tone.WARN,
}


def journal_section(facts: PanelFacts, room: int) -> Section:
    """Return the newest entries, newest last, on about `room` lines."""
    lines: list[Line] = []
    if facts.trouble:
        lines.append((Piece(facts.trouble, Tone.BAD),))
    entries = facts.journal[-room:]
    hidden = len(facts.journal) - len(entries)
    if hidden:
        how = f": {facts.open_key} shows all" if facts.open_key else ""
        lines.append((Piece(f"{words.counted(hidden, 'earlier line')}{how}", Tone.MUTED),))
    for entry in entries:
        lines += entry_lines(facts, entry, 3)
    spent = time_per_state(facts.journal, facts.now, ended=facts.view.state.ended)
    if spent:
        lines += wrap(joined([_spent(word, seconds) for word, seconds in spent]), facts.width, 2)
    aside = "‹ server  › we  · noticed"
    return Section("journal", "Journal", tuple(lines), aside)


def _spent(word: str, seconds: float) -> Piece:
    label = one_line(word, 30).replace("_", " ")
    return Piece(f"{label} {words.duration(seconds)}", Tone.MUTED)


def entry_lines(facts: PanelFacts, entry: JournalEntry, limit: int = 0) -> list[Line]:
    """Return one entry: its time, who it is from, what happened."""
    column = 17 if facts.absolute and _other_day(facts, entry.at) else 11
    time = Piece(f"{facts.when(entry.at):>{column - 1}} ", Tone.MUTED)
    who, what = _told(entry)
    return wrap([time, who, *what], facts.width, min(column + 2, facts.width // 3), limit)


def _other_day(facts: PanelFacts, at: float) -> bool:
    return len(words.clock_time(at, facts.now)) > 8


def _told(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    """Return the sign of whose word it is, and the words."""
    line = told(entry)
    sign, tone = SIGNS[line.who]
    pieces = []
    if line.state is not None:
        state = f"{words.state_glyph(line.state)} {line.what}"
        pieces.append(Piece(state, STATE_TONES[line.state]))
        gap = "  "
    else:
        pieces.append(Piece(line.what, _TONES.get(entry.event, tone)))
        gap = ": " if line.what else ""
    if line.said:
        pieces.append(piece(f"{gap}{line.said}", limit=400))
    if line.about:
        pieces.append(Piece(f" ({line.about})", Tone.MUTED))
    return Piece(f"{sign} ", tone), [each for each in pieces if each.text]

"""A task's journal as lines: when, who, what; and the time spent in each state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.panel_facts import (
    STATE_TONES,
    Section,
    joined,
    time_per_state,
)
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, piece, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.ui.widgets.panel_facts import PanelFacts

#: Who a line is from: the server, us, or what this program noticed by itself.
SERVER, WE, NOTICED = "‹", "›", "·"
_BY_US = {
    Event.SAVED: "saved",
    Event.CALL_SENT: "call sent",
    Event.CANCEL_REQUESTED: "cancel requested",
    Event.HELD: "polling held",
    Event.RESUMED: "polling resumed",
    Event.ARCHIVED: "archived",
    Event.RESTORED: "restored",
    Event.EDITED: "label, note or tags edited",
}
_NOTICED = {
    Event.SERVER_LOST: "server lost",
    Event.SERVER_BACK: "server is back",
    Event.GONE: "the server does not know the task any more",
    Event.BACK: "the server knows the task again",
    Event.INPUT_WITHDRAWN: "question withdrawn without our answer",
}
ACTIONS = {"accept": "sent", "decline": "declined", "cancel": "dismissed"}


def journal_section(facts: PanelFacts, room: int) -> Section:
    """Return the newest entries, newest last, on about `room` lines."""
    lines: list[Line] = []
    if facts.trouble:
        lines.append((Piece(facts.trouble, Tone.BAD),))
    entries = facts.journal[-room:]
    hidden = len(facts.journal) - len(entries)
    if hidden:
        lines.append(
            (Piece(f"{words.counted(hidden, 'earlier line')}: enter shows all", Tone.MUTED),)
        )
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
    teller = _TELLERS.get(entry.event)
    if teller is not None:
        return teller(entry)
    said = [piece(f": {one_line(entry.text)}", limit=400)] if entry.text else []
    if entry.event in _BY_US:
        return Piece(f"{WE} ", Tone.ASKED), [Piece(_BY_US[entry.event], Tone.ASKED), *said]
    what = _NOTICED.get(entry.event, entry.event.value.replace("_", " "))
    return Piece(f"{NOTICED} ", Tone.ASSUMED), [Piece(what, Tone.ASSUMED), *said]


def _message(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    return Piece(f"{SERVER} ", Tone.SERVER), [piece(one_line(entry.text or "", 400))]


def _status(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    reached = entry.data.get("to")
    word = one_line(reached, 40) if isinstance(reached, str) else "?"
    try:
        state = State.TOOL_ERROR if entry.data.get("tool_error") else State(word)
    except ValueError:
        state = State.UNKNOWN
    shown = words.STATES[state].word if state is not State.UNKNOWN else word
    told = [Piece(f"{words.state_glyph(state)} {shown}", STATE_TONES[state])]
    if entry.text:
        told.append(piece(f"  {one_line(entry.text, 400)}"))
    return Piece(f"{SERVER} ", Tone.SERVER), told


def _asked(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    question = f": {one_line(entry.text, 300)}" if entry.text else ""
    key = entry.data.get("key")
    name = f" ({one_line(key, 40)})" if isinstance(key, str) else ""
    told = [Piece("asks for input", Tone.NEED), piece(question), Piece(name, Tone.MUTED)]
    return Piece(f"{SERVER} ", Tone.SERVER), told


def _answered(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    action = entry.data.get("action")
    done = ACTIONS.get(action, "answered") if isinstance(action, str) else "answered"
    key = entry.data.get("key")
    name = f" ({one_line(key, 40)})" if isinstance(key, str) else ""
    word = "answer sent" if done == "sent" else done
    return Piece(f"{WE} ", Tone.ASKED), [Piece(word, Tone.ASKED), Piece(name, Tone.MUTED)]


def _contradiction(entry: JournalEntry) -> tuple[Piece, list[Piece]]:
    said, kept = entry.data.get("said"), entry.data.get("kept")
    text = f"server said {one_line(str(said), 40)} after {one_line(str(kept), 40)}: not believed"
    return Piece(f"{NOTICED} ", Tone.WARN), [Piece(text, Tone.WARN)]


_TELLERS: dict[Event, Callable[[JournalEntry], tuple[Piece, list[Piece]]]] = {
    Event.MESSAGE: _message,
    Event.STATUS: _status,
    Event.INPUT_ASKED: _asked,
    Event.INPUT_ANSWERED: _answered,
    Event.CONTRADICTION: _contradiction,
}

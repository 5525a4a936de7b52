"""A task's journal as lines: when, who, what; and above them the time spent in each state."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.handles.thinning import left_out
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.history import Teller, not_kept, told
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, piece, wrap
from mcp_tasks_tui.ui.widgets.panel.facts import STATE_TONES, Section
from mcp_tasks_tui.ui.widgets.panel.kinds import how_many, nothing_of, of_kind
from mcp_tasks_tui.ui.widgets.panel.times import spent_lines, stretches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts

#: The sign of whose word a line is, and how it looks.
SIGNS: dict[Teller, tuple[str, Tone]] = {
    Teller.SERVER: ("‹", Tone.SERVER),
    Teller.US: ("›", Tone.ASKED),
    Teller.NOTICED: ("·", Tone.ASSUMED),
}
_TONES: dict[Event, Tone] = {
    Event.SAVED: Tone.MUTED,
    Event.CALL_SENT: Tone.MUTED,
    Event.INPUT_ASKED: Tone.NEED,
    Event.CONTRADICTION: Tone.WARN,
}
#: Messages in a row that are told one by one at the end of a full journal, and before.
_NEWEST_MESSAGES, _OLDER_MESSAGES = 4, 1
_OF_MESSAGES = frozenset({Event.MESSAGE, Event.LEFT_OUT})
#: Cells from which on an age is written out.
ROOMY = 56
_LINES_OF_ENTRY = 3
#: Cells of a day and a minute without their year.
_DATED = len("01-15 07:45")


@record
class Skipped:
    """Messages that are not told one by one, and how many lines among them are not kept."""

    count: int
    messages: int = 0
    others: int = 0

    def __str__(self) -> str:
        said = f"… {words.counted(self.count, 'message')}"
        missing = not_kept(self.messages, self.others).removeprefix("… ")
        return f"{said} and {missing}" if self.messages or self.others else said


def journal_shows(facts: PanelFacts, room: int) -> tuple[object, ...]:
    """Return the times that the section shows: with these and the journal the same, it is too."""
    shown = condensed(of_kind(facts.journal, facts.kind), room)[-room:]
    whens = tuple(_when(facts, each.at) for each in shown if not isinstance(each, Skipped))
    return tuple(time_spent(facts)), whens


def time_spent(facts: PanelFacts, *, drawn: bool = True) -> list[Line]:
    """Return how long the task took, and in which state; empty where its state says as much.

    `drawn`: with a line of signs, too.
    """
    ended = facts.view.state.ended
    seen = stretches(facts.journal, facts.now, ended=ended)
    return spent_lines(seen, facts.width, ended=ended, drawn=drawn)


def journal_section(facts: PanelFacts, room: int) -> Section:
    """Return the newest entries on about `room` lines, as a rule the newest last.

    Where not all have room, of many messages in a row only the last are told: what happened
    between them (a question, an answer, a server that was away) is worth more.
    """
    lines: list[Line] = []
    if facts.trouble:
        lines.append((Piece(facts.trouble, Tone.BAD),))
    lines += time_spent(facts)
    chosen = of_kind(facts.journal, facts.kind)
    shown = condensed(chosen, room)
    hidden = sum(each.count if isinstance(each, Skipped) else 1 for each in shown[:-room])
    how = f": {facts.open_key} shows all" if facts.open_key else ""
    told: list[JournalEntry | str] = []
    if hidden:
        told.append(f"{words.counted(hidden, 'earlier line')}{how}")
    for each in shown[-room:]:
        if isinstance(each, Skipped):
            indent = " " * _column(facts, facts.now)
            told.append(f"{indent}{each}{'' if hidden else how}")
            hidden += each.count
        else:
            told.append(each)
    lines += journal_lines(told, facts, _LINES_OF_ENTRY, asked_above=True)
    if facts.kind is not None and not chosen:
        lines.append((Piece(nothing_of(facts.kind, facts.kinds_key), Tone.MUTED),))
    title = "Journal" if facts.kind is None else f"Journal: {facts.kind.value}"
    return Section("journal", title, tuple(lines), " · ".join(_aside(facts, len(chosen))))


def _aside(facts: PanelFacts, shown: int) -> Iterator[str]:
    """Give what is not told of the journal by its lines, what matters most first."""
    if facts.kind is not None:
        yield how_many(shown, len(facts.journal))
    if facts.newest_first:
        yield "newest first"
    if facts.zone:
        yield facts.zone


def journal_lines(
    told: Sequence[JournalEntry | str],
    facts: PanelFacts,
    limit: int = 0,
    *,
    asked_above: bool = False,
) -> list[Line]:
    """Return entries and remarks between them as the person reads them, each on up to `limit`
    lines. A time stands only where it differs from the one above.

    `asked_above`: the questions that are open stand above, and are not told once more.
    """
    lines: list[Line] = []
    before = ""
    for each in reversed(told) if facts.newest_first else told:
        if isinstance(each, str):
            lines.append((Piece(each, Tone.MUTED),))
            continue
        when = _when(facts, each.at)
        still_asked = asked_above and each.data.get("key") in facts.view.open_requests
        shown = each if not still_asked else replace(each, text=None)
        lines += _entry_lines(facts, shown, "" if when == before else when, limit)
        before = when
    return lines


def condensed(journal: Sequence[JournalEntry], room: int) -> list[JournalEntry | Skipped]:
    """Return the journal with its runs of messages shortened, the oldest first, for `room`."""
    if len(journal) <= room:
        return list(journal)
    runs = [
        (messages, list(run))
        for messages, run in groupby(journal, key=lambda entry: entry.event in _OF_MESSAGES)
    ]
    shown: list[JournalEntry | Skipped] = []
    surplus = len(journal) - room
    for number, (messages, run) in enumerate(runs):
        least = _NEWEST_MESSAGES if number == len(runs) - 1 else _OLDER_MESSAGES
        skipped = min(len(run) - least, surplus + 1)  # a line says how many
        if messages and surplus > 0 and skipped > 1:
            shown += [_skipped(run[:skipped]), *run[skipped:]]
            surplus -= skipped - 1
        else:
            shown += run
    return shown


def _skipped(run: Sequence[JournalEntry]) -> Skipped:
    gaps = [left_out(each) for each in run if each.event is Event.LEFT_OUT]
    messages, others = (sum(counts) for counts in zip((0, 0), *gaps, strict=True))
    return Skipped(len(run) - len(gaps), messages, others)


def _entry_lines(facts: PanelFacts, entry: JournalEntry, when: str, limit: int) -> list[Line]:
    """Return one entry: its time, who it is from, what happened."""
    column = _column(facts, entry.at)
    time = Piece(f"{when:>{column - 1}} ", Tone.MUTED)
    who, what = _told(entry)
    return wrap([time, who, *what], facts.width, min(column + 2, facts.width // 3), limit)


def _when(facts: PanelFacts, at: float) -> str:
    """Return a time of the past."""
    if facts.absolute:
        shown = facts.clock(at)
        return shown if facts.width >= ROOMY else shown[-(_DATED + facts.utc) :]
    seconds = facts.now - at
    if facts.width < ROOMY or seconds < words.STEP:
        return words.short_age(seconds)
    return words.ago(at, facts.now)


def _column(facts: PanelFacts, at: float) -> int:
    """Return the cells of the column of times, with the blank behind it."""
    roomy = facts.width >= ROOMY
    if not facts.absolute:
        return 14 if roomy else 5
    oldest = facts.journal[0].at if facts.journal else at
    zone = int(facts.utc)
    if len(facts.clock(oldest)) <= len("00:00:00") + zone:
        return 9 + zone  # all of it was today
    return (17 if roomy else _DATED + 1) + zone


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
    if line.said and entry.event is not Event.GONE:  # the server's words for the same
        pieces.append(piece(f"{gap}{line.said}", limit=400))
    if line.about:
        pieces.append(Piece(f" ({line.about})", Tone.MUTED))
    return Piece(f"{sign} ", tone), [each for each in pieces if each.text]

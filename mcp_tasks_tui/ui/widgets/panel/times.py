"""Time spent in each state, as words and as a line of signs: what took how long (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.dating import entry_dated
from mcp_tasks_tui.supervise.history import told
from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, Line, Piece, Tone, packed
from mcp_tasks_tui.ui.widgets.panel.facts import STATE_TONES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.dating import Dated

#: What a stretch is called that nobody saw.
UNSEEN = "not seen"
#: Cells that a line of time takes at most, and for each stretch at least.
_LONGEST, _LEAST_SHARE = 120, 2


@record
class Stretch:
    """A time in one state, as it was seen: epoch seconds; `word` is the state's."""

    state: State
    word: str
    begin: float
    end: float
    #: An end of it is the server's word: nobody looked.
    claimed: bool = False

    @property
    def seconds(self) -> float:
        return max(0.0, self.end - self.begin)


def stretches(journal: Sequence[JournalEntry], now: float, *, ended: bool) -> tuple[Stretch, ...]:
    """Return the states that a task was seen in, in their order.

    Time before the first known status does not count unless the server tells of it, nor time after
    the task ended or was gone. What nobody saw, and the server does not tell, has its own stretch.
    """
    found: list[Stretch] = []
    state, word, since, vague = State.UNKNOWN, "", 0.0, False
    for entry in journal:
        if entry.event not in (Event.STATUS, Event.GONE, Event.BACK):
            continue
        when = entry_dated(entry)
        if not word and when.created is not None:
            state, word, since, vague = State.UNKNOWN, UNSEEN, when.created, True
        if word and entry.event is not Event.BACK:
            looked = max(_last_look(when), since)
            found.append(Stretch(state, word, since, looked, vague or when.claimed))
            if looked < when.at:
                found.append(Stretch(State.UNKNOWN, UNSEEN, looked, when.at))
        since, vague = when.at, when.claimed
        if entry.event is not Event.BACK:
            state, word = _reached(entry)
        elif found:
            state, word = found[-1].state, found[-1].word
    if word and not ended:
        found.append(Stretch(state, word, since, now, vague))
    return tuple(each for each in found if each.state is not State.GONE)


def _reached(entry: JournalEntry) -> tuple[State, str]:
    if entry.event is Event.GONE:
        return State.GONE, words.STATES[State.GONE].word
    line = told(entry)
    return line.state or State.UNKNOWN, line.what


def _last_look(when: Dated) -> float:
    """Return until when the state before was seen, or the server tells of it."""
    known = when.claimed or when.unseen_for is None
    return when.at if known else when.at - (when.unseen_for or 0.0)


def spent(seen: Sequence[Stretch]) -> list[Stretch]:
    """Return one stretch for each state, as long as all of its, in order of appearance."""
    kinds: dict[tuple[State, str], Stretch] = {}
    for each in seen:
        kind = each.state, each.word
        before = kinds.get(kind)
        begin = each.begin if before is None else before.begin
        end = each.end if before is None else before.end + each.seconds
        claimed = each.claimed or (before is not None and before.claimed)
        kinds[kind] = Stretch(each.state, each.word, begin, end, claimed)
    return list(kinds.values())


def going_on(seen: Sequence[Stretch]) -> Iterator[float]:
    """Give the seconds that are told of a task and grow: in all, and in its present state."""
    for each in spent(seen):
        if (each.state, each.word) == (seen[-1].state, seen[-1].word):
            yield each.seconds
    yield sum(each.seconds for each in seen)


def spent_lines(
    seen: Sequence[Stretch], width: int, *, ended: bool, drawn: bool = True
) -> list[Line]:
    """Return how long a task took, and in which state: where that says more than its state does.

    `drawn`: with a line of signs, too.
    """
    kinds = spent(seen)
    if not kinds or (len(kinds) == 1 and not ended):
        return []
    if not ended and sum(each.seconds for each in kinds) < words.STEP:
        return []
    claimed = any(each.claimed for each in kinds)
    total = _long(sum(each.seconds for each in kinds), claimed=claimed, ended=ended)
    most = "at most " if seen[-1].word == UNSEEN and not seen[-1].claimed else ""
    said = f"took {most}{total}" if ended else f"{total} so far"
    lines = [line for line in (timeline(seen, width),) if line and drawn]
    if len(kinds) == 1:
        return [*lines, (Piece(said, Tone.MUTED),)]
    parts = []
    for each in kinds:
        long = _long(each.seconds, claimed=each.claimed, ended=ended)
        sign = Piece(f"{words.state_glyph(each.state)} ", STATE_TONES[each.state])
        parts.append((sign, Piece(f"{each.word} {long}", Tone.MUTED)))
    return [*lines, *packed(parts, width, lead=(Piece(f"{said}: ", Tone.MUTED),), hang=2)]


def _long(seconds: float, *, claimed: bool, ended: bool) -> str:
    """Return a length of time; while the task goes on, in the steps of all that passes."""
    if not ended and seconds < words.STEP:
        return "a moment"
    said = words.duration(seconds if ended else words.passed(seconds))
    return f"≈ {said}" if claimed else said


def timeline(seen: Sequence[Stretch], width: int) -> Line:
    """Return one line of the states' signs, each as long as its time; empty with one state.

    The signs tell the states apart where colours do not.
    """
    cells = min(width, _LONGEST)
    whole = sum(each.seconds for each in seen)
    if len({each.state for each in seen}) < 2 or not whole or len(seen) * _LEAST_SHARE > cells:
        return BLANK
    left = cells - len(seen)  # each has its own cell first, however short it was
    pieces: list[Piece] = []
    passed, used = 0.0, 0
    for each in seen:
        passed += each.seconds
        size = round(passed / whole * left) - used
        used += size
        sign = words.state_glyph(each.state)
        pieces.append(Piece(sign * (size + 1), STATE_TONES[each.state]))
    return tuple(pieces)

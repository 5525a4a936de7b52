"""Time spent in each state, as words and as a line of signs: what took how long (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.history import told
from mcp_tasks_tui.ui.widgets.panel_facts import STATE_TONES
from mcp_tasks_tui.ui.widgets.panel_lines import BLANK, Line, Piece, Tone, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.handles.model import JournalEntry

#: Cells that a line of time takes at most, and for each stretch at least.
_LONGEST, _LEAST_SHARE = 120, 2


@record
class Stretch:
    """A time in one state, as it was seen: epoch seconds; `word` is the state's."""

    state: State
    word: str
    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return max(0.0, self.end - self.begin)


def stretches(journal: Sequence[JournalEntry], now: float, *, ended: bool) -> tuple[Stretch, ...]:
    """Return the states that a task was seen in, in their order.

    Time before the first known status does not count, nor time after the task ended or was gone.
    """
    found: list[Stretch] = []
    state, word, since = State.UNKNOWN, "", 0.0
    for entry in journal:
        if entry.event not in (Event.STATUS, Event.GONE, Event.BACK):
            continue
        if word and entry.event is not Event.BACK:
            found.append(Stretch(state, word, since, entry.at))
        since = entry.at
        if entry.event is Event.STATUS:
            line = told(entry)
            state, word = line.state or State.UNKNOWN, line.what
        elif entry.event is Event.GONE:
            state, word = State.GONE, words.STATES[State.GONE].word
        elif found:
            state, word = found[-1].state, found[-1].word
    if word and not ended:
        found.append(Stretch(state, word, since, now))
    return tuple(each for each in found if each.state is not State.GONE)


def spent(seen: Sequence[Stretch]) -> list[Stretch]:
    """Return one stretch for each state, as long as all of its, in order of appearance."""
    kinds: dict[tuple[State, str], Stretch] = {}
    for each in seen:
        kind = each.state, each.word
        before = kinds.get(kind)
        begin = each.begin if before is None else before.begin
        end = each.end if before is None else before.end + each.seconds
        kinds[kind] = Stretch(each.state, each.word, begin, end)
    return list(kinds.values())


def spent_lines(seen: Sequence[Stretch], width: int, *, ended: bool) -> list[Line]:
    """Return how long a task took, and in which state: where that says more than its state does."""
    kinds = spent(seen)
    if not kinds or (len(kinds) == 1 and not ended):
        return []
    total = words.duration(sum(each.seconds for each in kinds))
    said = f"took {total}" if ended else f"{total} so far"
    lines = [line for line in (timeline(seen, width),) if line]
    if len(kinds) == 1:
        return [*lines, (Piece(said, Tone.MUTED),)]
    parts = [
        (
            Piece(f"{words.state_glyph(each.state)} ", STATE_TONES[each.state]),
            Piece(f"{each.word} {words.duration(each.seconds)}", Tone.MUTED),
        )
        for each in kinds
    ]
    return [*lines, *packed(parts, width, lead=(Piece(f"{said}: ", Tone.MUTED),), hang=2)]


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

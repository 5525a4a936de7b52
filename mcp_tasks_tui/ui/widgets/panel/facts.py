"""What the task panel draws from: one value, so that every section is a function of it."""

from __future__ import annotations

import math
from dataclasses import field
from datetime import UTC
from enum import StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.dating import entry_dated
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, packed, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry, Snapshot
    from mcp_tasks_tui.supervise.dating import Dated
    from mcp_tasks_tui.supervise.results import ResultDoc
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.panel.kinds import Kind

#: Cells of the column of labels; narrower panels put the word in the line.
LABEL = 10
_NARROW = 30
#: Seconds in which progress may stand still and its estimate of the end still holds: at least,
#: and where nothing is known of its usual pace.
_SHORT_GAP, _UNKNOWN_GAP = 15.0, 60.0

STATE_TONES: dict[State, Tone] = {
    State.WORKING: Tone.WORKING,
    State.INPUT_REQUIRED: Tone.NEED,
    State.COMPLETED: Tone.GOOD,
    State.TOOL_ERROR: Tone.BAD,
    State.FAILED: Tone.BAD,
    State.CANCELLED: Tone.QUIET,
    State.GONE: Tone.GONE,
    State.UNKNOWN: Tone.QUIET,
}


class Loaded(StrEnum):
    """How far something that is read from the disk has come."""

    WAITING = "waiting"
    READY = "ready"
    FAILED = "failed"


@record
class PanelFacts:
    """A task at one moment, and the space to show it in."""

    view: TaskView
    now: float
    width: int
    height: int
    #: Times as clock times, of this machine's zone or of UTC; else as ages.
    absolute: bool = False
    utc: bool = False
    #: The journal begins with its last line.
    newest_first: bool = False
    #: The journal has only lines of this kind.
    kind: Kind | None = None
    journal: tuple[JournalEntry, ...] = ()
    result: ResultDoc | None = None
    result_loaded: Loaded = Loaded.WAITING
    #: Why journal or result could not be read, one clean line.
    trouble: str = ""
    #: (epoch seconds, fraction) of the progress seen, ascending.
    history: tuple[tuple[float, float], ...] = ()
    pinned: bool = False
    #: That all this is of an earlier moment; empty where it is of now.
    frozen: Line = ()
    #: Keys as a person reads them; empty where there is none, or where nothing may be sent.
    answer_key: str = ""
    open_key: str = ""
    poll_key: str = ""
    kinds_key: str = ""

    def when(self, at: float | None) -> str:
        """Return a moment as the person wants to read it."""
        if at is None:
            return "never"
        if self.absolute:
            return self.clock(at)
        return words.ago(at, self.now)

    def clock(self, at: float) -> str:
        return words.clock_time(at, self.now, UTC if self.utc else None)

    @property
    def zone(self) -> str:
        """Whose time the clock times are of; empty where there are none."""
        return "" if not self.absolute else "UTC" if self.utc else "local time"


@record
class Section:
    """A heading of ours, what stands beside it, and lines that fit the width."""

    id: str
    title: str
    lines: tuple[Line, ...] = field(default=())
    aside: str = ""


def labelled(
    label: str, tone: Tone, pieces: Iterable[Piece], width: int, limit: int = 0, *, hang: int = 0
) -> list[Line]:
    """Return pieces beside a word that says who says so.

    `hang`: cells of a mark before the text, which later lines do not begin under.
    """
    if width < _NARROW:
        return wrap([Piece(f"{label}: ", tone), *pieces], width, 2, limit)
    return wrap([Piece(f"{label:<{LABEL}}", tone), *pieces], width, LABEL + hang, limit)


def time_left(view: TaskView, now: float) -> float | None:
    """Return the estimated seconds from now to the end, None where nothing supports an estimate.

    Progress that has not moved for clearly longer than it usually takes supports none.
    """
    progress, snapshot = view.progress, view.snapshot
    if progress is None or progress.eta is None or view.state.ended or not view.live:
        return None
    if now >= stands_still_at(snapshot):
        return None
    since = now - snapshot.observed_at if snapshot.observed_at is not None else 0.0
    return max(0.0, progress.eta - max(0.0, since))


def stands_still_at(snapshot: Snapshot) -> float:
    """Return from when on progress that does not move supports no estimate."""
    moved, gap = snapshot.last_message_at or snapshot.changed_at, snapshot.usual_gap
    if moved is None:
        return -math.inf
    return moved + (_UNKNOWN_GAP if gap is None else max(_SHORT_GAP, 2 * gap))


def waiting(since: float, now: float, sign: str = "") -> str:
    """Return for how long a question waits; `sign` stands before the time."""
    if now - since < words.STEP:
        return f"asked {sign}just now"
    return f"waits {sign}{words.duration(words.passed(now - since))}"


def listed(label: str, tone: Tone, parts: Sequence[Piece], width: int) -> list[Line]:
    """Return short facts beside their label, each of them whole where it fits."""
    narrow = width < _NARROW
    lead = Piece(f"{label}: " if narrow else f"{label:<{LABEL}}", tone)
    return packed([(each,) for each in parts], width, lead=(lead,), hang=2 if narrow else LABEL)


def state_since(journal: Sequence[JournalEntry]) -> Dated | None:
    """Return when the state last changed, as far as that is known."""
    changes = (entry_dated(each) for each in reversed(journal) if each.event is Event.STATUS)
    return next(changes, None)

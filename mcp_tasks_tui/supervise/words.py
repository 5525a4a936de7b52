"""How times, sizes, counts and states read. One place for every label that people see."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.view import Coverage, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

    from mcp_tasks_tui.handles.model import Handle, Intent, Snapshot
    from mcp_tasks_tui.supervise.view import Attention, TaskView

_MINUTE = 60
_HOUR = 3_600
_DAY = 86_400


def duration(seconds: float) -> str:
    """Return a length of time: ``45 s``, ``4 m``, ``2 h 05 m``, ``3 d``."""
    if not math.isfinite(seconds):
        return "?"
    whole = max(int(seconds), 0)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} m"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} m"
    return f"{whole // _DAY} d"


def age(seconds: float) -> str:
    """Return a length of time in at most four characters: ``5s 12m 3h 40d``."""
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m"
    if whole < 2 * _DAY:
        return f"{whole // _HOUR}h"
    days = whole // _DAY
    return f"{days}d" if days < 1000 else f"{days // 365}y"


# Times that pass on the screen, all by one rule, so that no two of them disagree: under a minute
# they move in steps of ten seconds, or a quiet screen would never rest. What has passed is rounded
# down, what is to come is rounded up.

#: Seconds in which times under a minute move on, and for which a time is no more than ``now``.
STEP = 10.0
NOW_WORD = "now"


def passed(seconds: float) -> float:
    """Return a length of time so far as it is shown."""
    return max(seconds - seconds % STEP, 0.0) if seconds < _MINUTE else seconds


def to_come(seconds: float) -> float:
    """Return a length of time that is left as it is shown; nothing is to come in no time."""
    step = STEP if seconds <= _MINUTE - STEP else _MINUTE
    return max(math.ceil(seconds / step), 1) * step if math.isfinite(seconds) else seconds


def ago(at: float | None, now: float) -> str:
    """Return how long before `now` something was (epoch seconds), ``never`` for None."""
    if at is None:
        return "never"
    return f"{duration(passed(now - at))} ago" if now - at >= STEP else "just now"


def lasting(since: float, now: float) -> str:
    """Return for how long something has lasted: ``for 40 s``, ``since just now``."""
    return f"for {duration(passed(now - since))}" if now - since >= STEP else "since just now"


def left(seconds: float) -> str:
    """Return how long something still takes: ``20 s``, ``2 m``."""
    return duration(to_come(seconds))


def short_age(seconds: float) -> str:
    """Return how long ago in at most four characters: ``now``, ``10s``, ``12m``."""
    return NOW_WORD if seconds < STEP else age(passed(seconds))


def short_left(seconds: float) -> str:
    """Return how soon in at most four characters: ``10s``, ``2m``; ``now`` where it is due."""
    return NOW_WORD if seconds <= 0 else age(to_come(seconds))


def moves_on(at: float, now: float, *, short: bool = False) -> float:
    """Return until when whatever is told here of the time between `at` and `now` reads the same,
    at least; `short`: it is told in four characters."""
    passed_by = now - at
    if passed_by < 0:
        step = STEP if passed_by >= -_MINUTE else _MINUTE
    elif passed_by < _MINUTE:
        step = STEP
    else:
        step = _HOUR if short and passed_by >= _HOUR else _MINUTE
    return at + (passed_by // step + 1) * step


def size(count: float) -> str:
    """Return a number of bytes: ``512 B``, ``1.5 kB``, ``17 MB``."""
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if count < 999.5:
            break
        count, unit = count / 1000, larger
    return f"{count:.1f} {unit}" if unit != "B" and count < 9.95 else f"{count:.0f} {unit}"


def percent(fraction: float) -> str:
    """Return a share (0..1) as every place shows it: ``0%`` to ``100%``, 100 only for the whole."""
    if fraction >= 1:
        return "100%"
    return f"{min(max(round(fraction * 100), 0), 99)}%"


def counted(number: int, noun: str) -> str:
    """Return ``1 task``, ``12,000 tasks``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def local_time(at: float, tz: tzinfo | None = None) -> str:
    """Return ``2026-11-29 17:03:43`` in `tz` (None: the zone of this machine)."""
    try:
        return f"{datetime.fromtimestamp(at, tz):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return "?"


def clock_time(at: float, now: float, tz: tzinfo | None = None) -> str:
    """Return ``17:03:43`` for a moment of the same day as `now`, else date and minute.

    A time of UTC has a ``Z`` behind it.
    """
    moment, today = local_time(at, tz), local_time(now, tz)
    if moment == "?":
        return moment
    shown = moment[11:] if moment[:10] == today[:10] else moment[:16]
    return f"{shown}Z" if tz is UTC else shown


# --- states and reasons --------------------------------------------------------------------


@record
class StateWord:
    """A state's word and its one-cell sign, with a plain ASCII sign for other terminals.

    `several` is the word for more than one task, empty where it is the same.
    """

    word: str
    glyph: str
    ascii: str
    several: str = ""

    def of(self, count: int) -> str:
        """Return the word for so many tasks."""
        return self.several if self.several and count != 1 else self.word


STATES: dict[State, StateWord] = {
    State.INPUT_REQUIRED: StateWord("needs input", "◆", "?", several="need input"),
    State.WORKING: StateWord("working", "●", "*"),
    State.UNKNOWN: StateWord("unknown", "○", "."),
    State.FAILED: StateWord("failed", "✗", "x"),
    State.TOOL_ERROR: StateWord("tool error", "▲", "!"),
    State.COMPLETED: StateWord("completed", "✓", "+"),
    State.CANCELLED: StateWord("cancelled", "■", "-"),
    State.GONE: StateWord("gone", "◌", "~"),
}

#: A task whose server says that it works while nothing moves: not what a running one looks like.
STUCK = StateWord("stuck", "◐", "=")

REASONS: dict[Reason, str] = {
    Reason.INPUT_REQUIRED: "needs input",
    Reason.STUCK: "stuck",
    Reason.EXPIRING: "may expire",
    Reason.CANCEL_UNANSWERED: "not stopping",
    Reason.READ_FAILING: "cannot be read",
}

#: The text of these has its own time: an age beside it would say it twice.
TIMED_REASONS = frozenset({Reason.STUCK, Reason.EXPIRING, Reason.CANCEL_UNANSWERED})

COVERAGES: dict[Coverage, str] = {
    Coverage.POLLED: "polled",
    Coverage.PUSHED: "pushed",
    Coverage.HELD: "polling held",
    Coverage.PAUSED: "waiting for the server",
    Coverage.ENDED: "ended",
}


def state_glyph(state: State, *, ascii_only: bool = False) -> str:
    return STATES[state].ascii if ascii_only else STATES[state].glyph


def foremost(view: TaskView) -> Attention | None:
    """Return what a person should know first of the task: what waits can wait, what is dropped is
    lost. None where nothing wants a person."""
    expiring = (each for each in view.attention if each.reason is Reason.EXPIRING)
    return next(expiring, view.attention[0] if view.attention else None)


def is_stuck(view: TaskView) -> bool:
    """Tell whether the task goes on by the word of its server, and nothing moves."""
    return bool(view.attention) and view.attention[0].reason is Reason.STUCK


def view_glyph(view: TaskView, *, ascii_only: bool = False) -> str:
    """Return the sign of a task as it stands now: that of its state, or that it is stuck."""
    if is_stuck(view):
        return STUCK.ascii if ascii_only else STUCK.glyph
    return state_glyph(view.state, ascii_only=ascii_only)


def state_label(view: TaskView) -> str:
    """Return where the server says the task stands, and whose turn it is, in words."""
    if view.all_answered:
        return "answered, waiting"
    if view.state is State.UNKNOWN:
        status = view.snapshot.status
        return one_line(status, 40) if status else "not read yet"
    return STATES[view.state].word


def standing_label(view: TaskView) -> str:
    """Return the word beside the sign of :func:`view_glyph`: that it is stuck, else its state."""
    return STUCK.word if is_stuck(view) and not view.all_answered else state_label(view)


#: Of a task that no read ever found.
NEVER_KNOWN = "never known here: check the id, the server and the sign-in"
KNOWN_NO_MORE = "its server does not know it any more"


def why_gone(snapshot: Snapshot) -> str:
    """Return why a task is gone: dropped by its server, or never a task of it as far as we know."""
    return NEVER_KNOWN if snapshot.observed_at is None else KNOWN_NO_MORE


def is_never_known(view: TaskView) -> bool:
    """Tell whether a task is gone that no read ever found."""
    return view.state is State.GONE and view.snapshot.observed_at is None


def requested_label(snapshot: Snapshot, now: float) -> str:
    """Return what we asked of the server and it has not shown yet, empty where nothing."""
    if snapshot.cancel_requested_at is None or snapshot.state.ended:
        return ""
    return f"cancel requested {ago(snapshot.cancel_requested_at, now)}"


def title(handle: Handle) -> str:
    """Return what a task is called: its label, else its tool, else its id; one clean line."""
    for text in (handle.label, handle.tool, handle.task_id):
        line = one_line(text, 120) if text else ""
        if line:
            return line
    return handle.key


def freshness(view: TaskView, now: float) -> str:
    """Return how old what is shown is, and how the last reads went."""
    read = view.snapshot.read
    seen = view.snapshot.observed_at
    if seen is None:
        words = "never read"
    elif view.coverage is Coverage.PUSHED and view.live:
        words = f"pushed, last heard {ago(seen, now)}"
    elif view.live:
        words = f"read {ago(seen, now)}"
    else:
        words = f"last seen {ago(seen, now)}"
    if not read.ok and read.failures:
        words += f", {counted(read.failures, 'failed read')}"
    return words


def lost_call(intent: Intent, server: str, now: float) -> str:
    """Return what is known of a call that was sent and left no handle; one clean line."""
    return (
        f"a call of {one_line(intent.tool, 60)} on {one_line(server, 60)} was sent "
        f"{ago(intent.at, now)} and no handle came back: it may have started"
    )


#: What ends the reminder of lost calls, outside the screen.
FORGET_CALLS = "`mcp-tasks-tui doctor --forget-calls`"


def lost_calls(
    intents: Sequence[Intent],
    name_of: Callable[[str], str],
    now: float,
    *,
    ended_by: str = FORGET_CALLS,
) -> str:
    """Return one line for one or more of them that says how to be rid of it, empty for none."""
    if not intents:
        return ""
    if len(intents) == 1:
        told = lost_call(intents[0], name_of(intents[0].server_url), now)
    else:
        told = (
            f"{counted(len(intents), 'call')} were sent and no handle came back: "
            "they may have started"
        )
    return f"{told}; {ended_by} ends this reminder"


# --- timestamps of servers -----------------------------------------------------------------

# Text, compiled when first needed: start-up.
_TIMESTAMP = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,20}))?)?)?"
    r"[ ]?(?:([Zz]|UTC|GMT)|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
_NUMBER = r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?"
_LAST = 1e11  # the year 5138: what is larger is in a smaller unit


def parse_time(value: object) -> float | None:
    """Return a server's timestamp in epoch seconds, None where it is none.

    Reads ISO 8601 as servers write it (``Z`` in either case, offsets, no fraction or a long one,
    a blank for the ``T``, second 60, hour 24; without a zone it is UTC) and numbers in seconds,
    milli-, micro- or nanoseconds. Never raises.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    if not isinstance(value, str) or len(value) > 64:
        return None
    text = value.strip()
    # As nearly every server writes it; read for each task at each poll.
    if text[7:8] == "-" and text[10:11] == "T" and text[-1] == "Z":
        with suppress(ValueError):
            return datetime.fromisoformat(text).timestamp()
    if match := re.fullmatch(_TIMESTAMP, text):
        return _from_parts(match)
    return _from_number(float(text)) if re.fullmatch(_NUMBER, text) else None


def _from_number(value: float) -> float | None:
    if not abs(value) < 1e21:  # also NaN; integers can be too large for a float
        return None
    seconds = float(value)
    for _ in range(3):
        if abs(seconds) < _LAST:
            break
        seconds /= 1000
    return seconds if 0 <= seconds < _LAST else None


def _from_parts(match: re.Match[str]) -> float | None:
    year, month, day, hour, minute, second, fraction, _, sign, off_hour, off_minute = match.groups()
    hours, minutes, seconds = int(hour or 0), int(minute or 0), int(second or 0)
    if hours > 24 or minutes > 59 or seconds > 60:
        return None
    offset = timedelta(hours=int(off_hour or 0), minutes=int(off_minute or 0))
    try:
        day_start = datetime(int(year), int(month), int(day), tzinfo=UTC).timestamp()
    except ValueError:
        return None
    clock = timedelta(hours=hours, minutes=minutes, seconds=seconds).total_seconds()
    shift = offset.total_seconds() * (-1 if sign == "-" else 1)
    return day_start + clock - shift + (float(f"0.{fraction}") if fraction else 0.0)

"""When a task expires, and how fresh what is shown of it is: two rows of the panel's top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.attention import estimated_end
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone
from mcp_tasks_tui.ui.widgets.panel.facts import LABEL, labelled, listed

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts

#: How news comes where it is not simply asked for again and again.
_HOW: dict[Coverage, str] = {
    coverage: f" ({words.COVERAGES[coverage]})"
    for coverage in (Coverage.PUSHED, Coverage.HELD, Coverage.PAUSED)
}
#: Cells of the longest two times on the row, with all that stands around them: how many rows there
#: are must not depend on what the clock says.
_TWO_TIMES = len("1 h 00 m ago · next in 1 h 00 m")


def expires_lines(facts: PanelFacts) -> list[Line]:
    """Return when the server may forget the task; when exactly is for the server to say."""
    snapshot = facts.view.snapshot
    end = end_of_life(snapshot)
    if end is None:
        return []
    alarm = any(each.reason is Reason.EXPIRING for each in facts.view.attention)
    left = end - facts.now
    if left < 0 and alarm:
        guess = "any moment"
    elif left <= -words.STEP:
        guess = f"≈ {words.duration(words.passed(-left))} overdue"
    elif left < 0:
        guess = "≈ now"
    elif facts.absolute:
        guess = f"at ≈ {facts.when(end)}"
    else:
        guess = f"in ≈ {words.left(left).removesuffix(' 00 m')}"
    tone = Tone.WARN if alarm else Tone.ASSUMED
    return labelled("expires", tone, [Piece(guess, tone)], facts.width)


def end_of_life(snapshot: Snapshot) -> float | None:
    """Return the end of the time to live on our clock, also one that has passed."""
    if (end := estimated_end(snapshot)) is not None:
        return end
    created = words.parse_time(snapshot.created_at)
    if not snapshot.ttl_ms or snapshot.ttl_ms < 0 or created is None:
        return None
    return created + snapshot.ttl_ms / 1000 - (snapshot.clock_offset or 0.0)


def reading_lines(facts: PanelFacts) -> list[Line]:
    """Return how old the news is, how it comes, when the next comes, and what went wrong."""
    view, read = facts.view, facts.view.snapshot.read
    if view.state.terminal:
        return _last_try(facts)  # what has ended does not change any more
    gone = view.state is State.GONE
    how = "" if gone else _HOW.get(view.coverage, "")
    seen = f"{facts.when(view.snapshot.observed_at)}{how}"
    parts = [Piece(seen, Tone.MUTED if view.live else Tone.WARN)]
    if gone:
        missed = f"{words.counted(max(read.failures, 1), 'read')} in a row found no such task"
        parts.append(Piece(missed, Tone.GONE))
        if words.is_never_known(view):
            parts.append(Piece(words.NEVER_KNOWN, Tone.GONE))
    elif not read.ok and read.failures:
        parts.append(Piece(words.counted(read.failures, "failed read"), Tone.BAD))
    if not view.live and not gone:
        parts.append(Piece("last known, not confirmed since this program started", Tone.WARN))
    if view.quiet and not view.attention:
        parts.append(Piece(view.quiet, Tone.MUTED))
    due = _next_read(facts)
    others = sum(len(each.text) + len(" · ") for each in parts[1:])
    # The next read of a task that could be read; else the next try to.
    trying = "" if read.ok or gone else " try"
    beside = facts.width >= LABEL + _TWO_TIMES + len(trying) + len(how) + others
    if due and beside:
        parts.append(Piece(f"next{trying} {due}", Tone.MUTED))
    lines = listed("read", Tone.MUTED, parts, facts.width)
    lines += _last_try(facts)
    if due and not beside:
        lines += labelled(
            f"next{trying or ' read'}", Tone.MUTED, [Piece(due, Tone.MUTED)], facts.width
        )
    return lines


def _last_try(facts: PanelFacts) -> list[Line]:
    """Return why the last read failed; that a task is gone is told by its state."""
    read = facts.view.snapshot.read
    if read.ok or not read.error or facts.view.state is State.GONE:
        return []
    said = [
        Piece(one_line(read.error, 300), Tone.BAD),
        Piece(f"  {facts.when(read.at)}", Tone.MUTED),
    ]
    return labelled("last try", Tone.BAD, said, facts.width, 3)


def _next_read(facts: PanelFacts) -> str:
    """Return when the task is read next, empty where it is not."""
    view = facts.view
    if view.reading:
        return "now"
    if view.next_read_at is None:
        return ""
    left = view.next_read_at - facts.now
    if left <= 0:
        return "now"
    return f"at {facts.when(view.next_read_at)}" if facts.absolute else f"in {words.left(left)}"


def looks_old(view: TaskView, now: float) -> bool:
    """Tell whether what is known is older than it should be, or is not read any more."""
    if view.state.ended:
        return False
    seen, due = view.snapshot.observed_at, view.next_read_at
    if seen is None or not view.live or not view.snapshot.read.ok:
        return True
    if view.coverage in (Coverage.HELD, Coverage.PAUSED):
        return True
    return now - seen >= _OLD and (due is None or due < now - words.STEP)


#: Seconds from which on news that is not planned for later is old.
_OLD = 60.0

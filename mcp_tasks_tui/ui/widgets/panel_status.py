"""Where a task stands: what the server says, what we asked, what we work out, how it is read.

One row for each of these, all in one style: a label that says what it is, then short facts. What is
worked out here, and not said by anybody, carries a ≈ and is in italics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.ui.widgets.panel_facts import (
    STATE_TONES,
    PanelFacts,
    Section,
    labelled,
    listed,
    state_since,
    time_left,
)
from mcp_tasks_tui.ui.widgets.panel_history import graph
from mcp_tasks_tui.ui.widgets.panel_lines import (
    REASON_TONES,
    Line,
    Piece,
    Tone,
    bar,
    piece,
    spread,
    width_of,
    wrap,
)
from mcp_tasks_tui.ui.widgets.panel_pace import pace
from mcp_tasks_tui.ui.widgets.result_model import read_error

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

#: Cells from which on all words of how it is read have one row; else the next read has its own.
_ROOMY = 48
#: Lines of a server's message, and of a title, that the panel shows.
_MESSAGE_LINES, _TITLE_LINES = 6, 3
#: Cells that the longest time beside a state takes: whether the title has a line of its own must
#: not depend on what the clock says.
_LONGEST_TIME = 15
#: A mark that moves on only when something new arrived.
_ACTIVITY = "⠋⠙⠸⠴⠦⠇"


def status_section(facts: PanelFacts) -> Section:
    """Return the top of the panel; it is always there and never collapses."""
    lines: list[Line] = wrap(facts.frozen, facts.width, 2) if facts.frozen else []
    lines += _head(facts)
    lines += _progress(facts)
    lines += _attention(facts)
    lines += _message(facts)
    lines += _asked(facts)
    if not facts.view.state.ended:
        lines += _estimate(facts)
        lines += _kept(facts)
    lines += _reading(facts)
    return Section("status", "", tuple(lines))


def activity(view: TaskView) -> str:
    """Return a sign that differs each time the task said something new."""
    return _ACTIVITY[view.snapshot.message_changes % len(_ACTIVITY)]


def _head(facts: PanelFacts) -> list[Line]:
    """Return state and title: on one line if it fits, else the title whole on its own ones."""
    view = facts.view
    label = words.state_label(view)
    state = Piece(f"{words.view_glyph(view)} {label}", STATE_TONES[view.state])
    title = Piece(words.title(view.handle), Tone.STRONG)
    when = Piece(_state_age(facts), Tone.MUTED)
    pinned = [Piece(" pinned", Tone.ASKED)] if facts.pinned else []
    needed = width_of([state, title, *pinned]) + _LONGEST_TIME + 4
    if needed <= facts.width:
        return [spread([state, Piece("  "), title], [when, *pinned], facts.width)]
    first = spread([state, Piece("  "), when], pinned, facts.width)
    return [first, *wrap([title], facts.width, 0, _TITLE_LINES)]


def _state_age(facts: PanelFacts) -> str:
    """Return since when the state is what it is, empty where nobody saw it begin."""
    if facts.view.state is State.GONE:
        return facts.when(facts.view.snapshot.gone_at)
    since = state_since(facts.journal)
    if since is None:
        return ""
    claimed = "≈ " if since.claimed else ""
    noticed = since.unseen and not since.claimed
    if facts.view.state.ended:
        return f"{'noticed ' if noticed else claimed}{facts.when(since.at)}"
    if noticed:
        return f"seen {facts.when(since.at)}"
    if facts.absolute:
        return f"{claimed}since {facts.when(since.at)}"
    return f"{claimed}{words.lasting(since.at, facts.now)}"


def _progress(facts: PanelFacts) -> list[Line]:
    progress = facts.view.progress
    if progress is None:
        return []
    tone = STATE_TONES[facts.view.state] if facts.view.state.ended else Tone.BAR
    figure = f" ≈{words.percent(progress.fraction):>4}"
    room = max(4, facts.width - len(figure))
    lines: list[Line] = [(*bar(progress.fraction, room, tone), Piece(figure, Tone.ASSUMED))]
    if facts.view.state.ended:
        return lines
    shown = graph(facts.history, facts.now, facts.width)
    return [*lines, shown] if shown else lines


def _attention(facts: PanelFacts) -> list[Line]:
    lines: list[Line] = []
    for each in facts.view.attention:
        if each.reason is Reason.INPUT_REQUIRED and facts.view.open_requests:
            continue  # the state says so, and the questions follow
        tone = REASON_TONES[each.reason]
        reason = words.REASONS[each.reason]
        clear = each.reason is Reason.INPUT_REQUIRED or each.text.lower().startswith(reason)
        text = each.text if clear else f"{reason}: {each.text}"
        pieces = [Piece(text, tone)]
        if each.reason not in words.TIMED_REASONS:
            pieces.append(Piece(f"  {facts.when(each.since)}", Tone.MUTED))
        lines += labelled("attention", tone, pieces, facts.width, 3)
    return lines


def _message(facts: PanelFacts) -> list[Line]:
    view, snapshot = facts.view, facts.view.snapshot
    lines: list[Line] = []
    if view.state is State.UNKNOWN and snapshot.status:
        said = [piece(f'"{one_line(snapshot.status, 60)}", a state that MCP does not name')]
        lines += labelled("state", Tone.SERVER, said, facts.width)
    if view.message and not _is_in_error(view):
        at = snapshot.last_message_at
        when = [Piece(f"  {facts.when(at)}", Tone.MUTED)] if at is not None else []
        label, tone = ("last said", Tone.MUTED) if view.message_is_old else ("message", Tone.PLAIN)
        text = _shortened(view.message.raw)
        mark = [] if view.state.ended else [Piece(f"{activity(view)} ", Tone.SERVER)]
        said = [*mark, piece(text.strip(), tone), *when]
        hang = width_of(mark)
        lines += labelled(label, Tone.SERVER, said, facts.width, _MESSAGE_LINES, hang=hang)
    elif view.state is State.WORKING and snapshot.observed_at is not None:
        lines += labelled("message", Tone.SERVER, [Piece("none so far", Tone.MUTED)], facts.width)
    return lines


def _is_in_error(view: TaskView) -> bool:
    """Tell whether the error of a failed task, which is shown below, says the message too."""
    error = read_error(view.snapshot.error).message if view.state is State.FAILED else None
    return (
        error is not None and view.message is not None and (view.message.raw.strip() in error.raw)
    )


def _shortened(message: str) -> str:
    rows = message[:2000].splitlines()
    cut = "\n".join(rows[:_MESSAGE_LINES])
    return f"{cut} …" if len(rows) > _MESSAGE_LINES or len(message) > 2000 else cut


def _asked(facts: PanelFacts) -> list[Line]:
    view, snapshot = facts.view, facts.view.snapshot
    asked: list[str] = []
    if snapshot.cancel_requested_at is not None:
        shown = "" if view.state.ended else ": not stopped yet, as far as the server says"
        if view.state in (State.COMPLETED, State.TOOL_ERROR, State.FAILED):
            shown = ": it ended by itself first"
        asked.append(f"cancel requested {facts.when(snapshot.cancel_requested_at)}{shown}")
    if snapshot.answer_sent_at is not None and view.all_answered:
        sent = facts.when(snapshot.answer_sent_at)
        asked.append(f"answer sent {sent}: the server has not moved on yet")
    if view.coverage is Coverage.HELD and not view.state.ended:
        asked.append("polling held: nothing is read until it is let go")
    return [
        line
        for text in asked
        for line in labelled("we asked", Tone.ASKED, [Piece(text, Tone.ASKED)], facts.width)
    ]


def _estimate(facts: PanelFacts) -> list[Line]:
    progress, left = facts.view.progress, time_left(facts.view, facts.now)
    if progress is None or left is None:
        return []
    if facts.absolute:
        guesses = [f"≈ done at {facts.when(facts.now + left)}"]
    else:
        guesses = [f"≈ {words.left(left)} left"]
    if progress.rate:
        guesses.append(f"≈ {pace(progress.rate, progress)}")
    parts = [Piece(guess, Tone.ASSUMED) for guess in guesses]
    return listed("estimate", Tone.ASSUMED, parts, facts.width)


def _kept(facts: PanelFacts) -> list[Line]:
    """A server forgets a task some time after `ttlMs`; when exactly is for the server to say."""
    snapshot = facts.view.snapshot
    created = words.parse_time(snapshot.created_at)
    if not snapshot.ttl_ms or snapshot.ttl_ms < 0 or created is None:
        return []
    if any(one.reason is Reason.EXPIRING for one in facts.view.attention):
        return []  # said above, as a reason for attention
    end = created + snapshot.ttl_ms / 1000 - (snapshot.clock_offset or 0.0)
    left = end - facts.now
    if left < 0:
        guess = f"≈ {words.duration(-left)} past its time to live"
    elif facts.absolute:
        guess = f"≈ by the server until {facts.when(end)}"
    else:
        guess = f"≈ {words.left(left)} more by the server"
    return labelled("kept", Tone.ASSUMED, [Piece(guess, Tone.ASSUMED)], facts.width)


def _reading(facts: PanelFacts) -> list[Line]:
    """Return how old the news is, how it comes, when the next comes, and what went wrong."""
    view, read = facts.view, facts.view.snapshot.read
    certain = view.live or view.state.terminal  # what has ended does not change any more
    seen = facts.when(view.snapshot.observed_at)
    parts = [Piece(seen, Tone.MUTED if certain else Tone.WARN)]
    if not read.ok and read.failures:
        parts.append(Piece(words.counted(read.failures, "failed read"), Tone.BAD))
    if not certain:
        parts.append(Piece("last known, not confirmed since this program started", Tone.WARN))
    if not view.state.terminal:
        parts.append(Piece(words.COVERAGES[view.coverage], Tone.MUTED))
    if view.quiet and not view.attention:
        parts.append(Piece(view.quiet, Tone.MUTED))
    due = _next_read(facts)
    roomy = facts.width >= _ROOMY
    if due and roomy:
        parts.append(Piece(f"next {due}", Tone.MUTED))
    lines = listed("read", Tone.MUTED, parts, facts.width)
    if read.error and not read.ok:
        said = [
            Piece(one_line(read.error, 300), Tone.BAD),
            Piece(f"  {facts.when(read.at)}", Tone.MUTED),
        ]
        lines += labelled("last try", Tone.BAD, said, facts.width, 3)
    if due and not roomy:
        lines += labelled("next read", Tone.MUTED, [Piece(due, Tone.MUTED)], facts.width)
    return lines


def _next_read(facts: PanelFacts) -> str:
    """Return when the task is read next, empty where it is not."""
    view = facts.view
    if view.state.terminal:
        return ""
    if view.reading:
        return "now"
    if view.next_read_at is None:
        return ""
    left = view.next_read_at - facts.now
    if left <= 0:
        return "now"
    return f"at {facts.when(view.next_read_at)}" if facts.absolute else f"in {words.left(left)}"

"""Where a task stands: what the server says, what we asked, what we assume, how it is read."""

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
    joined,
    labelled,
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
)
from mcp_tasks_tui.ui.widgets.panel_pace import pace
from mcp_tasks_tui.ui.widgets.result_model import read_error

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

#: Cells from which on the reading line has room for all its words.
_ROOMY = 46
#: Lines of a server's message that the panel shows.
_MESSAGE_LINES = 6
#: A mark that moves on only when something new arrived.
_ACTIVITY = "⠋⠙⠸⠴⠦⠇"


def status_section(facts: PanelFacts) -> Section:
    """Return the top of the panel; it is always there and never collapses."""
    lines: list[Line] = [_head(facts)]
    lines += _progress(facts)
    lines += _attention(facts)
    lines += _server_says(facts)
    lines += _asked(facts)
    lines += _assumed(facts)
    lines += _reading(facts)
    return Section("status", "", tuple(lines))


def activity(view: TaskView) -> str:
    """Return a sign that differs each time the task said something new."""
    return _ACTIVITY[view.snapshot.message_changes % len(_ACTIVITY)]


def _head(facts: PanelFacts) -> Line:
    view = facts.view
    tone = STATE_TONES[view.state]
    label = words.state_label(view.snapshot, answered=view.all_answered)
    left = [
        Piece(f"{words.state_glyph(view.state)} {label}", tone),
        Piece("  "),
        Piece(words.title(view.handle), Tone.STRONG),
    ]
    right: list[Piece] = []
    since = state_since(facts.journal)
    if since is not None:
        spent = words.duration(facts.now - since)
        right.append(Piece(f"{'since' if view.state.ended else 'for'} {spent}", Tone.MUTED))
        if view.state.ended:
            right[-1] = Piece(facts.when(since), Tone.MUTED)
    if facts.pinned:
        right.append(Piece(" pinned", Tone.ASKED))
    return spread(left, right, facts.width)


def _progress(facts: PanelFacts) -> list[Line]:
    progress = facts.view.progress
    if progress is None:
        return []
    tone = STATE_TONES[facts.view.state] if facts.view.state.ended else Tone.BAR
    figure = f" {words.percent(progress.fraction):>4}"
    room = max(4, facts.width - len(figure))
    lines: list[Line] = [(*bar(progress.fraction, room, tone), Piece(figure, Tone.STRONG))]
    if facts.view.state.ended:
        return lines
    shown = graph(facts.history, facts.now, facts.width)
    return [*lines, shown] if shown else lines


def _attention(facts: PanelFacts) -> list[Line]:
    lines: list[Line] = []
    for each in facts.view.attention:
        tone = REASON_TONES[each.reason]
        reason = words.REASONS[each.reason]
        clear = each.reason is Reason.INPUT_REQUIRED or each.text.lower().startswith(reason)
        text = each.text if clear else f"{reason}: {each.text}"
        pieces = [Piece(text, tone)]
        if each.reason not in words.TIMED_REASONS:
            pieces.append(Piece(f"  {facts.when(each.since)}", Tone.MUTED))
        lines += labelled("attention", tone, pieces, facts.width, 3)
    return lines


def _server_says(facts: PanelFacts) -> list[Line]:
    view, snapshot = facts.view, facts.view.snapshot
    lines: list[Line] = []
    if view.state is State.UNKNOWN and snapshot.status:
        said = [piece(f'says "{one_line(snapshot.status, 60)}", a state that MCP does not name')]
        lines += labelled("server", Tone.SERVER, said, facts.width)
    if view.message and not _is_in_error(view):
        old = [Piece("said before: ", Tone.MUTED)] if view.message_is_old else []
        at = snapshot.last_message_at
        when = [Piece(f"  {facts.when(at)}", Tone.MUTED)] if at is not None else []
        tone = Tone.MUTED if view.message_is_old else Tone.PLAIN
        message = _shortened(view.message.raw)
        mark = [] if view.state.ended else [Piece(f"{activity(view)} ", Tone.SERVER)]
        said = [*mark, *old, piece(message.strip(), tone), *when]
        hang = width_of(mark)
        lines += labelled("server", Tone.SERVER, said, facts.width, _MESSAGE_LINES, hang=hang)
    elif view.state is State.WORKING and snapshot.observed_at is not None:
        said = [Piece("working, without a message", Tone.MUTED)]
        lines += labelled("server", Tone.SERVER, said, facts.width)
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


def _assumed(facts: PanelFacts) -> list[Line]:
    guesses = [*_pace(facts.view, facts.now), *_expiry(facts)]
    if not guesses or facts.view.state.ended:
        return []
    pieces = joined([Piece(guess, Tone.ASSUMED) for guess in guesses])
    return labelled("we assume", Tone.ASSUMED, pieces, facts.width)


def _pace(view: TaskView, now: float) -> list[str]:
    progress, left = view.progress, time_left(view, now)
    if progress is None or left is None:
        return []
    guesses = [f"{words.duration(left)} left"]
    if progress.rate:
        guesses.append(pace(progress.rate, progress))
    return guesses


def _expiry(facts: PanelFacts) -> list[str]:
    """A server forgets a task some time after `ttlMs`; when exactly is for the server to say."""
    snapshot = facts.view.snapshot
    created = words.parse_time(snapshot.created_at)
    if not snapshot.ttl_ms or snapshot.ttl_ms < 0 or created is None:
        return []
    left = created + snapshot.ttl_ms / 1000 - (facts.now + (snapshot.clock_offset or 0.0))
    if left < 0:
        return [f"kept longer than its time to live, by {words.duration(-left)}"]
    if any(one.reason is Reason.EXPIRING for one in facts.view.attention):
        return []  # said above, as a reason for attention
    return [f"kept {words.duration(left)} more"]


def _fresh(view: TaskView, now: float) -> str:
    """Return how old the news is and how reading went; that it was read is said beside it."""
    fresh = words.freshness(view, now)
    for known in ("pushed, last heard ", "read "):
        fresh = fresh.removeprefix(known)
    return fresh


def _reading(facts: PanelFacts) -> list[Line]:
    view, read = facts.view, facts.view.snapshot.read
    certain = view.live or view.state.terminal  # what has ended does not change any more
    fresh = _fresh(view, facts.now)
    parts = [Piece(fresh, Tone.MUTED if certain else Tone.WARN)]
    if not certain:
        parts.append(Piece("last known, not confirmed since this program started", Tone.WARN))
    if view.quiet and not view.attention:
        parts.append(Piece(view.quiet, Tone.MUTED))
    if not view.state.terminal:
        parts.append(Piece(words.COVERAGES[view.coverage], Tone.MUTED))
        if view.reading:
            parts.append(Piece("reading now", Tone.MUTED))
        elif view.next_read_at is not None:
            due = view.next_read_at - facts.now
            # One line also in the narrowest panel: it would grow and shrink with every digit.
            soon = f"next {'in ' * (facts.width >= _ROOMY)}{words.duration(due)}"
            parts.append(Piece(soon if due > 0 else "due", Tone.MUTED))
    lines = labelled("reading", Tone.MUTED, joined(parts), facts.width)
    if read.error and not read.ok:
        said = [
            Piece(one_line(read.error, 300), Tone.BAD),
            Piece(f"  {facts.when(read.at)}", Tone.MUTED),
        ]
        lines += labelled("", Tone.MUTED, said, facts.width, 3)
    return lines

"""Where a task stands: what it asks, what the server says, what we asked, what we work out.

One row for each of these, all in one style: a label that says what it is, then short facts. What is
worked out here, and not said by anybody, carries a ≈ and is in italics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.results import read_error
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import (
    REASON_TONES,
    Line,
    Piece,
    Tone,
    bar,
    fit,
    piece,
    spread,
    width_of,
    wrap,
)
from mcp_tasks_tui.ui.widgets.panel.facts import (
    STATE_TONES,
    PanelFacts,
    Section,
    labelled,
    listed,
    state_since,
    time_left,
    waiting,
)
from mcp_tasks_tui.ui.widgets.panel.fresh import expires_lines, reading_lines
from mcp_tasks_tui.ui.widgets.panel.history import graph
from mcp_tasks_tui.ui.widgets.panel.input import question_lines, question_of
from mcp_tasks_tui.ui.widgets.panel.pace import pace

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

#: Lines of a server's message, and of a title, that the panel shows.
_MESSAGE_LINES, _TITLE_LINES = 6, 3
#: Cells that the longest time beside a state takes: whether the title has a line of its own must
#: not depend on what the clock says.
_LONGEST_TIME = 15
#: Characters of a message that are compared with the question.
_LONGEST = 400
#: What servers write while they wait for an answer, in a few words without any number.
#: Text, compiled when first needed: start-up.
_WAITING = (
    r"(?:(?:is |still )?(?:a?waiting|paused|pending|blocked)|(?:user )?input|needs|requires)"
    r"\b[^0-9%]{0,50}"
)
#: A mark that moves on only when something new arrived.
_ACTIVITY = "⠋⠙⠸⠴⠦⠇"


def status_section(facts: PanelFacts) -> Section:
    """Return the top of the panel; it is always there and never collapses."""
    lines: list[Line] = wrap(facts.frozen, facts.width, 2) if facts.frozen else []
    lines += _head(facts)
    if not facts.view.open_requests:
        lines += _standing(facts) + _freshness(facts)
    else:  # what a person has to know to answer comes first
        lines += question_lines(facts) + _freshness(facts) + _standing(facts)
    return Section("status", "", tuple(lines))


def _standing(facts: PanelFacts) -> list[Line]:
    lines = _progress(facts) + _attention(facts) + _message(facts) + _asked(facts)
    return lines if facts.view.state.ended else lines + _estimate(facts)


def _freshness(facts: PanelFacts) -> list[Line]:
    expires = [] if facts.view.state.ended else expires_lines(facts)
    return expires + reading_lines(facts)


def activity(view: TaskView) -> str:
    """Return the sign of a task as it stands; of one that works, a sign that moves on each time
    it said something new. Nothing else moves."""
    if view.state is not State.WORKING or not view.live or view.quiet or words.is_stuck(view):
        return words.view_glyph(view)
    return _ACTIVITY[view.snapshot.message_changes % len(_ACTIVITY)]


def title_line(facts: PanelFacts) -> Line:
    """Return which task this is and where it stands, for a panel that is scrolled: since when
    gives way to the title, and a rule parts it from the lines that pass under it."""
    state, title, when = _named(facts)
    named = (state, Piece("  "), title, Piece(" "))
    right = (Piece(" "), when) if when.text else ()
    if width_of(named) + width_of(right) > facts.width:
        right = ()
    shown = fit(named, facts.width)
    rule = facts.width - width_of(shown) - width_of(right)
    return (*shown, Piece("─" * rule, Tone.RULE), *right)


def _named(facts: PanelFacts) -> tuple[Piece, Piece, Piece]:
    """Return a task's state, its title, and since when the state is what it is."""
    view = facts.view
    state = f"{words.view_glyph(view)} {words.standing_label(view)}"
    when = Piece(_state_age(facts), Tone.NEED if view.open_requests else Tone.MUTED)
    return (
        Piece(state, STATE_TONES[view.state]),
        Piece(words.title(view.handle), Tone.STRONG),
        when,
    )


def _head(facts: PanelFacts) -> list[Line]:
    """Return state and title: on one line if it fits, else the title whole on its own ones."""
    state, title, when = _named(facts)
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
        return _waits(facts)
    claimed = "≈ " if since.claimed else ""
    noticed = since.unseen and not since.claimed
    if facts.view.state.ended:
        return f"{'noticed ' if noticed else claimed}{facts.when(since.at)}"
    if noticed:
        return f"seen {facts.when(since.at)}"
    if facts.absolute:
        return f"{claimed}since {facts.when(since.at)}"
    if facts.view.open_requests:
        return waiting(since.at, facts.now, claimed)
    return f"{claimed}{words.lasting(since.at, facts.now)}"


def _waits(facts: PanelFacts) -> str:
    """Return for how long a question has waited, where the journal does not tell."""
    asked = (each for each in facts.view.attention if each.reason is Reason.INPUT_REQUIRED)
    since = next((each.since for each in asked), None)
    if since is None or not facts.view.open_requests:
        return ""
    if facts.absolute:
        return f"since {facts.when(since)}"
    return waiting(since, facts.now)


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
        if each.reason is Reason.EXPIRING:
            continue  # has a row of its own
        tone = REASON_TONES[each.reason]
        pieces = [Piece(each.text, tone)]
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
    if view.message and not _is_in_error(view) and not only_waits(view):
        at = snapshot.last_message_at
        when = [Piece(f"  {facts.when(at)}", Tone.MUTED)] if at is not None else []
        old = view.message_is_old or view.state is State.GONE
        label, tone = ("last said", Tone.MUTED) if old else ("message", Tone.PLAIN)
        if view.state is State.FAILED and label == "message":
            tone = Tone.BAD
        text = _shortened(view.message.raw)
        marked = not (view.state.ended or old)
        mark = [Piece(f"{activity(view)} ", Tone.SERVER)] if marked else []
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


def only_waits(view: TaskView) -> bool:
    """Tell whether the message of a task that asks says no more than the state and its question."""
    if not view.open_requests or view.message is None:
        return False
    said = " ".join(view.message.raw[:_LONGEST].split()).rstrip(" .…").casefold()
    asked = (question_of(view.snapshot.input_requests.get(key)) for key in view.open_requests)
    repeats = any(said in " ".join(each.split()).casefold() for each in asked if each)
    return repeats or re.fullmatch(_WAITING, said) is not None


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

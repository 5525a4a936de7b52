"""What a panel of the wall says of its task, in words: large ones, small ones, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.results import read_error
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import REASON_TONES, Piece, Tone, piece
from mcp_tasks_tui.ui.widgets.panel.facts import time_left, waiting
from mcp_tasks_tui.ui.widgets.panel.input import question_of
from mcp_tasks_tui.ui.widgets.panel.status import activity, only_waits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.supervise.view import Attention, TaskView

#: The state in large letters where there is no number to show: one word, however large it is.
_LARGE: dict[State, str] = {
    State.INPUT_REQUIRED: "ASKS",
    State.COMPLETED: "DONE",
    State.TOOL_ERROR: "ERROR",
    State.FAILED: "FAIL",
    State.CANCELLED: "STOP",
    State.GONE: "GONE",
    State.UNKNOWN: "?",
}
_STUCK, _ANSWERED = "STUCK", "SENT"
#: Characters of a message or error that are looked at: more than any panel shows.
_LONGEST = 1000
#: Reasons that are told on a panel.
_REASONS = 2

Paragraph = tuple[tuple[Piece, ...], int]


def trouble(view: TaskView) -> Reason | None:
    """Return why a task that goes on wants a person all the same."""
    reasons = (each.reason for each in view.attention)
    return next((one for one in reasons if one is not Reason.INPUT_REQUIRED), None)


def certain(view: TaskView) -> bool:
    """Tell whether what is shown was confirmed, or cannot change any more."""
    return view.live or view.state.terminal


def large_word(view: TaskView, now: float) -> str:
    """Return what is to be seen from afar: a word, how far it is, or how long it runs."""
    if view.all_answered:
        return _ANSWERED
    if not view.open_requests and trouble(view) is Reason.STUCK:
        return _STUCK
    if view.state is not State.WORKING:
        return _LARGE[view.state]
    return share(view) or words.duration(words.passed(now - view.handle.saved_at))


def share(view: TaskView) -> str:
    return "" if view.progress is None else words.percent(view.progress.fraction)


def state_word(view: TaskView) -> str:
    """Return the state, and what is wrong with it, in small letters."""
    wrong = trouble(view)
    label = words.standing_label(view)
    return label if wrong in (None, Reason.STUCK) else f"{label}, {words.REASONS[wrong]}"


def since_when(view: TaskView, now: float, *, large: bool) -> str:
    """Return the one time that matters: when it ends, how long it waits, when it ended.

    `large`: the state stands below in large letters, and in words nowhere else.
    """
    if view.state.ended:
        return _ended(view, now)
    if not certain(view):
        return "last known"
    if view.open_requests:
        return waiting(_waiting_since(view), now)
    wrong = trouble(view)
    if wrong is Reason.STUCK:
        one = next(each for each in view.attention if each.reason is wrong)
        return "" if one.claimed else words.lasting(one.since, now)
    if wrong is not None and large:
        return words.REASONS[wrong]
    left = time_left(view, now)
    if left is not None:
        return f"≈ {words.left(left)} left"
    if large and not share(view):
        return ""  # how long it runs is what stands there in large
    return words.lasting(view.handle.saved_at, now)


def _waiting_since(view: TaskView) -> float:
    waits = (each.since for each in view.attention if each.reason is Reason.INPUT_REQUIRED)
    return next(waits, view.snapshot.changed_at or view.handle.saved_at)


def _ended(view: TaskView, now: float) -> str:
    snapshot = view.snapshot
    if view.state is State.GONE:
        return words.ago(snapshot.gone_at, now) if snapshot.gone_at is not None else ""
    if snapshot.changed_at is None:
        return ""
    known = ("≈ " if snapshot.changed_claimed else "noticed ") if snapshot.changed_unseen else ""
    return f"{known}{words.ago(snapshot.changed_at, now)}"


def paragraphs(view: TaskView) -> Iterator[Paragraph]:
    """Yield what is to be read from near, what matters most first, and how far each hangs."""
    asked = _question(view)
    if asked:
        yield (piece(asked, Tone.NEED, _LONGEST),), 0
    for each in view.attention[:_REASONS]:
        if not (asked and each.reason is Reason.INPUT_REQUIRED):
            yield (Piece(_why(view, each), REASON_TONES[each.reason]),), 0
    if view.state is State.GONE:
        yield (Piece(words.why_gone(view.snapshot), Tone.GONE),), 0
    error = _error(view)
    if error:
        yield (piece(error, Tone.BAD, _LONGEST),), 0
    if view.outcome:
        tone = Tone.BAD if view.state is State.TOOL_ERROR else Tone.PLAIN
        first = view.outcome.raw[:_LONGEST].strip().lstrip("#").lstrip()  # a Markdown heading
        yield (piece(first, tone),), 0
    elif view.message:
        text = view.message.raw[:_LONGEST].strip()
        if text not in error and text != share(view) and not only_waits(view):
            yield _said(view, text)


def _why(view: TaskView, of: Attention) -> str:
    """Return why a task wants a person, without the word and the time that stand above already."""
    timed = of.reason is not Reason.STUCK or of.claimed or certain(view)
    return (of.reason is trouble(view) and timed and of.brief) or of.text


def _question(view: TaskView) -> str:
    """Return what is asked first, and of how many; empty where nothing is open, or in words."""
    if not view.open_requests:
        return ""
    asked = question_of(view.snapshot.input_requests.get(view.open_requests[0]))
    count = len(view.open_requests)
    return f"1 of {count}: {asked}" if asked and count > 1 else asked


def _error(view: TaskView) -> str:
    """Return why a task failed, as its server says: in the error, else in the message."""
    if view.state is not State.FAILED:
        return ""
    error = read_error(view.snapshot.error)
    if error.message is not None and error.message.raw.strip():
        return error.message.raw.strip()
    if view.message is not None and not view.message_is_old and view.message.raw.strip():
        return view.message.raw.strip()
    return error.note or ""


def _said(view: TaskView, text: str) -> Paragraph:
    """Return the server's message; one from before the state that is shown says so."""
    if view.message_is_old or view.state is State.GONE:
        return (Piece("last said: ", Tone.MUTED), piece(text, Tone.MUTED)), 2
    if view.state.ended:
        return (piece(text),), 0
    return (Piece(f"{activity(view)} ", Tone.SERVER), piece(text)), 2

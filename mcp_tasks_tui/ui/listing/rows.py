"""What one task says in each column (pure): text and the name of a style.

The text of times is coarse on purpose: it changes seldom, so that a quiet list costs nothing to
keep on the screen and does not flicker over a slow line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.attention import estimated_end
from mcp_tasks_tui.supervise.view import Attention, Coverage, Reason, TaskView
from mcp_tasks_tui.supervise.words import (
    NEVER_KNOWN,
    NOW_WORD,
    REASONS,
    STATES,
    STEP,
    STUCK,
    age,
    foremost,
    is_never_known,
    is_stuck,
    passed,
    percent,
    short_age,
    short_left,
    title,
    view_glyph,
)
from mcp_tasks_tui.ui.listing.columns import READ_NEXT, TIMES, Column
from mcp_tasks_tui.ui.looks.signs import (
    STUCK_STYLE,
    Glyphs,
    answered,
    awaits_cancel,
    unwell_sign,
    view_style,
)
from mcp_tasks_tui.ui.servers import server_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.ui.listing.columns import Fit

#: Cells of ``100%``, and of the shortest bar that tells anything.
_FIGURE = 4
_SHORTEST_BAR = 3
#: Cells of a message, with the dot before it, that tell anything.
_WORTH_SAYING = 7


class Piece(NamedTuple):
    """A bit of one cell, after `before` blanks; `text` may still be a server's, it is cleaned
    where it is cut; of an id the middle goes first. In less than `room` cells it is left out, and
    all that follows."""

    text: ServerText | str
    style: str = ""
    before: int = 0
    room: int = 1
    is_id: bool = False


Cell = tuple[Piece, ...]


class Context(NamedTuple):
    """What a row looks like depends on: the time, the signs and which columns there are.

    A width is 0 where the list has no such column.
    """

    now: float
    glyphs: Glyphs
    progress_width: int = 12
    read_width: int = READ_NEXT
    server_width: int = 18


def cells(view: TaskView, fit: Fit, context: Context) -> tuple[Cell, ...]:
    """Return the cells of one task, one for each column of `fit`."""
    return tuple(_CELLS[slot.column](view, context) for slot in fit.slots)


def timed_columns(fit: Fit) -> tuple[int, ...]:
    """Return the places in `fit` of those columns that change by the passing of time alone."""
    return tuple(n for n, slot in enumerate(fit.slots) if slot.column in _TIMED)


def cell_of(view: TaskView, column: Column, context: Context) -> Cell:
    return _CELLS[column](view, context)


def _state(view: TaskView, context: Context) -> Cell:
    sign = view_glyph(view, ascii_only=context.glyphs.plain)
    word = STATES[view.state].word
    if is_stuck(view):
        word = STUCK.word
    elif view.state is State.UNKNOWN and view.snapshot.status:
        word = view.snapshot.status
    if answered(view):
        style = STUCK_STYLE if is_stuck(view) else "state-working"
        return (Piece(f"{sign} answered", style),)
    style = view_style(view)
    if not view.live and not view.state.ended:
        # Only what was last known: nobody has confirmed it since this program started.
        return (Piece(f"{sign} {word}", "quiet"),)
    return (Piece(f"{sign} {word}", style),)


def _name(view: TaskView, context: Context) -> Cell:
    handle = view.handle
    style = "" if view.live or view.state.ended else "quiet"
    return (Piece(title(handle), style, is_id=not (handle.label or handle.tool)),)


def _server(view: TaskView, context: Context) -> Cell:
    name = Piece(server_word(view.server, view.handle.server_url), "quiet")
    return (name,) if view.coverage is not Coverage.PAUSED else _away(name, context)


def _away(name: Piece, context: Context) -> Cell:
    """Return the name of a server whose tasks are not read: its line above the list is loud
    enough, and says why; there is nothing to do about each task."""
    return (Piece(unwell_sign(context.glyphs), "quiet"), name._replace(before=1))


def _progress(view: TaskView, context: Context) -> Cell:
    progress = view.progress
    if progress is None or view.state.ended:
        return ()
    figure = percent(progress.fraction)
    room = context.progress_width - _FIGURE - 1
    known = view.live and not view.message_is_old
    style = "state-working" if known else "quiet"
    if room < _SHORTEST_BAR:
        return (Piece(figure, style, _FIGURE - len(figure)),)
    bar = Piece(context.glyphs.bar(progress.fraction, room), style)
    return (bar, Piece(figure, "", _FIGURE + 1 - len(figure)))


def _message(view: TaskView, context: Context) -> Cell:
    badge = _badge(view, context)
    if is_never_known(view):
        return (*badge, Piece(NEVER_KNOWN, "state-gone", bool(badge)))
    message = _words(view)
    if message is None:
        return badge
    old = view.message_is_old or view.state is State.GONE
    if message is view.message and view.state.ended and old:
        # From before the end: as the panel, and no word of how it ended.
        return (*badge, Piece("last:", "quiet", bool(badge)), Piece(message, "quiet", before=1))
    style = "quiet" if view.message_is_old or not view.live or view.state.ended else ""
    if view.state in (State.FAILED, State.TOOL_ERROR):
        style = ""
    if not badge:
        return (Piece(message, style),)
    dot = Piece(context.glyphs.dot.strip(), "quiet", before=1, room=_WORTH_SAYING)
    return (*badge, dot, Piece(message, style, before=1))


def _words(view: TaskView) -> ServerText | None:
    """Return what the server says last: what it asks, how it ended, else its message."""
    if view.open_requests:
        said = _text_in(view.snapshot.input_requests.get(view.open_requests[0]), "params")
    elif view.state is State.FAILED:
        said = _text_in({"error": view.snapshot.error}, "error")
    else:
        said = _plain(view.outcome)
    return said or view.message


#: Marks of Markdown before a line: of headings, quotes and lists; and around words in it.
_BEFORE = r"\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)+"
_AROUND = r"(\*\*|`)(\S(?:.*?\S)?)\1"
#: Characters of a line of a result that a row can show at most.
_LOOKED_AT = 500


def _plain(line: ServerText | None) -> ServerText | None:
    """Return the first line of a result without the marks of Markdown: a row shows words."""
    if line is None:
        return None
    text = line.raw[:_LOOKED_AT]
    heading = re.match(_BEFORE, text)
    bare = re.sub(_AROUND, r"\2", text[heading.end() :] if heading else text)
    return ServerText(bare) if bare.strip() else line


def _text_in(value: object, part: str) -> ServerText | None:
    """Return the ``message`` in one part of a server's JSON, where there is one."""
    inner = value.get(part) if isinstance(value, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else None
    return ServerText(said) if isinstance(said, str) and said else None


def _expiry(view: TaskView, now: float) -> str:
    """Return how soon the server may drop the task: an age would read as the time left."""
    end = estimated_end(view.snapshot)
    left = NOW_WORD if end is None else short_left(end - now)
    return f"expires {left}" if left == NOW_WORD else f"expires in {left}"


def _badge(view: TaskView, context: Context) -> Cell:
    """Return what we have to say about the task, before what the server says."""
    first = foremost(view)
    if first is not None:
        return _reason(view, first, context)
    if awaits_cancel(view):
        asked = view.snapshot.cancel_requested_at or context.now
        return (Piece(f"cancel asked {short_age(context.now - asked)}", "state-input"),)
    if answered(view):
        return (Piece("answer sent", "state-working"),)
    return _unread(view, context)


def _reason(view: TaskView, first: Attention, context: Context) -> Cell:
    """Return what wants a person first, and for how long, or how soon it is too late."""
    if first.reason is Reason.EXPIRING:
        return (Piece(_expiry(view, context.now), "expiring"),)
    style = "state-failed" if first.reason is Reason.READ_FAILING else "state-input"
    if first.reason is Reason.INPUT_REQUIRED and not view.open_requests:
        return (Piece(first.text, style),)
    until = context.now
    if first.reason is Reason.STUCK and view.snapshot.held:
        until = view.snapshot.observed_at or until  # it may have moved on since
    for_how_long = short_age(until - first.since)
    new = for_how_long == NOW_WORD
    if first.reason is Reason.STUCK and not answered(view):  # the state says so
        return () if new else (Piece(f"for {for_how_long}", style),)
    word = "waits" if first.reason is Reason.INPUT_REQUIRED else REASONS[first.reason]
    return (Piece(word if new else f"{word} {for_how_long}", style),)


def _tells_age(view: TaskView) -> bool:
    """Tell whether what is said before the message has the age of the last change in it."""
    first, changed = foremost(view), view.snapshot.changed_at
    if first is None or changed is None or first.reason not in _TOLD_WITH_AGE:
        return False
    return abs(first.since - changed) < STEP


_TOLD_WITH_AGE = (Reason.INPUT_REQUIRED, Reason.STUCK)


def _unread(view: TaskView, context: Context) -> Cell:
    """Return that the task is not read by itself, where no column says so."""
    if view.coverage is Coverage.PAUSED and not context.server_width:
        return _away(Piece(server_word(view.server, view.handle.server_url), "quiet"), context)
    if context.read_width or view.coverage is not Coverage.HELD:
        return ()
    return (Piece(*_STANDING[Coverage.HELD]),)


def _age(view: TaskView, context: Context) -> Cell:
    return (_right(short_age(context.now - view.handle.saved_at), Column.AGE),)


def _changed(view: TaskView, context: Context) -> Cell:
    snapshot = view.snapshot
    if snapshot.changed_at is None or _tells_age(view):
        return ()
    since = context.now - snapshot.changed_at
    text = short_age(since)
    if snapshot.changed_unseen:
        # By the server's clock; else it was only noticed then, and may be older.
        claimed = snapshot.changed_claimed
        text = f"{context.glyphs.about}{text}" if claimed else f">{age(passed(since))}"
    return (_right(text, Column.CHANGED),)


def _right(text: str, column: Column) -> Piece:
    """Return `text` at the right edge of a column of times."""
    return Piece(text, "quiet", TIMES[column] - len(text))


def _read(view: TaskView, context: Context) -> Cell:
    """Return how fresh this is: when it was last read, failures in a row, the next read."""
    if view.state.terminal:
        return ()
    width = context.read_width
    due = _next_read(view, context.now) if width >= READ_NEXT else ""
    last, style = _last_read(view, context.now, width - len(due) - bool(due))
    if not due:
        return (Piece(last, style),)
    return (Piece(last, style), Piece(due, "quiet", width - len(last) - len(due)))


#: A person holds a task and has to let it go again; for an ill server there is but to wait.
_STANDING = {Coverage.HELD: ("held", "state-input"), Coverage.PAUSED: ("paused", "quiet")}


def _last_read(view: TaskView, now: float, room: int) -> tuple[str, str]:
    """Return what to say of the last read in `room` cells, and its style."""
    read = view.snapshot.read
    if view.coverage in _STANDING:
        return _STANDING[view.coverage]
    if read.at is None:
        return "never", "quiet"
    if view.coverage is Coverage.PUSHED and not read.failures:
        return "pushed", "quiet"  # the server tells news by itself: an age says nothing
    last = short_age(now - (view.snapshot.observed_at or read.at))
    if not read.failures:
        return last, "quiet"
    failed = f"{read.failures}x"
    both = f"{failed} {last}"
    return both if len(both) <= room else failed, "state-failed"


def tells_next_read(view: TaskView) -> bool:
    """Tell whether a row says when its task is read next."""
    if view.state.terminal or view.next_read_at is None or view.coverage is Coverage.HELD:
        return False
    return view.coverage is not Coverage.PUSHED or bool(view.snapshot.read.failures)


def _next_read(view: TaskView, now: float) -> str:
    """Return how soon the task is read, or its server tried; empty where that is nothing to
    wait for. What comes within seconds reads the same all the time, or the list never rested."""
    if view.next_read_at is None or not tells_next_read(view):
        return ""
    wait = view.next_read_at - now
    if -STEP < wait <= STEP:
        return _SOON
    if view.coverage is Coverage.PAUSED and 0 < wait <= _MINUTE:
        return _WITHIN_A_MINUTE
    return short_left(wait)


_MINUTE = 60.0
#: Within one step of the times on the screen; and when a server is tried that many tasks wait for:
#: the seconds are counted once, in its line above the list.
_SOON, _WITHIN_A_MINUTE = f"<{short_left(STEP)}", f"<{short_left(_MINUTE)}"


_CELLS: dict[Column, Callable[[TaskView, Context], Cell]] = {
    Column.STATE: _state,
    Column.NAME: _name,
    Column.SERVER: _server,
    Column.PROGRESS: _progress,
    Column.MESSAGE: _message,
    Column.AGE: _age,
    Column.CHANGED: _changed,
    Column.READ: _read,
}
_TIMED = frozenset({Column.AGE, Column.CHANGED, Column.READ, Column.MESSAGE})

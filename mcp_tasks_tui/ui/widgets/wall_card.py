"""One task on the wall, as lines that fill a rectangle exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.widgets.panel_facts import STATE_TONES, time_left
from mcp_tasks_tui.ui.widgets.panel_history import graph
from mcp_tasks_tui.ui.widgets.panel_lines import (
    BLANK,
    REASON_TONES,
    Line,
    Piece,
    Tone,
    bar,
    pad,
    piece,
    spread,
    wrap,
)
from mcp_tasks_tui.ui.widgets.panel_status import activity
from mcp_tasks_tui.ui.widgets.result_model import read_error
from mcp_tasks_tui.ui.widgets.wall_letters import HEIGHT, fitting_scale, large

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.sanitize import ServerText
    from mcp_tasks_tui.supervise.view import TaskView

#: The band on top of a panel: the state's colour, filled.
BANDS: dict[State, Tone] = {
    State.WORKING: Tone.BAND_WORKING,
    State.INPUT_REQUIRED: Tone.BAND_NEED,
    State.COMPLETED: Tone.BAND_GOOD,
    State.TOOL_ERROR: Tone.BAND_BAD,
    State.FAILED: Tone.BAND_BAD,
    State.CANCELLED: Tone.BAND_QUIET,
    State.GONE: Tone.BAND_GONE,
    State.UNKNOWN: Tone.BAND_QUIET,
}
#: The state in large letters where there is no number to show: the first word that fits.
_LARGE: dict[State, tuple[str, ...]] = {
    State.INPUT_REQUIRED: ("INPUT", "ASKS"),
    State.COMPLETED: ("DONE",),
    State.TOOL_ERROR: ("ERROR", "ERR"),
    State.FAILED: ("FAILED", "FAIL"),
    State.CANCELLED: ("CANCELLED",),
    State.GONE: ("GONE",),
    State.UNKNOWN: ("?",),
}
_GRAPH_FROM = 5
#: Panels of this height are read from across the room: their titles too.
_LARGE_TITLE_FROM = 28
_LARGEST = 4
#: Cells from which on the last line has room for any estimate and all words of how it is read.
_BOTH = 44
#: Characters of a message or error that are looked at: more than any panel shows.
_LONGEST = 1000


def card(
    view: TaskView,
    width: int,
    height: int,
    now: float,
    *,
    history: Sequence[tuple[float, float]] = (),
    selected: bool = False,
) -> tuple[Line, ...]:
    """Return `height` lines of `width` cells; the last column and line are left free."""
    room = max(width - 3, 4)
    rows = max(height - 1, 1)
    lines: list[Line] = [_band(view, room + 1, now), *_title(view, room, rows)]
    tail = _tail(view, room, now)
    free = rows - len(lines) - len(tail)
    lines += _figure(view, room, free, now)
    free = rows - len(lines) - len(tail)
    if view.progress is not None and free > 0:
        thick = 2 if free > 8 else 1
        lines += _bars(view, room, thick)
        free -= thick
    shown = graph(history, now, min(room, 120)) if free > _GRAPH_FROM else ()
    if shown:
        lines.append(shown)
        free -= 1
    if free > 0:
        said = _message(view, room, free)
        lines += said + [BLANK] * (free - len(said))
    lines = [*lines, *tail][:rows]
    edge = Piece("▌" if selected else " ", Tone.NAME)
    full = [(edge, *pad(line, width - 1)) for line in lines]
    return tuple(full + [pad(BLANK, width)] * (height - len(full)))


def _band(view: TaskView, width: int, now: float) -> Line:
    tone = BANDS[view.state]
    label = words.state_label(view.snapshot, answered=view.all_answered).upper()
    left = [Piece(f" {words.state_glyph(view.state)} {label} ", tone)]
    if not view.live:
        left.append(Piece("last known ", tone))
    figure = f"{words.percent(view.progress.fraction)} " if view.progress is not None else ""
    since = _since(view)
    when = words.duration(now - since) if since is not None else ""
    if view.state.ended and when:
        figure, when = "", f"{when} ago"
    right = [Piece(f"{figure or when} ", tone)]
    line = spread(left, right, width)
    return tuple(Piece(each.text, tone) for each in line)


def _since(view: TaskView) -> float | None:
    """Return when it ended, or since when it waits for a person, or since when it runs."""
    if view.state.ended:
        return view.snapshot.changed_at
    waits = (each.since for each in view.attention if each.reason is Reason.INPUT_REQUIRED)
    return next(waits, view.handle.saved_at)


def _title(view: TaskView, width: int, rows: int) -> list[Line]:
    title = words.title(view.handle)
    if rows >= _LARGE_TITLE_FROM and fitting_scale(title.upper(), width, HEIGHT):
        letters = [(Piece(line, Tone.PLAIN),) for line in large(title.upper(), 1)]
        return [BLANK, *letters, BLANK]
    right = (piece(f" {view.server}", Tone.MUTED),) if width > 50 else ()
    return [spread((Piece(title, Tone.STRONG),), right, width)]


def _figure(view: TaskView, width: int, rows: int, now: float) -> list[Line]:
    """Return the one thing to see from afar: a percentage, a word, or how long it runs."""
    texts = _LARGE.get(view.state, ())
    if view.state is State.WORKING:
        running = words.duration(now - view.handle.saved_at)
        progress = view.progress
        texts = (running if progress is None else words.percent(progress.fraction),)
    # Bar and message keep a line each, and a quarter of what is left of a high panel.
    high = min(rows - 2, max(HEIGHT, (rows - 3) * 3 // 4))
    scales = ((text, min(_LARGEST, fitting_scale(text, width, high))) for text in texts)
    text, scale = next(((text, scale) for text, scale in scales if scale), ("", 0))
    if not scale:
        return []
    tone = STATE_TONES[view.state]
    gap = [BLANK] if rows > HEIGHT * scale + 4 else []
    return [*gap, *((Piece(line, tone),) for line in large(text, scale)), *gap]


def _bars(view: TaskView, width: int, thick: int) -> list[Line]:
    assert view.progress is not None
    tone = STATE_TONES[view.state] if view.state.ended else Tone.BAR
    if thick == 1:
        return [bar(view.progress.fraction, width, tone)]
    full = round(max(0.0, min(1.0, view.progress.fraction)) * width)
    return [(Piece("█" * full, tone), Piece("░" * (width - full), Tone.TRACK))] * thick


def _message(view: TaskView, width: int, rows: int) -> list[Line]:
    lines: list[Line] = []
    for each in view.attention[:2]:
        lines += wrap([Piece(each.text, REASON_TONES[each.reason])], width, 0, 2)
    error = _error(view)
    if error:
        lines += wrap([piece(error, Tone.BAD, _LONGEST)], width, 0, max(1, rows // 2))
    if view.message and len(lines) < rows and not _repeats(view.message, error):
        text = view.message.raw[:_LONGEST].strip()
        lines += _said(view, text, width, max(1, rows - len(lines)))
    return lines[:rows]


def _error(view: TaskView) -> str:
    if view.state is not State.FAILED:
        return ""
    error = read_error(view.snapshot.error)
    return error.message.raw.strip() if error.message is not None else error.note or ""


def _repeats(message: ServerText, error: str) -> bool:
    """Tell whether a message is in the error once more, as many servers send it."""
    return message.raw.strip() in error


def _said(view: TaskView, text: str, width: int, rows: int) -> list[Line]:
    """Return the server's message; one from before the state that is shown says so."""
    if view.message_is_old:
        before = Piece("said before: ", Tone.MUTED)
        return wrap([before, piece(text, Tone.MUTED)], width, 2, rows)
    if view.state.ended:
        return wrap([piece(text)], width, 0, rows)
    mark = Piece(f"{activity(view)} ", Tone.SERVER)
    return wrap([mark, piece(text)], width, 2, rows)


def _tail(view: TaskView, width: int, now: float) -> list[Line]:
    """Return the last lines: what we asked and assume, and how fresh it all is."""
    lines: list[Line] = []
    asked = words.requested_label(view.snapshot, now)
    if asked:
        lines.append((Piece(f"we asked: {asked}", Tone.ASKED),))
    seconds = time_left(view, now)
    left = (
        (Piece(f"≈ {words.duration(seconds)} left", Tone.ASSUMED),) if seconds is not None else ()
    )
    said = words.freshness(view, now)
    if left and width < _BOTH:
        said = said.removeprefix("pushed, last ")
    fresh = Piece(said, Tone.MUTED if view.live else Tone.WARN)
    lines.append(spread(left or (fresh,), (fresh,) if left else (), width))
    return lines

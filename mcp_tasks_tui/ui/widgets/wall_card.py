"""One task on the wall, as lines that fill a rectangle exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.widgets.panel_facts import STATE_TONES, time_left
from mcp_tasks_tui.ui.widgets.panel_history import graph
from mcp_tasks_tui.ui.widgets.panel_input import question_of
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
    width_of,
    wrap,
)
from mcp_tasks_tui.ui.widgets.panel_status import activity
from mcp_tasks_tui.ui.widgets.result_model import read_error
from mcp_tasks_tui.ui.widgets.wall_letters import HEIGHT, fits_small, fitting_scale, large, small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.sanitize import ServerText
    from mcp_tasks_tui.supervise.view import Attention, TaskView

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
    State.CANCELLED: ("CANCELLED", "STOPPED", "STOP"),
    State.GONE: ("GONE",),
    State.UNKNOWN: ("?",),
}
#: Before a number that is only worked out here.
_GUESSED = Piece("≈ ", Tone.ASSUMED)
#: Lines from which on there is a graph, and the bar has two.
_GRAPH_FROM, _THICK_FROM = 2, 8
#: Panels of this height are read from across the room: their titles and estimates too.
_LARGE_TITLE_FROM, _LARGE_ESTIMATE_FROM = 28, 30
_LARGEST, _TITLE_LINES = 5, 2
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
    title = _title(view, room, rows)
    tail = _tail(view, room, rows - len(title), now)
    figure = _figure(view, room, rows - 1 - len(title) - len(tail), now)
    free = rows - 1 - len(title) - len(figure) - len(tail)
    # How far it is stands on a card once: in large letters, or else in the band.
    told = bool(figure) and _large_words(view, now) == _share_words(view)
    lines: list[Line] = [_band(view, room + 1, now, told=told), *title, *figure]
    if view.progress is not None and free > 0:
        bars = _bars(view, room, 2 if free > _THICK_FROM else 1)
        lines += bars
        free -= len(bars)
    shown = graph(history, now, min(room, 120)) if free > _GRAPH_FROM else ()
    if shown:
        lines.append(shown)
        free -= 1
    if free > 0:
        said = _message(view, room, free)
        gap = [BLANK] * min(1, free - len(said)) if rows >= _LARGE_TITLE_FROM else []
        lines += gap + said + [BLANK] * (free - len(said) - len(gap))
    lines = [*lines, *tail][:rows]
    edge = Piece("▌" if selected else " ", Tone.NAME)
    full = [(edge, *pad(line, width - 1)) for line in lines]
    return tuple(full + [pad(BLANK, width)] * (height - len(full)))


def _band(view: TaskView, width: int, now: float, *, told: bool) -> Line:
    """Return the line on top; `told`: how far it is stands below, in large."""
    tone = BANDS[view.state]
    label = words.state_label(view)
    if trouble := _trouble(view):
        label, tone = f"{label}, {words.REASONS[trouble]}", Tone.BAND_NEED
    left = [Piece(f" {words.view_glyph(view)} {label.upper()} ", tone)]
    if not _certain(view):
        left.append(Piece("last known ", tone))
    since = _since(view)
    figure = words.duration(words.passed(now - since)) if since is not None else ""
    if view.state.ended and since is not None:
        figure = f"{_how_known(view)}{words.ago(since, now)}"
    elif view.progress is not None and not told:
        figure = f"≈ {words.percent(view.progress.fraction)}"
    line = spread(left, [Piece(f"{figure} ", tone)], width)
    return tuple(Piece(each.text, tone) for each in line)


def _certain(view: TaskView) -> bool:
    """Tell whether what is shown was confirmed, or cannot change any more."""
    return view.live or view.state.terminal


def _trouble(view: TaskView) -> Reason | None:
    """Return why a task that goes on wants a person all the same."""
    reasons = (each.reason for each in view.attention)
    return next((one for one in reasons if one is not Reason.INPUT_REQUIRED), None)


def _since(view: TaskView) -> float | None:
    """Return when it ended, or since when it waits for a person, or since when it runs."""
    if view.state is State.GONE:
        return view.snapshot.gone_at
    if view.state.ended:
        return view.snapshot.changed_at
    waits = (each.since for each in view.attention if each.reason is Reason.INPUT_REQUIRED)
    return next(waits, view.handle.saved_at)


def _how_known(view: TaskView) -> str:
    """Return what to say before the time of an end that nobody saw."""
    snapshot = view.snapshot
    if view.state is State.GONE or not snapshot.changed_unseen:
        return ""
    return "≈ " if snapshot.changed_claimed else "noticed "


def _title(view: TaskView, width: int, rows: int) -> list[Line]:
    title = words.title(view.handle)
    if rows >= _LARGE_TITLE_FROM and (broken := _broken(title.upper(), width)):
        lines: list[Line] = [BLANK]
        for text in broken:
            lines += [*((Piece(line, Tone.PLAIN),) for line in large(text, 1)), BLANK]
        return lines
    right = (piece(f" {view.server}", Tone.MUTED),) if width > 50 else ()
    return [spread((Piece(title, Tone.STRONG),), right, width)]


def _broken(title: str, width: int) -> list[str]:
    """Return a title on as few lines of large letters as it fits on, empty where on too many."""
    lines: list[str] = []
    for word in title.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fitting_scale(longer, width, HEIGHT):
            lines[-1] = longer
        else:
            lines.append(word)
    fits = all(fitting_scale(line, width, HEIGHT) for line in lines)
    return lines if fits and len(lines) <= _TITLE_LINES else []


def _figure(view: TaskView, width: int, rows: int, now: float) -> list[Line]:
    """Return the one thing to see from afar: a percentage, a word, or how long it runs."""
    texts = _large_words(view, now)
    stuck = _trouble(view) is Reason.STUCK
    tone = REASON_TONES[Reason.STUCK] if stuck else STATE_TONES[view.state]
    # Bar and message keep a line each, and a fifth of what is left of a high panel.
    high = min(rows - 2, max(HEIGHT, (rows - 3) * 4 // 5))
    guessed = width_of((_GUESSED,)) if texts == _share_words(view) else 0
    scales = ((text, min(_LARGEST, fitting_scale(text, width - guessed, high))) for text in texts)
    text, scale = next(((text, scale) for text, scale in scales if scale), ("", 0))
    if not scale:
        fitting = (text for text in texts if fits_small(text, width - guessed, rows - 2))
        written = [line for text in list(fitting)[:1] for line in small(text)]
        return _marked(written, tone, guessed=bool(guessed))
    gap = [BLANK] if rows > HEIGHT * scale + 4 else []
    return [*gap, *_marked(large(text, scale), tone, guessed=bool(guessed)), *gap]


def _large_words(view: TaskView, now: float) -> tuple[str, ...]:
    """Return what is to be seen from afar, the first of it that fits."""
    if _trouble(view) is Reason.STUCK:
        return ("STUCK",)
    if view.state is not State.WORKING:
        return _LARGE.get(view.state, ())
    running = words.duration(words.passed(now - view.handle.saved_at))
    return _share_words(view) or (running,)


def _share_words(view: TaskView) -> tuple[str, ...]:
    return () if view.progress is None else (words.percent(view.progress.fraction),)


def _marked(written: list[str], tone: Tone, *, guessed: bool) -> list[Line]:
    """Return large letters as lines; what is only worked out carries its sign."""
    if not guessed:
        return [(Piece(line, tone),) for line in written]
    middle = len(written) // 2
    return [
        (_GUESSED if number == middle else Piece(" " * len(_GUESSED.text)), Piece(line, tone))
        for number, line in enumerate(written)
    ]


def _bars(view: TaskView, width: int, thick: int) -> list[Line]:
    """Return how far it is as a bar, with its number where that stands nowhere else."""
    assert view.progress is not None
    tone = STATE_TONES[view.state] if view.state.ended else Tone.BAR
    # The message says so, and not the protocol.
    share = f" ≈ {words.percent(view.progress.fraction):<4}" if view.state.ended else ""
    guessed = Piece(share, Tone.ASSUMED)
    width -= width_of((guessed,))
    if thick == 1:
        return [(*bar(view.progress.fraction, width, tone), guessed)]
    full = round(max(0.0, min(1.0, view.progress.fraction)) * width)
    line = (Piece("█" * full, tone), Piece("░" * (width - full), Tone.TRACK))
    return [(*line, guessed), *[line] * (thick - 1)]


def _message(view: TaskView, width: int, rows: int) -> list[Line]:
    lines: list[Line] = []
    asked = _question(view)
    if asked:
        lines += wrap([piece(asked, Tone.NEED, _LONGEST)], width, 0, rows)
    for each in view.attention[:2]:
        if len(lines) < rows and not (asked and each.reason is Reason.INPUT_REQUIRED):
            why = Piece(_why(view, each), REASON_TONES[each.reason])
            lines += wrap([why], width, 0, min(2, rows - len(lines)))
    error = _error(view)
    more = view.outcome or (view.message is not None and not _repeats(view.message, error))
    if error and len(lines) < rows:
        room = max(1, rows // 2) if more else rows - len(lines)
        lines += wrap([piece(error, Tone.BAD, _LONGEST)], width, 0, room)
    if view.outcome and len(lines) < rows:
        lines += wrap([piece(view.outcome.raw[:_LONGEST])], width, 0, rows - len(lines))
    elif view.message and more and len(lines) < rows:
        text = view.message.raw[:_LONGEST].strip()
        lines += _said(view, text, width, max(1, rows - len(lines)))
    return lines[:rows]


def _why(view: TaskView, of: Attention) -> str:
    """Return why a task wants a person, without the word that the band says already."""
    word = words.REASONS[of.reason]
    if of.reason is _trouble(view) and of.text.startswith((f"{word}, ", f"{word}: ")):
        return of.text[len(word) + 2 :]
    return of.text


def _question(view: TaskView) -> str:
    """Return what is asked first, and of how many; empty where nothing is open, or in words."""
    if not view.open_requests:
        return ""
    asked = question_of(view.snapshot.input_requests.get(view.open_requests[0]))
    count = len(view.open_requests)
    return f"1 of {count}: {asked}" if asked and count > 1 else asked


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
        before = Piece("last said: ", Tone.MUTED)
        return wrap([before, piece(text, Tone.MUTED)], width, 2, rows)
    if view.state.ended:
        return wrap([piece(text)], width, 0, rows)
    mark = Piece(f"{activity(view)} ", Tone.SERVER)
    return wrap([mark, piece(text)], width, 2, rows)


def _tail(view: TaskView, width: int, rows: int, now: float) -> list[Line]:
    """Return the last lines: what we asked and assume, and how fresh it all is.

    The estimate is large where `rows`, those under the title, leave more than enough for the rest.
    """
    lines: list[Line] = []
    asked = words.requested_label(view.snapshot, now)
    if asked:
        lines.append((Piece(f"we asked: {asked}", Tone.ASKED),))
    seconds = time_left(view, now)
    left = f"≈ {words.left(seconds)} left" if seconds is not None else ""
    said = words.freshness(view, now)
    if left and width < _BOTH:
        said = said.removeprefix("pushed, last ")
    fresh = (Piece(said, Tone.MUTED if _certain(view) else Tone.WARN),)
    if left and rows >= _LARGE_ESTIMATE_FROM and fitting_scale(left, width, HEIGHT):
        lines += [*((Piece(line, Tone.ASSUMED),) for line in large(left, 1)), BLANK, fresh]
    else:
        shown = (Piece(left, Tone.ASSUMED),) if left else fresh
        lines.append(spread(shown, fresh if left else (), width))
    return lines

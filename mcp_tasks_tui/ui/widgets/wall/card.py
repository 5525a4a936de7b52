"""One task on the wall, as lines that fill a rectangle exactly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import (
    BLANK,
    REASON_TONES,
    Line,
    Piece,
    Tone,
    bar,
    fit,
    pad,
    piece,
    spread,
    width_of,
    wrap,
)
from mcp_tasks_tui.ui.widgets.panel.facts import STATE_TONES, time_left
from mcp_tasks_tui.ui.widgets.panel.fresh import looks_old
from mcp_tasks_tui.ui.widgets.panel.history import graph
from mcp_tasks_tui.ui.widgets.wall.letters import fitting_size, letters, rows_of
from mcp_tasks_tui.ui.widgets.wall.words import (
    certain,
    large_word,
    paragraphs,
    share,
    since_when,
    state_word,
    trouble,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.wall.words import Paragraph

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
#: Before a number that is only worked out here.
_GUESSED = Piece("≈ ", Tone.ASSUMED)
#: Lines from which on there are large letters, a graph, and a bar of two.
_LETTERS_FROM, _GRAPH_FROM, _THICK_FROM = 7, 2, 8
#: Panels of this height are read from across the room: their titles and estimates too.
_LARGE_TITLE_FROM, _LARGE_ESTIMATE_FROM = 28, 30
#: Sizes of letters: the largest, and those of titles and estimates.
_LARGEST, _TITLE_SIZE, _TITLE_LINES = 10, 2, 2
#: Lines that a text has before letters grow, and that it keeps beside the smallest ones.
_READ_FIRST, _READ_LEAST = 6, 2
#: Lines from which on a message has more than one beside large letters.
_ROOMY = 9
#: Cells from which on a panel names its server.
_SERVER_FROM = 50


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
    room, rows = max(width - 3, 4), max(height - 1, 1)
    told = list(paragraphs(view))
    title = _large_title(view, room, rows)
    tail = _tail(view, room, rows - len(title), now)
    # With room for it, how old the news is has a place also while that is not told: letters stay.
    beside = 1 + len(title) + max(rows > _LETTERS_FROM + 2, len(tail))
    large = rows - len(title) >= _LETTERS_FROM
    figure = _figure(view, room, rows - beside, now, told) if large else []
    if not title and not figure:
        title = [(Piece(words.title(view.handle), Tone.STRONG),)]
    lines: list[Line] = [_band(view, room + 1, now, named=not title), *title, *figure]
    free = rows - len(lines) - len(tail)
    needed = sum(len(_written(each, room)) for each in told)
    numbered = not (figure and _is_share(view, now))
    shown = graph(history, now, min(room, 120))
    above = _measured(view, room, free, needed, shown, numbered=numbered)
    free -= len(above)
    said = _shared_out(told, room, free)
    gap = [BLANK] * min(1, max(0, free - len(said))) if rows >= _LARGE_TITLE_FROM else []
    blank = [BLANK] * max(0, free - len(said) - len(gap))
    lines = [*lines, *above, *gap, *said, *blank, *tail][:rows]
    edge = Piece("▌" if selected else " ", Tone.NAME)
    full = [(edge, *pad(line, width - 1)) for line in lines]
    return tuple(full + [pad(BLANK, width)] * (height - len(full)))


def _band(view: TaskView, width: int, now: float, *, named: bool) -> Line:
    """Return the line on top; `named`: with the task's name, as its state stands below in large.

    It is filled for a state, and only drawn for a task that is in trouble: the two are told apart
    from afar, and without colours.
    """
    said = words.title(view.handle) if named else state_word(view).upper()
    left = f" {words.view_glyph(view)} {said}"
    wrong = None if view.open_requests else trouble(view)
    room = width - width_of((Piece(left),)) - (1 if wrong is None else 3)
    right = _fitting_time(since_when(view, now, large=named), room)
    if wrong is None:
        tone = BANDS[view.state]
        line = spread([Piece(left)], [Piece(right)], width)
        return tuple(Piece(each.text, tone) for each in line)
    tone = Tone.BAD if REASON_TONES[wrong] is Tone.BAD else Tone.NEED
    begin = fit((Piece(f"━{left} "),), max(width - width_of((Piece(right),)) - 2, 1))
    rule = "━" * max(0, width - width_of(begin) - width_of((Piece(right),)) - 1)
    return tuple(Piece(each.text, tone) for each in (*begin, Piece(f"{rule}{right}━")))


def _fitting_time(when: str, room: int) -> str:
    """Return a time with blanks around it, without its words where they would cut the name."""
    bare = re.sub(r"^(?:waits|asked|for|since) | left$", "", when)
    return f" {when if len(when) + 2 <= room else bare} " if when else ""


def _large_title(view: TaskView, width: int, rows: int) -> list[Line]:
    if rows < _LARGE_TITLE_FROM:
        return []
    lines: list[Line] = []
    for text in _broken(words.title(view.handle).upper(), width):
        written = letters(text, _TITLE_SIZE)
        lines += [*((Piece(line, Tone.PLAIN),) for line in written), BLANK]
    return [BLANK, *lines] if lines else []


def _broken(title: str, width: int) -> list[str]:
    """Return a title on as few lines of large letters as it fits on, empty where on too many."""
    high = rows_of(_TITLE_SIZE)
    lines: list[str] = []
    for word in title.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fitting_size(longer, width, high) >= _TITLE_SIZE:
            lines[-1] = longer
        else:
            lines.append(word)
    fits = all(fitting_size(line, width, high) >= _TITLE_SIZE for line in lines)
    return lines if fits and len(lines) <= _TITLE_LINES else []


def _figure(
    view: TaskView, width: int, rows: int, now: float, told: Sequence[Paragraph]
) -> list[Line]:
    """Return the one thing to see from afar, as large as what is to be read leaves room for."""
    text, guessed = large_word(view, now), _is_share(view, now)
    # Letters may end where the band does: of two panels side by side it makes words of one size.
    cells = width + 1 - (width_of((_GUESSED,)) if guessed else 0)
    bars = view.progress is not None
    read = min(sum(len(_written(each, width)) for each in told), _READ_FIRST)
    if view.state is State.WORKING and not view.attention:
        # Letters keep their size while messages of any length come.
        read = 1 if rows < _ROOMY else _READ_LEAST
    # Of a high panel a fifth of what is left stays free.
    high = min(rows - bars - read, max(rows_of(2), (rows - 3) * 4 // 5))
    size = fitting_size(text, cells, high)
    size = size or min(1, fitting_size(text, cells, rows - bars - min(read, _READ_LEAST)))
    if not size:
        return []
    written = letters(text, min(size, _LARGEST))
    # As if each had two lines to be read: letters of neighbours stand side by side.
    spare = rows - bars - max(read, _READ_LEAST) - len(written)
    above, below = [BLANK] * (spare > 0), [BLANK] * (spare > 2)
    return [*above, *_marked(written, _letter_tone(view), guessed=guessed), *below]


def _is_share(view: TaskView, now: float) -> bool:
    return view.progress is not None and large_word(view, now) == share(view)


def _letter_tone(view: TaskView) -> Tone:
    """Return the state's colour; that of none for what is stuck, which is no state."""
    stuck = not view.open_requests and trouble(view) is Reason.STUCK
    return Tone.STRONG if stuck else STATE_TONES[view.state]


def _marked(written: list[str], tone: Tone, *, guessed: bool) -> list[Line]:
    """Return large letters as lines; what is only worked out carries its sign."""
    if not guessed:
        return [(Piece(line, tone),) for line in written]
    middle = len(written) // 2
    return [
        (_GUESSED if number == middle else Piece(" " * len(_GUESSED.text)), Piece(line, tone))
        for number, line in enumerate(written)
    ]


def _measured(
    view: TaskView, width: int, free: int, needed: int, shown: Line, *, numbered: bool
) -> list[Line]:
    """Return how far it is, and as `shown` how that went, where what is to be read has room too."""
    if view.progress is None or free <= 0:
        return []
    lines = _bars(view, width, 2 if free - needed > _THICK_FROM else 1, numbered=numbered)
    if shown and free - len(lines) > max(_GRAPH_FROM - 1, needed):
        lines.append(shown)
    return lines


def _bars(view: TaskView, width: int, thick: int, *, numbered: bool) -> list[Line]:
    """Return how far it is as a bar, with its number where that stands nowhere else."""
    assert view.progress is not None
    tone = STATE_TONES[view.state] if view.state.ended else Tone.BAR
    # The message says so, and not the protocol.
    guessed = Piece(f" ≈ {share(view):<4}" if numbered else "", Tone.ASSUMED)
    width -= width_of((guessed,))
    if thick == 1:
        return [(*bar(view.progress.fraction, width, tone), guessed)]
    full = round(max(0.0, min(1.0, view.progress.fraction)) * width)
    line = (Piece("█" * full, tone), Piece("░" * (width - full), Tone.TRACK))
    return [(*line, guessed), *[line] * (thick - 1)]


def _written(paragraph: Paragraph, width: int, limit: int = 0) -> list[Line]:
    pieces, hang = paragraph
    return wrap(pieces, width, hang, limit)


def _shared_out(told: Sequence[Paragraph], width: int, rows: int) -> list[Line]:
    """Return what is to be read on `rows` lines: each paragraph has one, the first ones have as
    many more as they need."""
    told = told[: max(0, rows)]
    lines: list[Line] = []
    for number, each in enumerate(told):
        others = len(told) - number - 1
        lines += _written(each, width, max(1, rows - len(lines) - others))
    return lines


def _tail(view: TaskView, width: int, rows: int, now: float) -> list[Line]:
    """Return the last lines: what we asked, how old the news is where that matters, the server.

    The estimate is large where `rows`, those under the title, leave more than enough for the rest.
    """
    lines: list[Line] = []
    asked = words.requested_label(view.snapshot, now)
    if asked and trouble(view) is not Reason.CANCEL_UNANSWERED:
        lines.append((Piece(f"we asked: {asked}", Tone.ASKED),))
    seconds = time_left(view, now)
    left = f"≈ {words.left(seconds)} left" if seconds is not None else ""
    if left and rows >= _LARGE_ESTIMATE_FROM and fitting_size(left, width, rows_of(2)) >= 2:
        lines += [*((Piece(line, Tone.ASSUMED),) for line in letters(left, 2)), BLANK]
    old = looks_old(view, now)
    named = width > _SERVER_FROM and rows > _LETTERS_FROM
    if not old and not named:
        return lines
    fresh = (Piece(_freshness(view, now), Tone.MUTED if certain(view) else Tone.WARN),)
    server = (piece(view.server, Tone.MUTED, 60),) if named else ()
    return [*lines, spread(fresh if old else (), server, width)]


def _freshness(view: TaskView, now: float) -> str:
    """Return how old it is what is shown, and why it does not get younger."""
    read, seen = view.snapshot.read, view.snapshot.observed_at
    said = "never read" if seen is None else f"read {words.ago(seen, now)}"
    if view.coverage in (Coverage.HELD, Coverage.PAUSED):
        said += f", {words.COVERAGES[view.coverage]}"
    if not read.ok and read.failures:
        said += f", {words.counted(read.failures, 'failed read')}"
    return said

"""Lines of toned text: what the task panel, the viewer and the wall draw, as plain values.

A line is a tuple of pieces, a piece is clean text with a tone. Tones say what kind of thing the
text is (said by the server, asked by us, assumed, ...); the stylesheet says how that looks. So
what is shown can be tested without a screen, and equal lines are drawn once.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, chop_cells

from mcp_tasks_tui.sanitize import ServerText, clean
from mcp_tasks_tui.supervise.view import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: A number and its unit are one word, with what belongs to it: ``in 2 h 05 m``, ``0 s ago``,
#: ``30 per min``, ``1.5 kB``; and so is ``just now``.
_PER = r"per (?:s|min|h|day)\b"
_AMOUNT = (
    r"(?:(?:again )?in (?:≈ )?|for |last |waits (?:≈ )?|keeps |≈ )?[0-9][0-9.,]* "
    rf"(?:(?:[smhd](?: [0-9]{{2}} m)?|[kMGT]?B|%)(?!\w)(?: ago| left| overdue| {_PER})?|{_PER})"
    r"[,.;:)]*"
)
_WORDS = re.compile(rf"\n|[^\S\n]+|just now\b|{_AMOUNT}|\S+")
_BLOCKS = "▁▂▃▄▅▆▇█"
_TAB = "    "
#: Longer texts are broken anew each time: they are whole documents, and would fill the memory.
_REMEMBERED = 4_100


class Tone(StrEnum):
    """What a piece of text is; one style per tone."""

    PLAIN = "plain"
    STRONG = "strong"
    MUTED = "muted"
    #: Said by the server, asked by us, worked out by us: these three never look alike.
    SERVER = "server"
    ASKED = "asked"
    ASSUMED = "assumed"
    #: Section headings, and the one that the keyboard is on.
    HEADING = "heading"
    CURRENT = "current"
    #: States and warnings; a word or glyph always says the same.
    WORKING = "working"
    NEED = "need"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    GONE = "gone"
    QUIET = "quiet"
    BAR = "bar"
    TRACK = "track"
    #: Of documents: code, emphasis, links (text only), table rules, names and values of JSON.
    CODE = "code"
    EMPHASIS = "emphasis"
    LINK = "link"
    RULE = "rule"
    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    #: A key to press, as in the last line of the main screen.
    KEY = "key"
    FOUND = "found"
    FOUND_HERE = "found-here"
    #: Filled bands of the wall.
    BAND_WORKING = "band-working"
    BAND_NEED = "band-need"
    BAND_GOOD = "band-good"
    BAND_BAD = "band-bad"
    BAND_GONE = "band-gone"
    BAND_QUIET = "band-quiet"


class Piece(NamedTuple):
    """Clean text without line breaks, in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


Line = tuple[Piece, ...]
BLANK: Line = ()
#: Between two facts on one line.
_BETWEEN = Piece(" · ", Tone.MUTED)

#: How urgent a reason looks.
REASON_TONES: dict[Reason, Tone] = {
    Reason.INPUT_REQUIRED: Tone.NEED,
    Reason.STUCK: Tone.WARN,
    Reason.EXPIRING: Tone.WARN,
    Reason.CANCEL_UNANSWERED: Tone.WARN,
    Reason.READ_FAILING: Tone.BAD,
}


def piece(text: ServerText | str, tone: Tone = Tone.PLAIN, limit: int = 4000) -> Piece:
    """Return text of any origin, cleaned, at most `limit` characters of it, as a piece.

    Line breaks stay for :func:`wrap` to break at.
    """
    raw = text.raw if isinstance(text, ServerText) else text
    shown = clean(raw[:limit]).expandtabs(4)
    return Piece(f"{shown}…" if len(raw) > limit else shown, tone)


def flat(text: str) -> str:
    """Return one line of raw text as it is drawn: cleaned, tabs as four blanks."""
    return clean(text).replace("\n", "^J").replace("\t", _TAB)


def width_of(line: Iterable[Piece]) -> int:
    return sum(cell_len(each.text) for each in line)


def plain(line: Iterable[Piece]) -> str:
    return "".join(each.text for each in line)


def wrap(pieces: Iterable[Piece], width: int, hang: int = 0, limit: int = 0) -> list[Line]:
    """Break pieces into lines of at most `width` cells, later lines indented by `hang` blanks.

    Words stay whole where they fit; `limit` bounds the number of lines (0: no bound), and a cut
    is marked.
    """
    given = tuple(pieces)
    small = sum(len(each.text) for each in given) <= _REMEMBERED
    return list((_wrapped_before if small else _wrapped)(given, width, hang, limit))


def _wrapped(pieces: Line, width: int, hang: int, limit: int) -> tuple[Line, ...]:
    width = max(width, hang + 1, 1)
    lines: list[Line] = []
    for line in _fold(pieces, width, hang):
        if limit and len(lines) == limit:
            lines[-1] = fit((*lines[-1], Piece("…", Tone.MUTED)), width)
            break
        lines.append(_merged(line))
    return tuple(lines)


#: A panel asks for most of its lines again every second.
_wrapped_before = lru_cache(maxsize=512)(_wrapped)


def _fold(pieces: Iterable[Piece], width: int, hang: int) -> Iterator[Line]:
    indent = Piece(" " * hang)
    line: list[Piece] = []
    used = 0
    for each, tone in _words(pieces):
        word, size = each, cell_len(each)
        if word == "\n" or (used + size > width and used > hang):
            yield tuple(line)
            line, used = [indent] if hang else [], hang
            if word.isspace():
                continue
        if used + size > width:
            *full, word = chop_cells(word, width - hang) or [""]
            for part in full:
                yield (*line, Piece(part, tone))
                line = [indent] if hang else []
            used, size = hang, cell_len(word)
        line.append(Piece(word, tone))
        used += size
    yield tuple(line)


def _merged(line: Line) -> Line:
    """Join neighbours of one tone: fewer pieces are drawn faster."""
    return tuple(
        Piece("".join(each.text for each in group), tone)
        for tone, group in groupby(line, key=lambda each: each.tone)
    )


def _words(pieces: Iterable[Piece]) -> Iterator[tuple[str, Tone]]:
    for text, tone in pieces:
        for match in _WORDS.finditer(text):
            yield match.group(), tone


def packed(parts: Sequence[Line], width: int, *, lead: Line = BLANK, hang: int = 0) -> list[Line]:
    """Put short facts beside each other, a dot between two, after `lead`.

    A fact that does not fit goes to the next line whole, indented by `hang` blanks; there is no
    dot where a line ends.
    """
    lines: list[Line] = []
    line, begun = lead, False
    for part in parts:
        joint = (_BETWEEN,) if begun else ()
        if begun and width_of((*line, *joint, *part)) > width:
            lines += wrap(line, width, hang)
            line, joint = (Piece(" " * hang),), ()
        line, begun = (*line, *joint, *part), True
    return [*lines, *wrap(line, width, hang)]


def fit(line: Sequence[Piece], width: int) -> Line:
    """Cut a line to `width` cells, marking the cut."""
    if width_of(line) <= width:
        return tuple(line)
    kept: list[Piece] = []
    left = max(width - 1, 0)
    for text, tone in line:
        size = cell_len(text)
        if size > left:
            kept.append(Piece((chop_cells(text, left) or [""])[0] if left else "", tone))
            break
        kept.append(Piece(text, tone))
        left -= size
    return (*kept, Piece("…", Tone.MUTED))


def pad(line: Sequence[Piece], width: int, tone: Tone = Tone.PLAIN) -> Line:
    """Cut or fill a line to exactly `width` cells."""
    cut = fit(line, width)
    missing = width - width_of(cut)
    return (*cut, Piece(" " * missing, tone)) if missing > 0 else cut


def spread(left: Sequence[Piece], right: Sequence[Piece], width: int) -> Line:
    """Put two parts at the ends of a line; the left one gives way."""
    room = width - width_of(right)
    if room < 1:
        return fit(left, width)
    return (*pad(fit(left, room - 1), room), *right)


def bar(fraction: float, width: int, tone: Tone = Tone.BAR) -> Line:
    """Return a bar of `width` cells, filled to `fraction` (0..1) in steps of half a cell."""
    halves = round(max(0.0, min(1.0, fraction)) * width * 2)
    full, half = divmod(halves, 2)
    rest = width - full - half
    return tuple(
        each
        for each in (Piece("━" * full + "╸" * half, tone), Piece("─" * rest, Tone.TRACK))
        if each.text
    )


def spark(values: Sequence[float | None]) -> str:
    """Return one block per value of 0..1; None (nothing known) is a blank."""
    return "".join(
        " " if value is None else _BLOCKS[min(7, int(max(0.0, value) * 8))] for value in values
    )

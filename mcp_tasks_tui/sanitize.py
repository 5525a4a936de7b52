"""Server text -> text that is safe to put on a terminal.

Everything a server says stays raw inside the program (:class:`ServerText`) and passes
:func:`clean` exactly once, where it goes to a terminal. Nothing is silently swallowed that
could change what a reader believes to see: control, bidi and invisible characters become
visible marks.
"""

from __future__ import annotations

import re
from functools import lru_cache

# The patterns are text: they are compiled when first needed, so that a command that prints plain
# ASCII starts without that.
#
# Format characters that draw nothing or rearrange what is around them, and noncharacters.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028\u2029"
    "\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# They only choose between glyphs: variation selectors and the skin tones of emoji. Dropped,
# because terminals disagree about the width of what they make, and columns would shift.
_CHOOSERS = "\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
_UNSAFE = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_CHOOSERS}{_INVISIBLE}]"
_UNSAFE_ASCII = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
# A joiner between emoji is dropped for the same reason; elsewhere it is made visible.
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_EMOJI_JOINER = f"(?<={_EMOJI})[\ufe0f\U0001f3fb-\U0001f3ff]?\u200d(?={_EMOJI})"
# Runs that may pile up combining marks: not ASCII, no letters, none of the blocks of symbols.
_MARK_RUN = r"[^\w\s\x00-\x7f\u2000-\u20cf\u2100-\u2cee\u3003-\u3029\U0001f000-\U0001faff]{5,}"
_MOST_MARKS = 4


class ServerText:
    """Text that came from a server, kept exactly as it came.

    It is not a ``str``, so a type checker finds every place that would print it raw.
    ``str(text)`` and f-strings give the cleaned form; ``text.raw`` is for the wire, the disk,
    comparisons and ``--json``.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: str) -> None:
        self.raw = raw

    def __str__(self) -> str:
        return clean(self.raw)

    def __format__(self, spec: str) -> str:
        return format(clean(self.raw), spec)

    def __repr__(self) -> str:
        return f"ServerText({self.raw!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerText) and other.raw == self.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __bool__(self) -> bool:
        return bool(self.raw)


def clean(text: ServerText | str) -> str:
    """Return `text` with every character that could steer a terminal made visible.

    Newline and tab stay. C0 and DEL become ``^[`` and ``^?``, as pagers and editors write them: on
    every terminal and in every font the same. C1, bidi, zero-width and other invisible characters
    and those that are not assigned become ``⟨U+202E⟩``, lone surrogates ``\\ufffd``.
    """
    raw = text.raw if isinstance(text, ServerText) else text
    if raw.isascii():
        if raw.isprintable():
            return raw
        raw = raw.replace("\r\n", "\n")
        octets = raw.encode("ascii")
        if len(octets.translate(None, _UNSAFE_ASCII)) == len(octets):
            return raw
        return re.sub(_UNSAFE, _visible, raw)
    raw = raw.replace("\r\n", "\n")
    if "\u200d" in raw:
        raw = re.sub(_EMOJI_JOINER, "", raw)
    raw = re.sub(_MARK_RUN, _thin, re.sub(_UNSAFE, _visible, raw))
    if raw.replace("\n", "").replace("\t", "").isprintable():
        return raw
    # What is left is blanks, private use, or a character that nobody knows the width of.
    return "".join([char if char.isprintable() else _known(char) for char in raw])


def one_line(text: ServerText | str, limit: int = 500) -> str:
    """Return `text` cleaned, on one line, at most `limit` characters and an ellipsis long.

    Only the beginning of the raw text is looked at, so that a message of megabytes costs nothing.
    """
    raw = text.raw if isinstance(text, ServerText) else text
    cut = raw[: 4 * limit]
    line = " ".join(clean(cut).split())
    if len(line) > limit:
        return f"{line[:limit].rstrip()}…"
    return f"{line}…" if len(raw) > len(cut) else line


@lru_cache(maxsize=512)
def _mark(char: str) -> str:
    code = ord(char)
    if 0xFE00 <= code <= 0xFE0F or 0x1F3FB <= code <= 0x1F3FF:
        return ""
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x20 or code == 0x7F:
        return f"^{chr(code ^ 0x40)}"
    return f"⟨U+{code:04X}⟩"


@lru_cache(maxsize=512)
def _known(char: str) -> str:
    """Make a code point that is not assigned visible: each terminal guesses its width anew."""
    import unicodedata  # noqa: PLC0415 - few texts need it

    return _mark(char) if unicodedata.category(char) == "Cn" else char


def _visible(match: re.Match[str]) -> str:
    return _mark(match.group())


def _thin(match: re.Match[str]) -> str:
    """Drop the marks that are too many on one letter; they would run over other lines."""
    import unicodedata  # noqa: PLC0415 - few texts need it

    kept: list[str] = []
    marks = 0
    for char in match.group():
        marks = marks + 1 if unicodedata.category(char).startswith("M") else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)

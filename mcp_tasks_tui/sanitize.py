"""Server text -> text that is safe to put on a terminal.

Everything a server says stays raw inside the program (:class:`ServerText`) and passes
:func:`clean` exactly once, where it goes to a terminal. Nothing is silently swallowed that
could change what a reader believes to see: control, bidi and invisible characters become
visible marks.
"""

from __future__ import annotations

import re
from functools import lru_cache

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028\u2029"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(f"\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufe00-\ufe0f{_INVISIBLE}]")
# A joiner inside an emoji sequence, and variation selectors, only choose between glyphs. They
# are dropped: terminals disagree about the width of what they make, and columns would shift.
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_EMOJI_JOINER = re.compile(f"(?<={_EMOJI})[\ufe0f\U0001f3fb-\U0001f3ff]*\u200d(?={_EMOJI})")
_MARK_FLOOD = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
_BLANKS = re.compile(r"\s+")


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

    Newline and tab stay. C0 and DEL become control pictures (``␛``), C1, bidi, zero-width and
    other invisible characters become ``⟨U+202E⟩``, lone surrogates ``\\ufffd``.
    """
    raw = text.raw if isinstance(text, ServerText) else text
    if raw.isascii() and raw.isprintable():
        return raw
    if "\u200d" in raw:
        raw = _EMOJI_JOINER.sub("", raw)
    return _MARK_FLOOD.sub(r"\1", _UNSAFE.sub(_visible, raw))


def one_line(text: ServerText | str, limit: int = 500) -> str:
    """Return `text` cleaned, on one line, at most about `limit` characters long.

    The bound is applied to the raw text first, so that a message of megabytes costs nothing.
    """
    raw = text.raw if isinstance(text, ServerText) else text
    cut = raw[: limit + 1]
    line = _BLANKS.sub(" ", clean(cut)).strip()
    return f"{line[:limit]}…" if len(raw) > limit else line


@lru_cache(maxsize=512)
def _mark(char: str) -> str:
    code = ord(char)
    if 0xFE00 <= code <= 0xFE0F:
        return ""
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"


def _visible(match: re.Match[str]) -> str:
    found = match.group()
    return "\n" if found == "\r\n" else _mark(found)

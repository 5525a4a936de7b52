"""Sound JSON beyond what can be held -> JSON that can: the rest of it is kept as text. Pure.

Only replies that the parser refused come here, so that one value of a reply does not cost the
task its state.
"""

from __future__ import annotations

import json
import math
import re

#: Levels of nesting that stay what they are; what lies deeper becomes its own JSON text.
DEEPEST = 190
#: An integer with more digits becomes text.
MOST_DIGITS = 4300
#: Brackets and unusual numbers that are looked at: a few seconds of work.
_MOST_TOKENS = 1_000_000

_TOO_DEEP = f"what is nested deeper than {DEEPEST} levels is kept as text"
_TOO_LARGE = "a number that is out of range is kept as text"

#: A bracket or an unusual number, behind everything that needs no look: strings, plain numbers.
_TOKEN = re.compile(
    rb"""(?: "(?:[^"\\]++|\\.)*+"?
           | -?[0-9]{1,300}+(?:\.[0-9]*+)?+(?![0-9.eE+\-])
           | [^"\[\]{}0-9NI\-]++
        )*+
        (?: ( [\[{\]}] | -?[0-9][0-9+\-.eE]*+ | NaN | -?Infinity ) | . | \Z )""",
    re.DOTALL | re.VERBOSE,
)


def bounded(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return `body` with what is beyond the bounds as strings, and a line for each kind of it.

    A body that is no JSON, or has too much in it to be looked at, is none afterwards either.
    """
    bounding = _Bounding(body)
    for count, match in enumerate(_TOKEN.finditer(body)):
        if match[1] is None or count == _MOST_TOKENS:
            break  # the end, or what no JSON has
        bounding.take(match)
    return bounding.outcome()


class _Bounding:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._pieces: list[bytes] = []
        self._done = 0
        self._depth = 0
        self._deep_from = 0
        self._notes: dict[str, None] = {}

    def take(self, match: re.Match[bytes]) -> None:
        token = match[1]
        if token in (b"[", b"{"):
            self._depth += 1
            if self._depth == DEEPEST + 1:
                self._deep_from = match.start(1)
        elif token in (b"]", b"}"):
            if self._depth == DEEPEST + 1:
                self._as_text(self._deep_from, match.end(), _TOO_DEEP)
            self._depth -= 1
        elif self._depth <= DEEPEST and _beyond(token):
            self._as_text(*match.span(1), _TOO_LARGE)

    def outcome(self) -> tuple[bytes, tuple[str, ...]]:
        return b"".join([*self._pieces, self._body[self._done :]]), tuple(self._notes)

    def _as_text(self, start: int, end: int, note: str) -> None:
        text = self._body[start:end].decode(errors="replace")
        self._pieces += (self._body[self._done : start], json.dumps(text).encode("ascii"))
        self._done = end
        self._notes[note] = None


def _beyond(number: bytes) -> bool:
    """Tell whether a number is one that the parser does not take, or takes for infinity."""
    if number.lstrip(b"-").isdigit():
        return len(number) > MOST_DIGITS
    try:
        return not math.isfinite(float(number))
    except ValueError:
        return False

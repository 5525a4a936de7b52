"""A pattern's text -> a program of steps. The dialect is ECMA-262, as JSON Schema asks for.

``\\d`` is ASCII, ``$`` is the very end. Lookahead is understood; lookbehind and back references
are not.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    Accepts = Callable[[str], bool]

_MAX_PATTERN = 1_000
_MAX_DEPTH = 40
_MAX_PROGRAM = 4_000

_LINE_ENDS = "\n\r\u2028\u2029"
_SPACES = frozenset("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_CONTROL_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_CATEGORY_NAMES = {
    "Letter": "L",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Mark": "M",
    "Number": "N",
    "Decimal_Number": "Nd",
    "Punctuation": "P",
    "Symbol": "S",
    "Separator": "Z",
}


class NotChecked(Exception):
    """The pattern could not be checked; `str()` says why, in words for a person."""


def read_pattern(pattern: str) -> tuple[Step, ...]:
    """Return the program of a pattern.

    Raises:
        NotChecked: the pattern is not understood, or too big.
    """
    if len(pattern) > _MAX_PATTERN:
        raise NotChecked("the pattern is too long to be checked here")
    return tuple(_Reader(pattern).read())


@dataclass(frozen=True, slots=True)
class Take:
    accepts: Accepts


@dataclass(frozen=True, slots=True)
class Fork:
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Assert:
    at: Literal["^", "$", "b", "B"]


@dataclass(frozen=True, slots=True)
class Lookaround:
    program: tuple[Step, ...]
    wanted: bool


@dataclass(frozen=True, slots=True)
class Done:
    pass


Step = Take | Fork | Assert | Lookaround | Done
#: A piece of program; jump targets in it are relative to its own start.
_Piece = list[Step]


def _moved(piece: _Piece, by: int) -> _Piece:
    return [
        Fork(step.first + by, step.second + by) if isinstance(step, Fork) else step
        for step in piece
    ]


def _joined(pieces: list[_Piece]) -> _Piece:
    whole: _Piece = []
    for piece in pieces:
        if len(whole) + len(piece) > _MAX_PROGRAM:
            raise NotChecked("the pattern is too big to be checked here")
        whole.extend(_moved(piece, len(whole)))
    return whole


def _either(pieces: list[_Piece]) -> _Piece:
    whole = pieces[-1]
    for piece in reversed(pieces[:-1]):
        first = 1
        second = first + len(piece) + 1
        end = second + len(whole)
        whole = [
            Fork(first, second),
            *_moved(piece, first),
            Fork(end, end),
            *_moved(whole, second),
        ]
        if len(whole) > _MAX_PROGRAM:
            raise NotChecked("the pattern is too big to be checked here")
    return whole


def _optional(piece: _Piece) -> _Piece:
    return [Fork(1, len(piece) + 1), *_moved(piece, 1)]


def _many(piece: _Piece) -> _Piece:
    return [Fork(1, len(piece) + 2), *_moved(piece, 1), Fork(0, 0)]


def _repeated(piece: _Piece, least: int, most: int | None) -> _Piece:
    copies = least if most is None else most
    if copies * max(1, len(piece)) > _MAX_PROGRAM:
        raise NotChecked("the pattern repeats too often to be checked here")
    if most is None:
        return _joined([piece] * least + [_many(piece)])
    return _joined([piece] * least + [_optional(piece)] * (most - least))


@dataclass(slots=True)
class _Reader:
    pattern: str
    at: int = 0
    depth: int = 0

    def read(self) -> _Piece:
        piece = self._alternatives()
        if self.at < len(self.pattern):
            raise NotChecked("the pattern has a ')' too many")
        return [*piece, Done()]

    def _next(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _took(self, text: str) -> bool:
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def _alternatives(self) -> _Piece:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotChecked("the pattern is nested too deep to be checked here")
        pieces = [self._sequence()]
        while self._took("|"):
            pieces.append(self._sequence())
        self.depth -= 1
        return _either(pieces)

    def _sequence(self) -> _Piece:
        pieces: list[_Piece] = []
        while self._next() not in ("", "|", ")"):
            pieces.append(self._quantified())
        return _joined(pieces)

    def _quantified(self) -> _Piece:
        piece = self._atom()
        bounds = self._bounds()
        if bounds is None:
            return piece
        self._took("?")
        least, most = bounds
        return _repeated(piece, least, most)

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._took(sign):
                return bounds
        if self._next() != "{":
            return None
        end = self.pattern.find("}", self.at)
        least, comma, most = self.pattern[self.at + 1 : max(end, 0)].partition(",")
        if end < 0 or not _digits(least) or not (most == "" or _digits(most)):
            return None  # a brace that is no quantifier stands for itself
        self.at = end + 1
        if not comma:
            return int(least), int(least)
        upper = int(most) if most else None
        if upper is not None and upper < int(least):
            raise NotChecked("the pattern repeats {from,to} the wrong way round")
        return int(least), upper

    def _atom(self) -> _Piece:
        char = self._next()
        self.at += 1
        match char:
            case "(":
                return self._group()
            case "[":
                return [Take(self._char_class())]
            case "\\":
                return self._escape()
            case ".":
                return [Take(lambda c: c not in _LINE_ENDS)]
            case "^" | "$":
                return [Assert(char)]
            case "*" | "+" | "?":
                raise NotChecked(f"the pattern repeats nothing with {char!r}")
        return [Take(char.__eq__)]

    def _group(self) -> _Piece:
        if self._took("?="):
            return [Lookaround((*self._closed(), Done()), wanted=True)]
        if self._took("?!"):
            return [Lookaround((*self._closed(), Done()), wanted=False)]
        if self._took("?<=") or self._took("?<!"):
            raise NotChecked("the pattern looks behind, which is not checked here")
        if self._took("?<"):
            self.at = self.pattern.find(">", self.at) + 1 or len(self.pattern)
        elif not self._took("?:") and self._next() == "?":
            raise NotChecked("the pattern has a group of an unknown kind")
        return self._closed()

    def _closed(self) -> _Piece:
        piece = self._alternatives()
        if not self._took(")"):
            raise NotChecked("the pattern has a '(' too many")
        return piece

    def _escape(self) -> _Piece:
        char = self._next()
        if char in ("b", "B"):
            self.at += 1
            return [Assert("b" if char == "b" else "B")]
        if char == "k" or (char.isdigit() and char != "0"):
            raise NotChecked("the pattern refers back to a group, which is not checked here")
        found = self._escaped()
        return [Take(found.__eq__ if isinstance(found, str) else found)]

    def _escaped(self) -> str | Accepts:
        """Read what follows a backslash: one character, or a class of them."""
        char = self._next()
        if not char:
            raise NotChecked("the pattern ends in a backslash")
        self.at += 1
        if char in "dDwWsS":
            return _SHORTHANDS[char]
        if char in "pP":
            return self._category(wanted=char == "p")
        if char in _CONTROL_ESCAPES:
            return _CONTROL_ESCAPES[char]
        if char in "xu":
            return self._code_point(char)
        if char == "c" and self._next().isascii() and self._next().isalpha():
            self.at += 1
            return chr(ord(self.pattern[self.at - 1]) % 32)
        return char

    def _code_point(self, kind: str) -> str:
        if kind == "u" and self._took("{"):
            end = self.pattern.find("}", self.at)
            digits, after = self.pattern[self.at : max(end, 0)], end + 1
        else:
            width = 2 if kind == "x" else 4
            digits, after = self.pattern[self.at : self.at + width], self.at + width
        if not digits or any(c not in "0123456789abcdefABCDEF" for c in digits):
            return kind
        self.at = after
        code = int(digits[:8], 16)
        if code > 0x10FFFF:
            raise NotChecked("the pattern names a character that does not exist")
        return chr(code)

    def _category(self, *, wanted: bool) -> Accepts:
        end = self.pattern.find("}", self.at)
        if not self._took("{") or end < 0:
            return ("p" if wanted else "P").__eq__
        name = self.pattern[self.at : end].removeprefix("General_Category=").removeprefix("gc=")
        self.at = end + 1
        category = _CATEGORY_NAMES.get(name, name)
        if not (len(category) <= 2 and category[:1] in "LMNPSZC"):
            raise NotChecked("the pattern uses a property of characters that is not known here")
        return lambda c: unicodedata.category(c).startswith(category) is wanted

    def _char_class(self) -> Accepts:
        negated = self._took("^")
        ranges: list[tuple[str, str]] = []
        classes: list[Accepts] = []
        while not self._took("]"):
            low = self._member()
            if not isinstance(low, str):
                classes.append(low)
                continue
            high: str | Accepts = low
            if self._next() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("", "]"):
                self.at += 1
                high = self._member()
            if isinstance(high, str):
                ranges.append((low, high))
            else:
                ranges += [(low, low), ("-", "-")]
                classes.append(high)

        lows, highs = _merged(ranges)
        others = tuple(dict.fromkeys(classes))

        def accepts(char: str) -> bool:
            nearest = bisect_right(lows, char) - 1
            inside = (nearest >= 0 and char <= highs[nearest]) or any(
                accepted(char) for accepted in others
            )
            return inside is not negated

        return accepts

    def _member(self) -> str | Accepts:
        char = self._next()
        if not char:
            raise NotChecked("the pattern has a '[' too many")
        self.at += 1
        if char != "\\":
            return char
        if self._took("b"):
            return "\b"
        return self._escaped()


def _merged(ranges: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return lows and highs of the same ranges, ordered and without overlaps."""
    lows: list[str] = []
    highs: list[str] = []
    for low, high in sorted(ranges):
        if highs and low <= highs[-1]:
            highs[-1] = max(highs[-1], high)
        elif low <= high:
            lows.append(low)
            highs.append(high)
    return lows, highs


def _digits(text: str) -> bool:
    return 0 < len(text) <= 6 and text.isascii() and text.isdigit()


def is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


_SHORTHANDS: dict[str, Accepts] = {
    "d": lambda c: "0" <= c <= "9",
    "D": lambda c: not "0" <= c <= "9",
    "w": is_word,
    "W": lambda c: not is_word(c),
    "s": lambda c: c in _SPACES,
    "S": lambda c: c not in _SPACES,
}

"""A terminal's screen out of the bytes that a program writes to it: as much as ours writes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len

_SEQUENCE = re.compile(
    r"\x1b\[(?P<parameters>[0-9;?<=>]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[P_^][^\x1b]*\x1b\\"
    r"|\x1b[@-Z\\-_=>78]"
)
#: The beginning of a sequence whose end has not come yet.
_TORN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*|[P_^][^\x1b]*)?$")


@dataclass(frozen=True, slots=True)
class Pen:
    """How a cell is drawn; colours are `#rrggbb`, None for the terminal's own."""

    color: str | None = None
    ground: str | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False


class Cell(NamedTuple):
    """One place on the screen; an empty text belongs to the wide character before it."""

    text: str = " "
    pen: Pen = Pen()


_FLAGS: dict[int, Callable[[Pen], Pen]] = {
    1: lambda pen: replace(pen, bold=True),
    2: lambda pen: replace(pen, dim=True),
    3: lambda pen: replace(pen, italic=True),
    4: lambda pen: replace(pen, underline=True),
    7: lambda pen: replace(pen, reverse=True),
    22: lambda pen: replace(pen, bold=False, dim=False),
    23: lambda pen: replace(pen, italic=False),
    24: lambda pen: replace(pen, underline=False),
    27: lambda pen: replace(pen, reverse=False),
}


class Screen:
    """Feed it what was read from the terminal; `rows` is what a person sees."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.cells = [[Cell()] * columns for _ in range(rows)]
        self._row = self._column = 0
        self._pen = Pen()
        self._rest = ""

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        return tuple(map(tuple, self.cells))

    def feed(self, text: str) -> None:
        text = self._rest + text
        torn = _TORN.search(text)
        self._rest = torn[0] if torn else ""
        text = text[: len(text) - len(self._rest)]
        at = 0
        for match in _SEQUENCE.finditer(text):
            self._write(text[at : match.start()])
            self._obey(match["parameters"] or "", match["final"] or "")
            at = match.end()
        self._write(text[at:])

    def _write(self, text: str) -> None:
        for character in text:
            if character == "\r":
                self._column = 0
            elif character == "\n":
                self._row = min(self._row + 1, len(self.cells) - 1)
            elif character >= " ":
                self._put(character)

    def _put(self, character: str) -> None:
        width = cell_len(character)
        if width == 0 or self._column + width > self.columns:
            return
        row = self.cells[self._row]
        row[self._column] = Cell(character, self._pen)
        for following in range(self._column + 1, self._column + width):
            row[following] = Cell("", self._pen)
        self._column += width

    def _obey(self, parameters: str, final: str) -> None:
        if parameters[:1] in ("?", "<", "=", ">"):
            return
        numbers = [int(part or 0) for part in parameters.split(";")]
        if final == "H":
            self._row = min(max(numbers[0], 1), len(self.cells)) - 1
            self._column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif final == "J" and numbers[0] == 2:
            self.cells = [[Cell()] * self.columns for _ in self.cells]
        elif final == "m":
            self._dye(numbers)

    def _dye(self, numbers: list[int]) -> None:
        left = list(numbers)
        while left:
            number = left.pop(0)
            if number == 0:
                self._pen = Pen()
            elif number in (38, 48) and left[:1] == [2] and len(left) >= 4:
                color = "#{:02x}{:02x}{:02x}".format(*left[1:4])
                left = left[4:]
                self._pen = self._colored(number, color)
            elif number in (39, 49):
                self._pen = self._colored(number - 1, None)
            elif number in _FLAGS:
                self._pen = _FLAGS[number](self._pen)

    def _colored(self, number: int, color: str | None) -> Pen:
        if number == 38:
            return replace(self._pen, color=color)
        return replace(self._pen, ground=color)

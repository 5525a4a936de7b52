"""What a screen showed over time, as one animated SVG file that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import escape

from tests.pictures.vt import Cell, Pen

_WIDTH, _HEIGHT = 8.4, 18
_MARGIN = 12
_BAR = 32
#: Not every program that shows SVG keeps two blanks in a row.
_BLANK = "\u00a0"
_INK, _GROUND, _FRAME = "#d5dbe3", "#11151b", "#292929"
_FONTS = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"

Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The screen from `at` (seconds from the beginning) on."""

    at: float
    rows: tuple[Row, ...]


def film(frames: Sequence[Frame], seconds: float, *, title: str) -> str:
    """Return the frames as an animation of that many seconds, repeated for ever.

    Each row is drawn anew only where it changed: it is the changes that make the size.
    """
    columns, height = len(frames[0].rows[0]), len(frames[0].rows)
    styles = _Styles()
    moves: list[str] = []
    drawn: list[str] = []
    for number in range(height):
        for start, end, row in _versions(frames, number, seconds):
            body = _row(row, _BAR + number * _HEIGHT, styles)
            if not body:
                continue
            if (start, end) == (0.0, seconds):
                drawn.append(f"<g>{body}</g>")
                continue
            moves.append(_visible(len(moves), start / seconds, end / seconds))
            drawn.append(f'<g class="v" style="animation-name:k{len(moves) - 1}">{body}</g>')
    width, tall = columns * _WIDTH + 2 * _MARGIN, height * _HEIGHT + _BAR + _MARGIN
    style = "\n".join(
        (
            f"text {{ font: 14px {_FONTS}; fill: {_INK}; }}",
            f".v {{ visibility: hidden; animation: {seconds:g}s step-end infinite; }}",
            *styles.rules(),
            *moves,
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {tall:g}">\n'
        f"<style>\n{style}\n</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{_FRAME}"/>\n'
        f'<text x="50%" y="21" text-anchor="middle">{escape(title)}</text>\n'
        f'<rect x="{_MARGIN}" y="{_BAR}" width="{columns * _WIDTH:g}" '
        f'height="{height * _HEIGHT}" fill="{_GROUND}"/>\n'
        f'<g transform="translate({_MARGIN} 0)">\n' + "\n".join(drawn) + "\n</g>\n</svg>\n"
    )


def _versions(
    frames: Sequence[Frame], number: int, seconds: float
) -> list[tuple[float, float, Row]]:
    """What one row showed: from when, until when, what."""
    versions: list[tuple[float, float, Row]] = []
    for row, group in groupby(frames, key=lambda frame: frame.rows[number]):
        versions.append((next(group).at, seconds, row))
    starts = [start for start, _, _ in versions[1:]]
    return [
        (start, end, row) for (start, _, row), end in zip(versions, [*starts, seconds], strict=True)
    ]


def _visible(number: int, start: float, end: float) -> str:
    steps = "0%{visibility:hidden}" if start > 0 else ""
    last = f"{end:.3%}{{visibility:hidden}}" if end < 1 else ""
    return f"@keyframes k{number} {{{steps}{start:.3%}{{visibility:visible}}{last}}}"


class _Styles:
    """Names for the ways in which text is drawn."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, pen: Pen) -> str:
        rule = ";".join(_rules(pen))
        return self._names.setdefault(rule, f"s{len(self._names)}") if rule else ""

    def rules(self) -> list[str]:
        return [f".{name} {{{rule}}}" for rule, name in self._names.items()]


def _rules(pen: Pen) -> list[str]:
    color = _colors(pen)[0]
    parts = [f"fill:{color}"] if color != _INK else []
    parts += ["font-weight:bold"] if pen.bold else []
    parts += ["opacity:.6"] if pen.dim else []
    parts += ["font-style:italic"] if pen.italic else []
    parts += ["text-decoration:underline"] if pen.underline else []
    return parts


def _colors(pen: Pen) -> tuple[str, str]:
    color, ground = pen.color or _INK, pen.ground or _GROUND
    return (ground, color) if pen.reverse else (color, ground)


def _row(row: Row, top: float, styles: _Styles) -> str:
    parts: list[str] = []
    column = 0
    for pen, group in groupby(row, key=lambda cell: cell.pen):
        cells = list(group)
        text = "".join(cell.text for cell in cells)
        left, wide = column * _WIDTH, len(cells) * _WIDTH
        column += len(cells)
        ground = _colors(pen)[1]
        if ground != _GROUND:
            parts.append(
                f'<rect x="{left:g}" y="{top:g}" width="{wide:g}" height="{_HEIGHT}" '
                f'fill="{ground}"/>'
            )
        parts.append(_text(text, len(cells), left, top + 14, styles.name(pen)))
    return "".join(parts)


def _text(text: str, cells: int, left: float, base: float, name: str) -> str:
    shown = text.strip(" ")
    if not shown:
        return ""
    blanks = len(text) - len(text.lstrip(" "))
    wide = cells - (len(text) - len(shown))
    style = f' class="{name}"' if name else ""
    return (
        f'<text x="{left + blanks * _WIDTH:g}" y="{base:g}" textLength="{wide * _WIDTH:g}"'
        f"{style}>{escape(shown.replace(' ', _BLANK))}</text>"
    )

"""Text for the screen: the only place where text becomes Textual content.

Textual reads markup in most strings it is given, so nothing in ``ui`` hands it a string that is
not written in our own source. Everything else goes through :func:`content`, which cleans it and
never parses it. :func:`cell`, :func:`pad` and :func:`middle` clean too, and cut by terminal
cells, on the borders of what a reader sees as one character.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from mcp_tasks_tui.sanitize import ServerText, clean, one_line

if TYPE_CHECKING:
    from textual.style import Style

ELLIPSIS = "…"
#: No cell on any screen is wider; what is longer is cut before it is looked at closely.
_LONGEST = 1000


def content(text: ServerText | str, style: Style | str = "") -> Content:
    """Return `text`, cleaned and in one style, as content. Brackets in it stay brackets."""
    return Content.styled(clean(text), style)


def lines(*parts: Content) -> Content:
    """Return `parts` under each other."""
    return Content("\n").join(parts)


def beside(*parts: Content) -> Content:
    """Return `parts` after each other."""
    return Content("").join(parts)


def cell(text: ServerText | str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Return `text` on one clean line of at most `width` terminal cells, its end cut off."""
    if width <= 0:
        return ""
    line = one_line(text, _LONGEST)
    if cell_len(line) <= width:
        return line
    room = width - cell_len(ellipsis)
    if room <= 0:
        return _take(line, width)
    return f"{_take(line, room)}{ellipsis}"


def pad(text: ServerText | str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Return `text` as :func:`cell` does, filled with blanks to exactly `width` cells."""
    line = cell(text, width, ellipsis)
    return line + " " * (width - cell_len(line))


def middle(text: ServerText | str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """Return `text` on at most `width` cells with its middle cut out: for ids and paths."""
    line = one_line(text, _LONGEST)
    if cell_len(line) <= width:
        return line
    room = width - cell_len(ellipsis)
    if room < 2:
        return cell(line, width, ellipsis)
    tail = room // 2
    return f"{_take(line, room - tail)}{ellipsis}{_take_end(line, tail)}"


def _take(line: str, width: int) -> str:
    """Return as much of `line` as fits in `width` cells, whole characters only."""
    if line.isascii():
        return line[:width]
    used = 0
    end = 0
    for cluster in _clusters(line):
        size = cell_len(cluster)
        if used + size > width:
            break
        used += size
        end += len(cluster)
    return line[:end]


def _take_end(line: str, width: int) -> str:
    if line.isascii():
        return line[-width:]
    used = 0
    start = len(line)
    for cluster in reversed(_clusters(line)):
        size = cell_len(cluster)
        if used + size > width:
            break
        used += size
        start -= len(cluster)
    return line[start:]


@lru_cache(maxsize=512)
def _clusters(line: str) -> tuple[str, ...]:
    """Split into what a reader sees as characters: a base and the marks that sit on it."""
    found: list[str] = []
    for char in line:
        if found and cell_len(char) == 0:
            found[-1] += char
        else:
            found.append(char)
    return tuple(found)

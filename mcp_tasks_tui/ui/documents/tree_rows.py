"""JSON of any size as rows that open and close. Nothing below a closed row is ever looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, piece

#: A container with more children shows them in groups of this many.
GROUP = 500
#: Characters of a value that a row shows.
_PREVIEW = 400
#: Small documents start opened to about this many rows.
_OPENED_AT_START = 60
#: Rows that a search looks at before it lets go.
_LOOKED_AT = 32


class Group(NamedTuple):
    """Children `start` to `stop` (exclusive) of a container with very many."""

    start: int
    stop: int


Step = str | int | Group
Path = tuple[Step, ...]


@record
class TreeRow:
    """One row: its path from the root, its own value, whether it can be and is open."""

    path: Path
    value: Any
    container: bool
    open: bool = False

    @property
    def depth(self) -> int:
        return len(self.path)


class Tree:
    """The rows of a JSON value as they are open now."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.rows: list[TreeRow] = [TreeRow((), value, is_container(value))]
        self._open_some()

    def _open_some(self) -> None:
        row = 0
        while row < len(self.rows) and row < _OPENED_AT_START:
            each = self.rows[row]
            if each.container and len(self.rows) + child_count(each) <= _OPENED_AT_START:
                self.open(row)
            row += 1
        if not self.rows[0].open:
            self.open(0)

    def open(self, row: int) -> bool:
        """Open a row; return whether anything changed."""
        each = self.rows[row]
        if not each.container or each.open:
            return False
        self.rows[row] = TreeRow(each.path, each.value, True, True)
        self.rows[row + 1 : row + 1] = [
            TreeRow((*each.path, step), value, is_container(value) or isinstance(step, Group))
            for step, value in children(each)
        ]
        return True

    def close(self, row: int) -> bool:
        """Close a row; return whether anything changed."""
        each = self.rows[row]
        if not each.open:
            return False
        end = row + 1
        while end < len(self.rows) and self.rows[end].depth > each.depth:
            end += 1
        self.rows[row:end] = [TreeRow(each.path, each.value, True)]
        return True

    def parent(self, row: int) -> int:
        """Return the row that holds this one (the root holds itself)."""
        depth = self.rows[row].depth
        while row > 0 and self.rows[row].depth >= depth:
            row -= 1
        return row

    def reveal(self, path: Path) -> int:
        """Open what hides `path`; return its row."""
        row = 0
        for depth in range(1, len(path) + 1):
            self.open(row)
            row = self._child(row, path[:depth])
        return row

    def open_as(self, other: Tree) -> None:
        """Open and close the rows as they are in another tree, which may be of another value."""
        states = {row.path: row.open for row in other.rows if row.container}
        number = 0
        while number < len(self.rows):
            wanted = states.get(self.rows[number].path)
            if wanted is True:
                self.open(number)
            elif wanted is False:
                self.close(number)
            number += 1

    def nearest(self, path: Path) -> int:
        """Return the row of `path`, or of the deepest part of it that can be seen."""
        rows = {row.path: number for number, row in enumerate(self.rows)}
        return next(rows[path[:end]] for end in range(len(path), -1, -1) if path[:end] in rows)

    def _child(self, row: int, path: Path) -> int:
        depth = self.rows[row].depth
        for number in range(row + 1, len(self.rows)):
            if self.rows[number].path == path:
                return number
            if self.rows[number].depth <= depth:
                break
        return row


def is_container(value: Any) -> bool:
    return isinstance(value, (Mapping, list)) and bool(value)


def child_count(row: TreeRow) -> int:
    """Rows that opening adds."""
    last = row.path[-1] if row.path else None
    if isinstance(last, Group):
        return last.stop - last.start
    size = len(row.value)
    return size if size <= GROUP else -(-size // GROUP)


def children(row: TreeRow) -> Iterator[tuple[Step, Any]]:
    """Yield the children of a container row: its items, or groups of them."""
    last = row.path[-1] if row.path else None
    if isinstance(last, Group):
        yield from _items(row.value, last)
    elif len(row.value) <= GROUP:
        yield from _items(row.value, Group(0, len(row.value)))
    else:
        for start in range(0, len(row.value), GROUP):
            yield Group(start, min(start + GROUP, len(row.value))), row.value


def _items(value: Any, part: Group) -> Iterator[tuple[Step, Any]]:
    if isinstance(value, list):
        yield from enumerate(value[part.start : part.stop], part.start)
        return
    for number, (name, item) in enumerate(value.items()):
        if number >= part.stop:
            return
        if number >= part.start:
            yield name, item


def summary(row: TreeRow) -> str:
    """Return a row's value in a few clean words: a scalar as JSON, a container by its size."""
    last = row.path[-1] if row.path else None
    if isinstance(last, Group):
        return ""
    return summary_of(row.value)


def summary_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{len(value)}}}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)}]" if value else "[]"
    if isinstance(value, str):
        return f'"{one_line(value, _PREVIEW)}"'
    return one_line(scalar(value), _PREVIEW)


def scalar(value: Any) -> str:
    """Return a JSON scalar as JSON writes it, a string as it is."""
    if isinstance(value, str):
        return value
    try:
        return str(value) if type(value) is int else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return f"<{type(value).__name__} that cannot be written out>"


def part_of(row: TreeRow) -> Any:
    """Return the value of a row, of a group the values in it."""
    group = row.path[-1] if row.path else None
    if not isinstance(group, Group):
        return row.value
    if isinstance(row.value, Mapping):
        return dict(islice(row.value.items(), group.start, group.stop))
    return row.value[group.start : group.stop]


def matches(value: Any, needle: str) -> Iterator[Path | None]:
    """Yield the path of every name or value that holds `needle`, depth first, and None at times.

    `needle` is in lower case. A None lets the caller do something else; nothing is recursive, so
    depth costs nothing. The root itself has no name to find.
    """
    stack = [_below((), value)] if is_container(value) else []
    looked_at = 0
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        path, item = found
        inside = is_container(item)
        shown = "" if inside else scalar(item)
        if needle in f"{path[-1]}: {shown}".lower():
            yield path
        if inside:
            stack.append(_below(path, item))
        looked_at += 1
        if looked_at % _LOOKED_AT == 0:
            yield None


def _below(path: Path, container: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the children of a container with their paths, through groups where it has them."""
    size = len(container)
    items = container.items() if isinstance(container, Mapping) else enumerate(container)
    prefix = path
    for number, (step, item) in enumerate(items):
        if size > GROUP and number % GROUP == 0:
            prefix = (*path, Group(number, min(number + GROUP, size)))
        yield (*prefix, step), item


def spell(path: Path) -> str:
    """Return a path as people write it: ``items[3].name``."""
    spelled = ""
    for step in path:
        if isinstance(step, int):
            spelled += f"[{step}]"
        elif isinstance(step, str):
            spelled += f".{step}" if spelled else step
    return one_line(spelled, 300)


_VALUE_TONES: dict[type, Tone] = {
    str: Tone.STRING,
    bool: Tone.CODE,
    int: Tone.NUMBER,
    float: Tone.NUMBER,
    type(None): Tone.MUTED,
}


def tree_line(row: TreeRow, *, arrows: bool = True) -> Line:
    """Return a row as it is drawn: indent, arrow (where rows can be opened), name, value."""
    arrow = ("▾ " if row.open else "▸ ") if row.container and arrows else "  "
    deep = row.depth - (not arrows)
    # Lines lead down from what is open, but for what is outermost.
    guides = f"  {'│ ' * (deep - 1)}" if arrows and deep else "  " * deep
    pieces = [Piece(guides, Tone.TRACK), Piece(arrow, Tone.MUTED)]
    name = row.path[-1] if row.path else None
    if isinstance(name, Group):
        pieces.append(Piece(f"{name.start:,} … {name.stop - 1:,}", Tone.MUTED))
    elif isinstance(name, str):
        pieces += [piece(one_line(name, 200) or '""', Tone.NAME), Piece(": ", Tone.MUTED)]
    elif name is not None:
        pieces += [Piece(str(name), Tone.MUTED), Piece(": ", Tone.MUTED)]
    tone = Tone.MUTED if row.container else _VALUE_TONES.get(type(row.value), Tone.PLAIN)
    pieces.append(Piece(summary(row), tone))
    return tuple(each for each in pieces if each.text)

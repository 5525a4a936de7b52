"""A list of objects as a table: columns from the first rows, rows drawn when seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.geometry import Size

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.documents.tree_rows import summary_of
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, pad
from mcp_tasks_tui.ui.widgets.lines.view import LineView
from mcp_tasks_tui.ui.widgets.result.messages import ViewChanged
from mcp_tasks_tui.ui.widgets.result.text import in_slices
from mcp_tasks_tui.ui.widgets.result.view import scrolling

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.strip import Strip

_SAMPLED = 200
_WIDEST = 40
_COLUMNS = 40
_MOST_MATCHES = 5_000


def find_table(value: Any) -> tuple[str, Sequence[Any]] | None:
    """Return a list of objects inside a value (itself, or one field deep), and its name."""
    if _is_table(value):
        return "", value
    if isinstance(value, Mapping):
        for name, item in list(value.items())[:50]:
            if _is_table(item):
                return one_line(str(name), 60), item
    return None


def _is_table(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < 2:
        return False
    sample = value[:50]
    objects = sum(isinstance(each, Mapping) and bool(each) for each in sample)
    return objects >= len(sample) * 0.8


class Columns:
    """Names and widths of a table's columns, from a sample of its rows."""

    def __init__(self, rows: Sequence[Any]) -> None:
        names: dict[str, int] = {}
        numeric: dict[str, bool] = {}
        for row in rows[:_SAMPLED]:
            if not isinstance(row, Mapping):
                continue
            for name, value in list(row.items())[:_COLUMNS]:
                width = min(_WIDEST, cell_len(cell_text(value)))
                names[name] = max(names.get(name, 0), width)
                numeric[name] = numeric.get(name, True) and is_number(value)
        self.names = list(names)[:_COLUMNS]
        self.widths = [
            max(names[name], min(_WIDEST, cell_len(one_line(name, _WIDEST))), 1)
            for name in self.names
        ]
        self.numeric = [numeric[name] for name in self.names]

    @property
    def width(self) -> int:
        return sum(self.widths) + 2 * len(self.widths)

    def heading(self) -> Line:
        cells = [
            Piece(_aligned(one_line(name, width), width, right), Tone.HEADING)
            for name, width, right in zip(self.names, self.widths, self.numeric, strict=True)
        ]
        return _row(cells)

    def line(self, row: Any) -> Line:
        if not isinstance(row, Mapping):
            return (Piece(one_line(summary_of(row), 200), Tone.MUTED),)
        cells = []
        for name, width, right in zip(self.names, self.widths, self.numeric, strict=True):
            text = cell_text(row[name]) if name in row else "–"
            tone = Tone.MUTED if name not in row or row[name] is None else Tone.PLAIN
            cells.append(Piece(_aligned(text, width, right), tone))
        return _row(cells)


def is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def cell_text(value: Any) -> str:
    return one_line(value, 200) if isinstance(value, str) else summary_of(value)


def _aligned(text: str, width: int, right: bool) -> str:
    if right:
        return " " * max(0, width - cell_len(text)) + text
    return "".join(each.text for each in pad((Piece(text),), width))


def _row(cells: Sequence[Piece]) -> Line:
    return tuple(piece for cell in cells for piece in (cell, Piece("  ")))


class TableView(LineView, inherit_bindings=False):
    """Rows under a heading that stays."""

    def __init__(self, rows: Sequence[Any], name: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._rows = rows
        self._name = name
        self._columns = Columns(rows)
        self._needle = ""
        self._found: list[int] = []
        self._here = -1
        self._searched = True

    def let_go(self) -> None:
        super().let_go()
        self._rows, self._found = (), []

    @property
    def line_count(self) -> int:
        return len(self._rows) + 1

    def line(self, number: int) -> Line:
        if number == 0:
            return self._columns.heading()
        line = self._columns.line(self._rows[number - 1])
        if self._here >= 0 and self._found[self._here] == number:
            return tuple(Piece(each.text, Tone.FOUND_HERE) for each in line)
        if self._needle:
            return tuple(
                Piece(each.text, Tone.FOUND) if self._needle in each.text.lower() else each
                for each in line
            )
        return line

    def render_line(self, y: int) -> Strip:
        if y > 0:
            return super().render_line(y)
        left, width = self.scroll_offset.x, self.size.width
        strip = self._strip(0).crop_extend(left, left + width, self._inks.base)
        return strip.apply_offsets(left, 0)

    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        return scrolling(self)

    def on_mount(self) -> None:
        self.virtual_size = Size(self._columns.width, self.line_count)

    def on_resize(self, _: events.Resize) -> None:
        self.refresh()

    def find(self, needle: str) -> None:
        self._needle, self._found, self._here = needle.lower(), [], -1
        self._searched = not needle
        self._strips.clear()
        if needle:
            self.run_worker(self._find(self._needle), group="find", exit_on_error=False)
        self.refresh()
        self.post_message(ViewChanged())

    async def _find(self, needle: str) -> None:
        numbers = iter(range(1, self.line_count))

        def grow() -> bool:
            number = next(numbers, None)
            if number is None:
                return False
            text = "".join(each.text for each in self._columns.line(self._rows[number - 1]))
            if needle in text.lower():
                self._found.append(number)
                if self._here < 0:
                    self.step(1)
            return len(self._found) < _MOST_MATCHES

        await in_slices(grow, lambda: needle == self._needle and self.is_attached)
        if needle == self._needle:
            self._searched = True
            self.post_message(ViewChanged())

    def step(self, by: int) -> None:
        if not self._found:
            return
        self._here = (self._here + by) % len(self._found)
        row = self._found[self._here]
        self.scroll_to(y=max(0, row - self.size.height // 3), animate=False, immediate=True)
        self._strips.clear()
        self.refresh()
        self.post_message(ViewChanged())

    @property
    def status(self) -> str:
        said = [self._name] if self._name else []
        said.append(words.counted(len(self._rows), "row"))
        said.append(words.counted(len(self._columns.names), "column"))
        if self._needle:
            more = "" if self._searched else "+"
            hits = f"{self._here + 1} of {len(self._found):,}{more} found"
            said.append(hits if self._found else "not found" if self._searched else "searching")
        return " · ".join(said)

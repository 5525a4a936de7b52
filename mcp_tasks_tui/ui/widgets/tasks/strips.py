"""How the lines of the list of tasks look: its headings, the groups and the tasks, as strips.

The line of a task is drawn once and kept until it says something else or looks otherwise. What a
task says comes from :mod:`..listing.rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.listing.columns import (
    GAP,
    GUTTER,
    READ_NEXT,
    TIMES,
    Column,
    Fit,
    Needs,
    Slot,
    fit,
)
from mcp_tasks_tui.ui.listing.rows import Cell, Context, Piece, cell_of, cells, timed_columns
from mcp_tasks_tui.ui.looks.inks import Ink, Inks
from mcp_tasks_tui.ui.looks.signs import STATE_STYLES, unwell_sign
from mcp_tasks_tui.ui.looks.text import cell, middle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.style import Style
    from textual.widget import Widget

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.listing.model import GroupRow
    from mcp_tasks_tui.ui.looks.signs import Glyphs

#: What the words of a line are written in.
INKS: Mapping[str, Ink] = {
    **{style: Ink(style) for style in STATE_STYLES.values()},
    "state-input": Ink("state-input", form="bold"),
    "expiring": Ink("state-failed", form="bold"),
    "quiet": Ink("quiet", plain_form="dim"),
    "heading": Ink("quiet", "surface", plain_form="dim"),
    "sorted": Ink("foreground", "surface", "bold underline"),
    "name": Ink(form="bold"),
    "group": Ink("primary", form="bold"),
    "cursor": Ink(ground="cursor", plain_form="reverse"),
    "cursor-blurred": Ink(ground="cursor-blurred", plain_form="reverse"),
    "mark": Ink("accent", form="bold"),
    "changed": Ink("accent"),
}
#: The heading over when tasks are read next, at the right edge of the column of reads.
_NEXT = "NEXT"
#: Drawn tasks that are kept at most.
_KEPT = 1000


class Look(NamedTuple):
    """What a line shows besides what its task says."""

    cursor: bool
    marked: bool
    changed: bool


@record
class _Drawn:
    """One drawn task: what it says, how it was drawn, and a strip for each of its lines."""

    cells: tuple[Cell, ...]
    look: Look
    strips: tuple[Strip, ...]


class TaskStrips:
    """Draws with the styles of `widget`. Widths are in cells, `now` in epoch seconds."""

    def __init__(self, widget: Widget, glyphs: Glyphs) -> None:
        self._sorted_by: Column | None = None
        self._reversed = False
        self._still = False
        self._widget = widget
        self._inks = Inks(widget, INKS)
        self._glyphs = glyphs
        self._fit: Fit = fit(80, Needs())
        self._timed: tuple[int, ...] = ()
        self._lines: dict[str, _Drawn] = {}
        self._styles: dict[tuple[str, bool], Style] = {}

    # --- what is kept ------------------------------------------------------------------------
    def lay_out(self, new: Fit) -> bool:
        """Draw in these columns from now on; tell whether they are others than before."""
        if new == self._fit:
            return False
        self._fit = new
        self._timed = timed_columns(new)
        return True

    def sort(self, column: Column | None, *, upside_down: bool) -> None:
        """Mark the column that the rows are sorted by; None where that is as usual."""
        self._sorted_by, self._reversed = column, upside_down

    def hold_still(self, still: bool) -> None:
        """Say over the sorted column that rows are not sorted just now, or that they are."""
        self._still = still

    def clear(self) -> None:
        """Draw every line anew, in the colours that hold by now."""
        self._lines.clear()
        self._styles.clear()

    def forget(self, key: str) -> None:
        """Draw the line of this task anew."""
        self._lines.pop(key, None)

    def renew(self, view: TaskView, look: Look, now: float, width: int) -> list[Region]:
        """Draw a task that was drawn before as it is by now; return where it is another.

        Regions are of its own lines: (0, 0) is where it begins.
        """
        drawn = self._lines.get(view.key)
        if drawn is None:
            return []
        said = cells(view, self._fit, self._context(now))
        if drawn.look == look and drawn.cells == said:
            return []
        self._lines[view.key] = _Drawn(said, look, self._draw(said, look, width))
        if drawn.look.cursor != look.cursor:
            return [Region(0, 0, width, self._fit.lines)]
        pairs = enumerate(zip(drawn.cells, said, strict=True))
        regions = self._spans([place for place, (old, new) in pairs if old != new])
        gutter = [] if drawn.look == look else [Region(0, 0, GUTTER, self._fit.lines)]
        return gutter + regions

    def aged(self, view: TaskView, now: float) -> list[Region]:
        """Return where a drawn task reads differently by now, and forget how it was drawn."""
        drawn = self._lines.get(view.key)
        if drawn is None:
            return []
        context = self._context(now)
        slots = self._fit.slots
        different = [
            place
            for place in self._timed
            if cell_of(view, slots[place].column, context) != drawn.cells[place]
        ]
        if different:
            self.forget(view.key)
        return self._spans(different)

    def _spans(self, places: list[int]) -> list[Region]:
        """Return one region for each line, from the first of these columns to the last: Textual
        writes a line from where the widget begins, so that only the end of a region costs."""
        slots = [self._fit.slots[place] for place in places]
        spans = []
        for line in sorted({slot.line for slot in slots}):
            there = [slot for slot in slots if slot.line == line]
            start, end = there[0].x, there[-1].x + there[-1].width
            spans.append(Region(start, line, end - start, 1))
        return spans

    def column_at(self, x: int) -> Column | None:
        """Return the column whose heading is at cell `x`."""
        first = (slot for slot in self._fit.slots if not slot.line)
        return next((slot.column for slot in first if 0 <= x - slot.x < slot.width), None)

    # --- drawing -----------------------------------------------------------------------------
    def headings(self, width: int) -> Strip:
        style = self._style("heading")
        parts = [Segment(" " * GUTTER, style)]
        for slot in self._fit.slots:
            if slot.line:
                continue
            text = _heading(slot, self._glyphs) + " " * GAP
            if slot.column is self._sorted_by:
                # The arrow of a full one stands in the gap behind it.
                marked = f"{text.rstrip()}{self._arrow}"
                parts.append(Segment(marked, self._style("sorted")))
                text = text[len(marked) :]
            parts.append(Segment(text, style))
        return Strip(parts).adjust_cell_length(width, style)

    @property
    def _arrow(self) -> str:
        if self._still:
            return self._glyphs.still
        return self._glyphs.falling if self._reversed else self._glyphs.rising

    def group(self, row: GroupRow, width: int, *, ill: bool) -> Strip:
        """Return the heading of a group; `ill`: its tasks are those of a server in trouble."""
        style = self._style("group")
        rule = self._glyphs.rule
        sign = f"{unwell_sign(self._glyphs)} " if ill else ""
        text = cell(f"{rule}{rule} {sign}{cell(row.title, 60)} ({row.count})", width - 1) + " "
        return Strip([Segment(text + rule * max(0, width - cell_len(text)), style)], width)

    def task(
        self, view: TaskView, look: Look, now: Callable[[], float], width: int, line: int = 0
    ) -> Strip:
        """Return one line of a task, drawn only where none that looks so is kept."""
        drawn = self._lines.get(view.key)
        if drawn is None or drawn.look != look:
            said = cells(view, self._fit, self._context(now()))
            drawn = _Drawn(said, look, self._draw(said, look, width))
            if len(self._lines) > _KEPT:
                self._lines.clear()
            self._lines[view.key] = drawn
        return drawn.strips[line]

    def _context(self, now: float) -> Context:
        progress, read, server = (
            slot.width if (slot := self._fit.slot(column)) else 0
            for column in (Column.PROGRESS, Column.READ, Column.SERVER)
        )
        return Context(now, self._glyphs, progress, read, server)

    def _draw(self, said: tuple[Cell, ...], look: Look, width: int) -> tuple[Strip, ...]:
        return tuple(self._draw_line(n, said, look, width) for n in range(self._fit.lines))

    def _draw_line(self, line: int, said: tuple[Cell, ...], look: Look, width: int) -> Strip:
        cursor = look.cursor
        base = self._style("", cursor=cursor)
        slots = [
            (slot, pieces)
            for slot, pieces in zip(self._fit.slots, said, strict=True)
            if slot.line == line
        ]
        parts = [
            Segment(
                self._glyphs.marked if look.marked and not line else " ",
                self._style("mark", cursor=cursor),
            ),
            Segment(
                self._glyphs.changed if look.changed else " ",
                self._style("changed", cursor=cursor),
            ),
            Segment(" " * (slots[0][0].x - GUTTER), base),
        ]
        for slot, pieces in slots:
            left = slot.width
            for piece in pieces:
                if left < piece.room:
                    break
                shown = self._cut(piece, left)
                left -= cell_len(shown)
                named = piece.style or (self._name if slot.column is Column.NAME else "")
                parts.append(Segment(shown, self._style(named, cursor=cursor)))
            parts.append(Segment(" " * (left + GAP), base))
        return Strip(parts).adjust_cell_length(width, base)

    def _cut(self, piece: Piece, width: int) -> str:
        blanks = " " * min(piece.before, width)
        cut = middle if piece.is_id else cell
        return blanks + cut(piece.text, width - len(blanks), self._glyphs.ellipsis)

    @property
    def _name(self) -> str:
        """The style of names: they stand out where messages are below them."""
        return "name" if self._fit.lines > 1 else ""

    def _style(self, name: str, *, cursor: bool = False) -> Style:
        """Return the style of an ink, on the cursor's line or off it."""
        found = self._styles.get((name, cursor))
        if found is None:
            found = self._widget.rich_style
            if name:
                found += self._inks.style(name)
            if cursor:
                found += self._inks.style("cursor" if self._widget.has_focus else "cursor-blurred")
            self._styles[name, cursor] = found
        return found


def _heading(slot: Slot, glyphs: Glyphs) -> str:
    """Return what stands over a column, as wide as it is and on its side of it.

    Progress is worked out by us from words of the server: it is marked as about right.
    """
    word, width = slot.column.value.upper(), slot.width
    if slot.column is Column.READ and width >= READ_NEXT:
        return f"{word}{_NEXT:>{width - len(word)}}"
    if slot.column is Column.PROGRESS:
        word = f"{glyphs.about}{word}"
    word = cell(word, width, glyphs.ellipsis)
    right = slot.column in TIMES or slot.column is Column.PROGRESS
    return word.rjust(width) if right else word.ljust(width)

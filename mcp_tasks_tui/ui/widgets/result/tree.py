"""JSON as a tree that opens and closes, with search. Large containers open in groups."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.geometry import Size

from mcp_tasks_tui.ui.documents.tree_rows import (
    Group,
    Path,
    Tree,
    TreeRow,
    matches,
    part_of,
    scalar,
    spell,
    tree_line,
)
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, width_of
from mcp_tasks_tui.ui.widgets.lines.view import LineView
from mcp_tasks_tui.ui.widgets.result.messages import PartCopyRequested, ViewChanged, WholeWanted
from mcp_tasks_tui.ui.widgets.result.text import in_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from textual import events

#: More matches than this are not counted.
_MOST_MATCHES = 5_000


class JsonTree(LineView, inherit_bindings=False):
    """A JSON value. The cursor is on a row; left and right close and open it."""

    def __init__(self, value: Any, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tree_rows = Tree(value)
        self._cursor = 0
        self._needle = ""
        self._found: list[Path] = []
        self._here = -1
        self._searched = True

    def let_go(self) -> None:
        super().let_go()
        self._tree_rows, self._found = Tree(None), []

    def set_value(self, value: Any) -> None:
        """Show another value; what was open stays open, as far as it is still there."""
        before = self._tree_rows
        here = before.rows[self._cursor].path
        self._tree_rows = Tree(value)
        self._tree_rows.open_as(before)
        self._cursor = self._tree_rows.nearest(here)
        self.find(self._needle)

    @property
    def line_count(self) -> int:
        return len(self._tree_rows.rows)

    @property
    def cursor(self) -> int:
        return self._cursor

    def line(self, number: int) -> Line:
        row = self._tree_rows.rows[number]
        line = tree_line(row)
        if number == self._cursor and self.has_focus:
            text = "".join(each.text for each in line)
            rest = " " * max(0, self.size.width - width_of(line))
            return (Piece(text + rest, Tone.CURRENT),)
        if self._needle and self._needle in "".join(each.text for each in line).lower():
            return tuple(
                Piece(each.text, Tone.FOUND if self._needle in each.text.lower() else each.tone)
                for each in line
            )
        return line

    def on_mount(self) -> None:
        self._resized()

    def on_resize(self, _: events.Resize) -> None:
        self._resized()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _resized(self) -> None:
        """The rows seen decide how wide the tree scrolls; the others are not looked at."""
        top = self.scroll_offset.y
        seen = self._tree_rows.rows[top : top + max(self.size.height, 1)]
        widest = max((width_of(tree_line(row)) for row in seen), default=1)
        width = max(widest, self.scrollable_content_region.width)
        self.virtual_size = Size(width, self.line_count)
        self.refresh()
        self.post_message(ViewChanged())

    # --- keys ----------------------------------------------------------------------------
    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        page = max(self.size.height - 1, 1)
        copies = {"viewer.copy": self._copy} if self._row.path else {}  # of the root: as any view
        return {
            **copies,
            "viewer.down": partial(self._move, 1),
            "viewer.up": partial(self._move, -1),
            "viewer.page_down": partial(self._move, page),
            "viewer.page_up": partial(self._move, -page),
            "viewer.first": partial(self._go, 0),
            "viewer.last": partial(self._go, self.line_count - 1),
            "viewer.right": self._open,
            "viewer.left": self._close,
            "viewer.enter": self._enter,
        }

    @property
    def _row(self) -> TreeRow:
        return self._tree_rows.rows[min(self._cursor, self.line_count - 1)]

    def _copy(self) -> None:
        row = self._row
        last = row.path[-1]
        some = f"[{last.start}:{last.stop}]" if isinstance(last, Group) else ""
        self.post_message(PartCopyRequested(part_of(row), f"{spell(row.path)}{some}"))

    def _go(self, row: int) -> None:
        self._cursor = max(0, min(row, self.line_count - 1))
        height = max(self.size.height - 1, 1)
        top = self.scroll_offset.y
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True, force=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True, force=True)
        self._resized()

    def _move(self, by: int) -> None:
        self._go(self._cursor + by)

    def _open(self) -> None:
        if not self._tree_rows.open(self._cursor):
            self._move(1)
        self._resized()

    def _close(self) -> None:
        if not self._tree_rows.close(self._cursor):
            self._go(self._tree_rows.parent(self._cursor))
        self._resized()

    def _enter(self) -> None:
        row = self._tree_rows.rows[self._cursor]
        if not row.container:
            self.post_message(WholeWanted(spell(row.path) or "value", scalar(row.value)))
        elif not self._tree_rows.close(self._cursor):
            self._tree_rows.open(self._cursor)
        self._resized()

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and at.y + self.scroll_offset.y < self.line_count:
            again = at.y + self.scroll_offset.y == self._cursor
            self._go(at.y + self.scroll_offset.y)
            if again:
                self._enter()

    # --- find ----------------------------------------------------------------------------
    def find(self, needle: str) -> None:
        """Search names and values of the whole document, also of what is closed."""
        self._needle = needle.lower()
        self._found, self._here, self._searched = [], -1, not needle
        if needle:
            self.run_worker(self._find(self._needle), group="find", exit_on_error=False)
        self._resized()

    async def _find(self, needle: str) -> None:
        found: Iterator[Path | None] = matches(self._tree_rows.value, needle)

        def grow() -> bool:
            path = next(found, ())
            if path is not None and path != ():
                self._found.append(path)
                if self._here < 0:
                    self.step(1)
            return path != () and len(self._found) < _MOST_MATCHES

        await in_slices(grow, lambda: needle == self._needle and self.is_attached)
        if needle == self._needle:
            self._searched = True
            self._resized()

    def step(self, by: int) -> None:
        if self._found:
            self._here = (self._here + by) % len(self._found)
            self._go(self._tree_rows.reveal(self._found[self._here]))

    @property
    def status(self) -> str:
        row = self._row
        said = [
            spell(row.path) or "whole document",
            f"line {self._cursor + 1} of {self.line_count:,}",
        ]
        if self._needle:
            more = "" if self._searched else "+"
            hits = f"{self._here + 1} of {len(self._found):,}{more} found"
            said.append(hits if self._found else "not found" if self._searched else "searching")
        return " · ".join(said)

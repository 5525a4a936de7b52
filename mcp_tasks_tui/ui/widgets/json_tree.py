"""JSON as a tree that opens and closes, with search. Large containers open in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message

from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone, width_of
from mcp_tasks_tui.ui.widgets.panel_view import LineView
from mcp_tasks_tui.ui.widgets.result_messages import ViewChanged
from mcp_tasks_tui.ui.widgets.result_text import in_slices
from mcp_tasks_tui.ui.widgets.result_tree import Path, Tree, matches, spell, tree_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events

#: More matches than this are not counted.
_MOST_MATCHES = 5_000


class JsonTree(LineView, inherit_bindings=False):
    """A JSON value. The cursor is on a row; left and right close and open it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False, id="tree.down"),
        Binding("up,k", "move(-1)", "Up", show=False, id="tree.up"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, id="tree.page_down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="tree.page_up"),
        Binding("home", "edge(False)", "First", show=False, id="tree.first"),
        Binding("end,G", "edge(True)", "Last", show=False, id="tree.last"),
        Binding("right,l", "open", "Open", show=False, id="tree.open"),
        Binding("left,h", "close", "Close", show=False, id="tree.close"),
        Binding("enter", "enter", "Open or close", id="tree.toggle"),
    ]

    class LeafOpened(Message):
        """A long value is to be seen whole."""

        def __init__(self, path: Path, value: Any) -> None:
            self.path = path
            self.value = value
            super().__init__()

    def __init__(self, value: Any, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tree_rows = Tree(value)
        self._cursor = 0
        self._needle = ""
        self._found: list[Path] = []
        self._here = -1
        self._searched = True

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
    def _go(self, row: int) -> None:
        self._cursor = max(0, min(row, self.line_count - 1))
        height = max(self.size.height - 1, 1)
        top = self.scroll_offset.y
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True, force=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True, force=True)
        self._resized()

    def action_move(self, by: int) -> None:
        self._go(self._cursor + by)

    def action_page(self, by: int) -> None:
        self._go(self._cursor + by * max(self.size.height - 1, 1))

    def action_edge(self, last: bool) -> None:
        self._go(self.line_count - 1 if last else 0)

    def action_open(self) -> None:
        if not self._tree_rows.open(self._cursor):
            self.action_move(1)
        self._resized()

    def action_close(self) -> None:
        if not self._tree_rows.close(self._cursor):
            self._go(self._tree_rows.parent(self._cursor))
        self._resized()

    def action_enter(self) -> None:
        row = self._tree_rows.rows[self._cursor]
        if not row.container:
            self.post_message(self.LeafOpened(row.path, row.value))
        elif not self._tree_rows.close(self._cursor):
            self._tree_rows.open(self._cursor)
        self._resized()

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and at.y + self.scroll_offset.y < self.line_count:
            again = at.y + self.scroll_offset.y == self._cursor
            self._go(at.y + self.scroll_offset.y)
            if again:
                self.action_enter()

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
        row = self._tree_rows.rows[min(self._cursor, self.line_count - 1)]
        said = [
            spell(row.path) or "whole document",
            f"row {self._cursor + 1} of {self.line_count:,}",
        ]
        if self._needle:
            more = "" if self._searched else "+"
            hits = f"{self._here + 1} of {len(self._found):,}{more} found"
            said.append(hits if self._found else "not found" if self._searched else "searching")
        return " · ".join(said)

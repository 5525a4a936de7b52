"""Lines with a title that stays in view when they are scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.lines.pieces import BLANK, Line
from mcp_tasks_tui.ui.widgets.lines.view import Lines, drawn

if TYPE_CHECKING:
    from textual.strip import Strip

#: Rows under which none of them is given away.
_LEAST_ROWS = 5


class TitledLines(Lines, inherit_bindings=False):
    """The title stands in the first row as soon as the first line is not seen any more.

    Subclasses say what it is; it is asked for only while it is seen.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._title: Line = BLANK

    def title(self) -> Line:
        raise NotImplementedError

    def title_differs(self) -> None:
        """Ask for the title once more, if it is seen."""
        if self.title_rows and self.title() != self._title:
            self.refresh_line(self.scroll_offset.y)

    @property
    def title_rows(self) -> int:
        """How many rows of the view the title takes now."""
        return int(self.scroll_offset.y > 0 and self._has_title)

    @property
    def _has_title(self) -> bool:
        return self.size.height >= _LEAST_ROWS

    def render_line(self, y: int) -> Strip:
        if y >= self.title_rows:
            return super().render_line(y)
        self._title = self.title()
        return drawn(self._title, self._inks).crop_extend(0, self.size.width, self._inks.base)

    def sees(self, number: int, rows: int | None = None) -> bool:
        """Tell whether line `number` is in the first `rows` rows of the view, by default in all."""
        top = self.scroll_offset.y
        bottom = top + (self.size.height if rows is None else rows)
        return top + self.title_rows <= number < bottom

    def move(self, lines: int = 0, *, pages: int = 0) -> None:
        """Scroll by lines or pages; no line is left out where one page follows another."""
        page = max(1, self.size.height - self._has_title)
        self.scroll_relative(y=lines + pages * page, animate=False, immediate=True)

    def to_end(self, last: bool) -> None:
        """Scroll to the first line, or to the last one."""
        go = self.scroll_end if last else self.scroll_home
        go(animate=False, immediate=True)

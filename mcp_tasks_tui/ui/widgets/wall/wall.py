"""The wall: live panels of what runs, filling the window, for the screen on the side."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.commands.keymap import bind_place, keymap_of
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.inks import Inks
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, pad, spread, width_of
from mcp_tasks_tui.ui.widgets.lines.view import TONES, drawn
from mcp_tasks_tui.ui.widgets.panel.history import ProgressHistory
from mcp_tasks_tui.ui.widgets.wall.card import card
from mcp_tasks_tui.ui.widgets.wall.grid import Grid, grid_for, on_the_wall, page_count, page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual import events
    from textual.strip import Strip

    from mcp_tasks_tui.supervise.view import TaskView

#: A window at least this high has a line for pages and keys under the panels; the second number:
#: where there are more panels than fit.
_FOOT_FROM, _FOOT_OF_PAGES_FROM = 12, 4


class Wall(Widget, can_focus=True):
    """Panels of tasks. `show` may be called with every batch: what did not change costs nothing.

    One widget draws them all, so that a changed task is one region of the screen and never a
    new layout.
    """

    DEFAULT_CSS = """
    Wall { height: 1fr; }
    """

    place: ClassVar = Place.WALL

    class Moved(Message):
        """Another task is under the cursor."""

    class Opened(Message):
        """The task under the cursor is to be seen whole."""

        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    def __init__(
        self,
        *,
        history: ProgressHistory | None = None,
        leave: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.time,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._inks = Inks(self, TONES)
        self._history = history or ProgressHistory()
        self._leave = leave
        self._now = now
        self._given: tuple[TaskView, ...] = ()
        self._views: dict[str, TaskView] = {}
        self._page = 0
        self._selected = ""
        self._shown: list[str] = []
        self._grid = Grid(1, 1, 1, 1)
        self._cards: dict[str, tuple[Line, ...]] = {}
        #: What each card was made of: within one second an equal one need not be made again.
        self._made_of: dict[str, tuple[object, ...]] = {}
        self._foot: Line = ()

    # --- what is shown -------------------------------------------------------------------
    def show(self, views: Iterable[TaskView]) -> None:
        """Show what runs among `views`."""
        self._given = tuple(views)
        self._views = {view.key: view for view in on_the_wall(self._given, self._now())}
        self._draw()

    @property
    def selected(self) -> str:
        """Key of the task that the cursor is on, empty where none is."""
        return self._selected if self._selected in self._views else ""

    @property
    def current(self) -> TaskView | None:
        return self._views.get(self._selected)

    @property
    def views(self) -> list[TaskView]:
        """The tasks of all pages, most urgent first."""
        return list(self._views.values())

    @property
    def shown(self) -> list[str]:
        """Keys of the tasks on this page, most urgent first."""
        return list(self._shown)

    @property
    def pages(self) -> int:
        return page_count(len(self._views), self._grid.capacity)

    def on_mount(self) -> None:
        bind_place(self, self.place)
        self.set_interval(1, self._tick)

    def on_resize(self, _: events.Resize) -> None:
        self._draw()

    def _tick(self) -> None:
        """Ages move on, and what ended a while ago leaves."""
        if self.is_on_screen and self._views:
            self.show(self._given)

    # --- drawing -------------------------------------------------------------------------
    def _draw(self) -> None:
        width, height = self.size
        if not self.is_mounted or not width or not height:
            return
        count = len(self._views)
        paged = grid_for(count, width, height).capacity < count
        foot = height >= (_FOOT_OF_PAGES_FROM if paged else _FOOT_FROM)
        grid = grid_for(count, width, height - foot)
        if grid.capacity != self._grid.capacity:
            self._stay_in_place(grid.capacity)
        self._page, shown = page_of(list(self._views), self._page, grid.capacity)
        if self._selected not in self._views:
            self._put_cursor(shown[0] if shown else "")
        now = self._now()
        cards = {
            key: self._card(key, grid.place(number, len(shown)), now)
            for number, key in enumerate(shown)
        }
        self._made_of = {key: self._made_of[key] for key in shown}
        line = self._foot_line(width, max(len(shown), grid.capacity)) if foot else ()
        same_places = grid == self._grid and shown == self._shown
        old, foot_changed = self._cards, line != self._foot
        self._grid, self._shown, self._cards, self._foot = grid, shown, cards, line
        if not same_places:
            self.refresh()
            return
        for number, key in enumerate(shown):
            if cards[key] is not old[key]:
                self._refresh_lines(number, old[key], cards[key])
        if foot_changed:
            self.refresh(Region(0, height - 1, width, 1))

    def _stay_in_place(self, capacity: int) -> None:
        """Turn to the page of so many panels that has the cursor, or else what was seen first."""
        seen = self._selected in self._shown or not self._shown
        place = self._selected if seen else self._shown[0]
        if place in self._views:
            self._page = list(self._views).index(place) // capacity

    def _refresh_lines(self, number: int, old: tuple[Line, ...], new: tuple[Line, ...]) -> None:
        """Draw those lines of a panel again that differ."""
        x, y, width, _ = self._region(number)
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                self.refresh(Region(x, y + row, width, 1))

    def _card(self, key: str, place: tuple[int, int, int, int], now: float) -> tuple[Line, ...]:
        view = self._views[key]
        self._history.note(view)
        _, _, width, height = place
        selected = self.has_focus and key == self._selected and len(self._views) > 1
        made_of = (view, width, height, int(now), selected)
        before = self._made_of.get(key)
        if before is not None and before[0] is view and before[1:] == made_of[1:]:
            return self._cards[key]
        self._made_of[key] = made_of
        history = self._history.of(key)
        return card(view, width, height, now, history=history, selected=selected)

    def _region(self, number: int) -> Region:
        return Region(*self._grid.place(number, len(self._shown)))

    def _foot_line(self, width: int, capacity: int) -> Line:
        pages = page_count(len(self._views), capacity)
        said = words.counted(len(self._views), "task")
        left = [Piece(f" {said}", Tone.MUTED)]
        label = keymap_of(self).label
        if pages > 1:
            turn = f"{label('wall.previous')} {label('wall.next')}".strip()
            left.append(Piece(f" · page {self._page + 1} of {pages}", Tone.STRONG))
            how = Piece(f", {turn} turn" if turn else "", Tone.STRONG)
            left += [how] * (width_of((*left, how)) < width)
        opens = label("wall.open") if self._views else ""
        does = ((opens, "opens"), (label("view.wall"), "list"))
        right = (Piece(" · ".join(f"{key} {what}" for key, what in does if key), Tone.MUTED),)
        needed = width_of(left) + width_of(right) + 2
        return spread(left, (*right, Piece(" ")) if needed <= width else (), width)

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        if self._foot and y == height - 1:
            return drawn(pad(self._foot, width), self._inks)
        if not self._shown:
            said = "nothing is running" if y == (height - 1) // 2 else ""
            left = max(0, (width - len(said)) // 2)
            return drawn(pad((Piece(f"{' ' * left}{said}", Tone.MUTED),), width), self._inks)
        row = self._grid.row_at(y)
        top, _ = self._grid.row(row)
        pieces: list[Piece] = []
        first = row * self._grid.columns
        for number in range(first, first + self._grid.columns_in(row, len(self._shown))):
            lines = self._cards[self._shown[number]] if number < len(self._shown) else ()
            # The window may have another size than the panels were made for, for one moment.
            if y - top < len(lines):
                pieces += lines[y - top]
        return drawn(pad(pieces, width), self._inks)

    def notify_style_update(self) -> None:
        self._inks.restyle()
        super().notify_style_update()

    # --- keys ----------------------------------------------------------------------------
    def action_command(self, command_id: str) -> None:
        """Do what a command of the wall's part of the vocabulary says."""
        _DOES[command_id](self)

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def action_move(self, across: int, down: int) -> None:
        keys = list(self._views)
        if self.selected:
            number = keys.index(self._selected) + across + down * self._grid.columns
            self._select(max(0, min(number, len(keys) - 1)))

    def action_page(self, by: int) -> None:
        if self._views:
            page = max(0, min(self._page + by, self.pages - 1))
            self._select(page * self._grid.capacity)

    def action_edge(self, place: int) -> None:
        """Go to the first card, 0, or to the last one, -1."""
        if self._views:
            self._select(place % len(self._views))

    def action_leave(self) -> None:
        self._leave()

    def next_where(self, wanted: Callable[[TaskView], bool]) -> str | None:
        """Return the next wanted task after the cursor, then from the first; None for none."""
        keys = list(self._views)
        start = keys.index(self._selected) + 1 if self.selected else 0
        around = (*keys[start:], *keys[:start])
        return next((key for key in around if wanted(self._views[key])), None)

    def _select(self, number: int) -> None:
        self._put_cursor(list(self._views)[number])
        self._page = number // self._grid.capacity
        self._draw()

    def _put_cursor(self, key: str) -> None:
        if key != self._selected:
            self._selected = key
            self.post_message(self.Moved())

    def go_to(self, key: str | None) -> None:
        """Put the cursor on a task; where it is not on the wall, leave it."""
        if key in self._views:
            self._select(list(self._views).index(key))

    def action_open(self) -> None:
        if self.selected:
            self.post_message(self.Opened(self.selected))

    def on_click(self, event: events.Click) -> None:
        """A click selects a panel, a second one opens it; text is never followed."""
        at = event.get_content_offset(self)
        if at is None:
            return
        for number, key in enumerate(self._shown):
            if self._region(number).contains_point(at):
                if key == self._selected:
                    self.action_open()
                self._put_cursor(key)
                self._draw()


_DOES: dict[str, Callable[[Wall], None]] = {
    "wall.left": partial(Wall.action_move, across=-1, down=0),
    "wall.right": partial(Wall.action_move, across=1, down=0),
    "wall.up": partial(Wall.action_move, across=0, down=-1),
    "wall.down": partial(Wall.action_move, across=0, down=1),
    "wall.next": partial(Wall.action_page, by=1),
    "wall.previous": partial(Wall.action_page, by=-1),
    "wall.first": partial(Wall.action_edge, place=0),
    "wall.last": partial(Wall.action_edge, place=-1),
    "wall.open": Wall.action_open,
    "wall.leave": Wall.action_leave,
}

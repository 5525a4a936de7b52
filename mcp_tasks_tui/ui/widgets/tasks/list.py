"""The list of tasks: a virtualised widget that draws only the lines that are seen.

Each line is drawn once and kept until something that it shows is different; a changed task costs
one region of the screen. Where things are comes from :mod:`..listing.model`, how a line looks from
:mod:`.strips`; this module tells what to draw again, and turns keys and mouse into messages.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from mcp_tasks_tui.ui.listing.changes import Changes
from mcp_tasks_tui.ui.listing.columns import GUTTER, Column, fit
from mcp_tasks_tui.ui.listing.lapses import Lapses
from mcp_tasks_tui.ui.listing.lines import Lines
from mcp_tasks_tui.ui.listing.model import Change, GroupRow, ListModel
from mcp_tasks_tui.ui.widgets.tasks.strips import Look, TaskStrips
from mcp_tasks_tui.ui.widgets.tasks.widths import TaskWidths

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Set

    from textual import events

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.listing.arrangement import Choice
    from mcp_tasks_tui.ui.looks.signs import Glyphs

#: Command -> lines, pages, whole lists to move by.
MOVES: dict[str, tuple[int, int, int]] = {
    "list.down": (1, 0, 0),
    "list.up": (-1, 0, 0),
    "list.page_down": (0, 1, 0),
    "list.page_up": (0, -1, 0),
    "list.first": (0, 0, -1),
    "list.last": (0, 0, 1),
}


class TaskList(ScrollView, can_focus=True, inherit_bindings=False):
    """See the module. `now` gives epoch seconds."""

    class Moved(Message):
        """The cursor is on another task (or on none)."""

        def __init__(self, view: TaskView | None) -> None:
            self.view = view
            super().__init__()

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, TaskList.Moved)

    class Opened(Message):
        """A task was opened, with enter or a double click."""

        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    class HeadingChosen(Message):
        """The heading of a column was clicked."""

        def __init__(self, column: Column) -> None:
            self.column = column
            super().__init__()

    class MarksChanged(Message):
        """Other tasks are marked than before."""

    def __init__(
        self,
        choice: Choice,
        *,
        now: Callable[[], float],
        glyphs: Glyphs,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self.model = ListModel(choice.arrangement(now))
        self._now = now
        self._lapses = Lapses()
        self._lines = Lines(self.model)
        self._strips = TaskStrips(self, glyphs)
        self._strips.sort(choice.column, upside_down=choice.reverse)
        self._widths = TaskWidths()
        #: Whether each row names its server; else the groups do.
        self._server_column = choice.server_column
        self._ill: Set[str] = frozenset()
        self._changes = Changes()
        self._told: TaskView | None = None
        #: Cells across, and task lines that fit under the headings of the columns.
        self._width = 80
        self._page = 1

    def on_mount(self) -> None:
        self.set_interval(1.0, self.tick)
        self.watch(self.app, "theme", self.redraw, init=False)
        self.watch(self, "has_focus", self.redraw, init=False)

    # --- taking things in ------------------------------------------------------------------
    def replace(self, views: Iterable[TaskView]) -> None:
        """Show these tasks and no others."""
        self.model.replace(views)
        self._lapses = Lapses()
        self._lapses.note(self.model.views.values(), self._now())
        self._measure_anew()
        self._moved()

    def apply(self, views: Collection[TaskView]) -> None:
        """Take in changed and new tasks; only lines that say something else are drawn."""
        if not self.model.frozen:
            self._note_changes(views)
        self._take_in(partial(self.model.update, views))
        self._tell()

    def rearrange(self, choice: Choice) -> None:
        """Sort, group or filter otherwise."""
        self._server_column = choice.server_column
        self._strips.sort(choice.column, upside_down=choice.reverse)
        if self.model.rearrange(choice.arrangement(self._now)):
            self._measure_anew()
        self._moved()
        self._show_cursor()

    def freeze(self, frozen: bool) -> None:
        """Hold the list still; what changes meanwhile comes in at once afterwards, marked."""
        if not frozen:
            self._note_changes(self.model.held_back)
        self._take_in(partial(self.model.freeze, frozen))
        self._strips.hold_still(frozen)
        self.refresh(Region(0, 0, self._width, 1))

    def hold(self, held: bool) -> None:
        """Keep each row where it is, live as it says; what changed is marked again afterwards, when
        it may be somewhere else."""
        if not held and not self.model.frozen:
            self._note_changes(self.model.held_back)
            self._changes.mark_again(self._now())
        self._take_in(partial(self.model.hold, held))
        self._redraw_different(self._changes.take_in_place() & self.model.views.keys())

    def _take_in(self, take: Callable[[], Change]) -> None:
        """Change the model; a cursor that was seen is seen afterwards, wherever its task goes."""
        seen = self._cursor_y is not None
        change = take()
        self._lapses.note((self.model.views[key] for key in change.keys), self._now())
        self._measure(self.model.views[key] for key in change.keys)
        if change.moved:
            self._moved()
        else:
            self._refit()
        self._redraw_different(change.keys)
        if seen and self._cursor_y is None:
            self._show_cursor()

    def mark_ill(self, servers: Set[str]) -> None:
        """Mark the groups of these servers, by name, as those of ill ones."""
        if servers != self._ill:
            self._ill = servers
            if not self._server_column:
                self.refresh()

    def tick(self) -> None:
        """Let ages grow and marks of change fade: only what reads differently is drawn."""
        now = self._now()
        faded = self._changes.fade(now)
        still = self.model.frozen or self.model.held
        if not still and (lapsed := self._lapses.due(now)):
            self._take_in(partial(self.model.update, [self.model.views[key] for key in lapsed]))
        if not self.is_on_screen:
            return
        in_sight = self._in_sight()
        self._measure((self.model.views[key] for key in in_sight), seen=True)
        self._refit()
        for key, y in in_sight.items():
            self._age(key, y, now)
            if key in faded:
                self.refresh(Region(0, y, GUTTER, self._lines.of_a_task))

    def redraw(self, *_: object) -> None:
        """Draw everything anew: other colours, other widths."""
        self._strips.clear()
        self.refresh()

    # --- the cursor --------------------------------------------------------------------------
    @property
    def current(self) -> TaskView | None:
        return self.model.current

    @property
    def free_lines(self) -> int:
        """How many lines below the last task are empty."""
        return max(0, self._page - len(self._lines))

    @property
    def cursor_line(self) -> int | None:
        """Where in the window the task under the cursor begins, None where it is out of sight."""
        y = self._cursor_y
        return None if y is None or not self.is_on_screen else self.region.y + y

    def select(self, key: str) -> bool:
        """Put the cursor on a task; False where it is not in the list.

        One that is out of sight comes with what is around it.
        """
        before = self.model.cursor
        if self.model.select(key):
            self._cursor_moved(before, jump=True)
        return self.model.cursor == key

    def move(self, lines: int) -> None:
        before = self.model.cursor
        if self.model.move(lines):
            self._cursor_moved(before)

    def action_command(self, command_id: str) -> None:
        """Move the cursor; see the vocabulary."""
        lines, pages, edges = MOVES[command_id]
        self.move(lines + pages * max(1, self._page - 1) + edges * len(self.model))

    def mark_and_go_on(self) -> None:
        """Mark or unmark the task under the cursor and go to the next one."""
        key = self.model.cursor
        if key is not None:
            self._toggle(key)
            self.move(1)

    def mark_all(self) -> None:
        """Mark every task in view, or, where all are marked, none of them."""
        keys = set(self.model.keys())
        self.set_marks(self.model.marks - keys if keys <= self.model.marks else keys)

    def set_marks(self, keys: Iterable[str]) -> None:
        self.model.marks = set(keys)
        self.redraw()
        self.post_message(self.MarksChanged())

    def _toggle(self, key: str) -> None:
        self.model.toggle_mark(key)
        self._redraw(key)
        self.post_message(self.MarksChanged())

    def _cursor_moved(self, before: str | None, *, jump: bool = False) -> None:
        for key in (before, self.model.cursor):
            if key is not None:
                self._redraw(key)
        self._show_cursor(jump=jump)
        self._tell()

    def _show_cursor(self, *, jump: bool = False) -> None:
        """Scroll as little as that takes; after a `jump`, so that as much is on both sides."""
        line = None if self.model.cursor is None else self._lines.first(self.model.cursor)
        if line is None:
            return
        top = self.scroll_offset.y
        if jump and not top <= line < top + self._page:
            self._scroll(max(0, line - self._page // 2))
        elif line <= top:
            above = line - 1 if isinstance(self._lines.at(line - 1)[0], GroupRow) else line
            self._scroll(max(0, above))
        elif line >= top + self._page:
            self._scroll(line - self._page + 1)

    def _scroll(self, line: int) -> None:
        """Put `line` on top, at once: also where the scrollbar is only about to come."""
        self.scroll_to(y=line, animate=False, immediate=True, force=True)

    def _tell(self) -> None:
        """Tell the panel what to show, when that is another view than before."""
        current = self.model.current
        if current is not self._told:
            self._told = current
            self.post_message(self.Moved(current))

    # --- the mouse ---------------------------------------------------------------------------
    def on_click(self, event: events.Click) -> None:
        if event.y == 0:
            self._heading_clicked(event.x)
            return
        row, _ = self._lines.at(event.y - 1 + self.scroll_offset.y)
        if not isinstance(row, str):
            return
        event.stop()
        if event.x < GUTTER or event.ctrl or event.meta:
            self._toggle(row)
            return
        self.select(row)
        if event.chain == 2:
            self.post_message(self.Opened(row))

    def _heading_clicked(self, x: int) -> None:
        column = self._strips.column_at(x)
        if column is not None:
            self.post_message(self.HeadingChosen(column))

    # --- drawing -----------------------------------------------------------------------------
    def on_resize(self) -> None:
        region = self.scrollable_content_region
        self._width = region.width
        self._page = max(1, region.height - 1)
        self._moved()
        self._show_cursor()

    def _in_sight(self) -> dict[str, int]:
        """Return the tasks that are seen, each with its first line on the screen."""
        top = self.scroll_offset.y
        seen = ((self._lines.at(top + line), line + 1) for line in range(self._page))
        return {row: y for (row, part), y in seen if isinstance(row, str) and not part}

    def in_sight(self) -> Collection[str]:
        """Return the keys of the tasks that are seen."""
        return self._in_sight().keys()

    def _measure(self, views: Iterable[TaskView], *, seen: bool = False) -> None:
        """Look at what the columns have to hold for these tasks."""
        self._widths.take_in(views, self._now(), self.model.arrangement.shown, seen=seen)

    def _measure_anew(self) -> None:
        self._widths.forget()
        shown = map(self.model.views.__getitem__, self.model.keys())
        self._widths.take_in(shown, self._now(), lambda _: True)

    def _refit(self) -> None:
        """Let the columns fit what they hold; they are drawn anew only if they are others."""
        needs = self._widths.needs(self._now(), server=self._server_column)
        if self._strips.lay_out(fit(self._width, needs, roomy=self._lines.roomy)):
            self.redraw()

    def _moved(self) -> None:
        """Rows came, went or changed places, or there is room for more or fewer of them."""
        self._lines.arrange(self._page)
        self._refit()
        size = Size(self._width, len(self._lines) + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        if self._lines.roomy and self.scroll_offset.y:
            self._scroll(0)
        self.refresh()
        self._tell()

    def _note_changes(self, views: Collection[TaskView]) -> None:
        self._changes.note(views, self.model.views, self._now(), held=self.model.held)

    def _y(self, key: str) -> int | None:
        """Return the first screen line of a task, None where it is out of sight."""
        first = self._lines.first(key)
        if first is None:
            return None
        line = first - self.scroll_offset.y
        return line + 1 if 0 <= line < self._page else None

    @property
    def _cursor_y(self) -> int | None:
        return None if self.model.cursor is None else self._y(self.model.cursor)

    def _redraw(self, key: str) -> None:
        self._strips.forget(key)
        y = self._y(key)
        if y is not None:
            self._refresh_task(y)

    def _refresh_task(self, y: int) -> None:
        self.refresh(Region(0, y, self._width, self._lines.of_a_task))

    def _redraw_different(self, keys: Iterable[str]) -> None:
        """Draw those of these tasks that are seen and say something else."""
        in_sight = self._in_sight()
        for key in keys:
            y = in_sight.get(key)
            if y is None:
                self._strips.forget(key)
            else:
                self._redraw_if_different(key, y)

    def _redraw_if_different(self, key: str, y: int) -> None:
        view = self.model.views[key]
        for region in self._strips.renew(view, self._look(key), self._now(), self._width):
            self.refresh(region.translate((0, y)))

    def _age(self, key: str, y: int, now: float) -> None:
        """Redraw the cells of one task that read differently by now, and only those."""
        for region in self._strips.aged(self.model.views[key], now):
            self.refresh(region.translate((0, y)))

    def _look(self, key: str) -> Look:
        return Look(key == self.model.cursor, key in self.model.marks, key in self._changes)

    def render_line(self, y: int) -> Strip:
        width = self._width
        if y == 0:
            return self._strips.headings(width)
        row, line = self._lines.at(y - 1 + self.scroll_offset.y)
        if row is None:
            return Strip.blank(width, self.rich_style)
        if isinstance(row, GroupRow):
            ill = not self._server_column and row.title in self._ill
            return self._strips.group(row, width, ill=ill)
        return self._strips.task(self.model.views[row], self._look(row), self._now, width, line)

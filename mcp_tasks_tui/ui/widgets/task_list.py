"""The list of tasks: a virtualised widget that draws only the lines that are seen.

Each line is drawn once and kept until something that it shows is different; a changed task costs
one region of the screen. What a task says comes from :mod:`..listing.rows`, where things are from
:mod:`..listing.model`; this module draws, and turns keys and mouse into messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from mcp_tasks_tui.supervise.words import counted, title
from mcp_tasks_tui.ui.listing.columns import GAP, GUTTER, Column, Fit, Slot, fit
from mcp_tasks_tui.ui.listing.model import Arrangement, GroupRow, ListModel
from mcp_tasks_tui.ui.listing.rows import Cell, Context, cell_of, cells, timed_columns
from mcp_tasks_tui.ui.text import cell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from rich.style import Style
    from textual import events

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.looks import Glyphs

#: Seconds for which a change of state or message is marked.
_FLASH = 2.0
_STATES = (
    "state-working",
    "state-input",
    "state-completed",
    "state-failed",
    "state-cancelled",
    "state-gone",
    "state-unknown",
)
#: Command -> lines, pages, whole lists to move by.
MOVES: dict[str, tuple[int, int, int]] = {
    "list.down": (1, 0, 0),
    "list.up": (-1, 0, 0),
    "list.page_down": (0, 1, 0),
    "list.page_up": (0, -1, 0),
    "list.first": (0, 0, -1),
    "list.last": (0, 0, 1),
}


@dataclass(slots=True)
class _Line:
    """One drawn line: what it says, how it was drawn, and the strip."""

    cells: tuple[Cell, ...]
    look: tuple[bool, bool, bool]
    strip: Strip


class TaskList(ScrollView, can_focus=True, inherit_bindings=False):
    """See the module. `now` gives epoch seconds."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *_STATES,
        "quiet",
        "task-list--heading",
        "task-list--group",
        "task-list--cursor",
        "task-list--mark",
        "task-list--changed",
    }

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

    class MarksChanged(Message):
        """Other tasks are marked than before."""

    def __init__(
        self,
        arrangement: Arrangement,
        *,
        now: Callable[[], float],
        glyphs: Glyphs,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(id=id)
        self.model = ListModel(arrangement)
        self._now = now
        self._glyphs = glyphs
        self._fit: Fit = fit(80, longest_name=0, longest_server=0)
        self._timed: tuple[int, ...] = ()
        self._longest = (0, 0)
        self._server_names: set[str] = set()
        self._server_column = True
        self._lines: dict[str, _Line] = {}
        self._flash: dict[str, float] = {}
        self._styles: dict[tuple[str, bool], Style] = {}
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
        self._measure(self.model.views.values())
        self._moved()

    def apply(self, views: Collection[TaskView]) -> None:
        """Take in changed and new tasks; only lines that say something else are drawn."""
        if not self.model.frozen:
            self._note_changes(views)
        wider = self._measure(views)
        change = self.model.update(views)
        self._redraw_different(change.keys)
        if change.moved or wider:
            self._moved()
        self._tell()

    def rearrange(self, arrangement: Arrangement, *, server_column: bool) -> None:
        """Sort, group or filter otherwise."""
        self._server_column = server_column
        self.model.rearrange(arrangement)
        self._refit()
        self._moved()
        self._show_cursor()

    def freeze(self, frozen: bool) -> None:
        """Hold the list still; what changes meanwhile comes in at once afterwards."""
        before = self.model.waiting
        change = self.model.freeze(frozen)
        if before:
            self._measure([self.model.views[key] for key in change.keys])
            self._redraw_different(change.keys)
            self._moved()

    def tick(self) -> None:
        """Let ages grow and marks of change fade: only what reads differently is drawn."""
        now = self._now()
        faded = {key for key, until in self._flash.items() if until <= now}
        for key in faded:
            del self._flash[key]
            self._lines.pop(key, None)
        if not self.is_on_screen:
            return
        for key, y in self._in_sight().items():
            if key in faded:
                self.refresh(Region(0, y, self._width, 1))
            else:
                self._age(key, y, now)

    def redraw(self, *_: object) -> None:
        """Draw everything anew: other colours, other widths."""
        self._lines.clear()
        self._styles.clear()
        self.refresh()

    # --- the cursor --------------------------------------------------------------------------
    @property
    def current(self) -> TaskView | None:
        return self.model.current

    def select(self, key: str) -> bool:
        """Put the cursor on a task; False where it is not in view."""
        before = self.model.cursor
        if self.model.select(key):
            self._cursor_moved(before)
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

    def _cursor_moved(self, before: str | None) -> None:
        for key in (before, self.model.cursor):
            if key is not None:
                self._redraw(key)
        self._show_cursor()
        self._tell()

    def _show_cursor(self) -> None:
        line = self.model.cursor_index
        if line is None:
            return
        top = self.scroll_offset.y
        if line <= top:
            above = line - 1 if isinstance(self.model.row(line - 1), GroupRow) else line
            self.scroll_to(y=max(0, above), animate=False)
        elif line >= top + self._page:
            self.scroll_to(y=line - self._page + 1, animate=False)

    def _tell(self) -> None:
        """Tell the panel what to show, when that is another view than before."""
        current = self.model.current
        if current is not self._told:
            self._told = current
            self.post_message(self.Moved(current))

    # --- the mouse ---------------------------------------------------------------------------
    def on_click(self, event: events.Click) -> None:
        row = self.model.row(event.y - 1 + self.scroll_offset.y) if event.y else None
        if not isinstance(row, str):
            return
        event.stop()
        if event.x < GUTTER or event.ctrl or event.meta:
            self._toggle(row)
            return
        self.select(row)
        if event.chain == 2:
            self.post_message(self.Opened(row))

    # --- drawing -----------------------------------------------------------------------------
    def on_resize(self) -> None:
        region = self.scrollable_content_region
        self._width = region.width
        self._page = max(1, region.height - 1)
        self._refit()
        self._moved()
        self._show_cursor()

    def _in_sight(self) -> dict[str, int]:
        """Return the tasks that are seen, each with its line on the screen."""
        top = self.scroll_offset.y
        rows = ((self.model.row(top + line), line + 1) for line in range(self._page))
        return {row: y for row, y in rows if isinstance(row, str)}

    def _measure(self, views: Iterable[TaskView]) -> bool:
        """Let the columns grow with their content; tell whether they did."""
        before, servers = self._longest, len(self._server_names)
        name, server = before
        for view in views:
            name = max(name, min(cell_len(title(view.handle)), 40))
            if view.server not in self._server_names:
                self._server_names.add(view.server)
                server = max(server, min(cell_len(view.server), 40))
        self._longest = (name, server)
        if self._longest != before or len(self._server_names) != servers:
            self._refit()
            return True
        return False

    def _refit(self) -> None:
        name, server = self._longest
        # A column that says the same in every row says nothing.
        told = self._server_column and len(self._server_names) > 1
        new = fit(self._width, longest_name=name, longest_server=server if told else 0)
        if new != self._fit:
            self._fit = new
            self._timed = timed_columns(new)
            self.redraw()

    def _moved(self) -> None:
        size = Size(self._width, len(self.model) + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()
        self._tell()

    def _note_changes(self, views: Collection[TaskView]) -> None:
        until = self._now() + _FLASH
        for view in views:
            old = self.model.views.get(view.key)
            if old is None or old.state is not view.state or old.message != view.message:
                self._flash[view.key] = until

    def _row_context(self, now: float | None = None) -> Context:
        progress = self._fit.slot(Column.PROGRESS)
        read = self._fit.slot(Column.READ)
        return Context(
            self._now() if now is None else now,
            self._glyphs,
            progress.width if progress else 0,
            read.width if read else 0,
        )

    def _y(self, key: str) -> int | None:
        """Return the screen line of a task, None where it is out of sight."""
        index = self.model.index(key)
        if index is None:
            return None
        line = index - self.scroll_offset.y
        return line + 1 if 0 <= line < self._page else None

    def _redraw(self, key: str) -> None:
        self._lines.pop(key, None)
        y = self._y(key)
        if y is not None:
            self.refresh(Region(0, y, self._width, 1))

    def _redraw_different(self, keys: Iterable[str]) -> None:
        """Draw those of these tasks that are seen and say something else."""
        in_sight = self._in_sight()
        for key in keys:
            y = in_sight.get(key)
            if y is None:
                self._lines.pop(key, None)
            else:
                self._redraw_if_different(key, y)

    def _redraw_if_different(self, key: str, y: int) -> None:
        drawn = self._lines.get(key)
        if drawn is None:
            return
        look = self._look(key)
        said = cells(self.model.views[key], self._fit, self._row_context())
        if drawn.look != look or drawn.cells != said:
            self._lines[key] = _Line(said, look, self._draw(said, look, self._width))
            self.refresh(Region(0, y, self._width, 1))

    def _age(self, key: str, y: int, now: float) -> None:
        """Redraw the cells of one line that read differently by now, and only those."""
        drawn = self._lines.get(key)
        view = self.model.views.get(key)
        if drawn is None or view is None:
            return
        context = self._row_context(now)
        slots = self._fit.slots
        for place in self._timed:
            slot = slots[place]
            if cell_of(view, slot.column, context) != drawn.cells[place]:
                self._lines.pop(key, None)
                self.refresh(Region(slot.x, y, slot.width, 1))

    def _look(self, key: str) -> tuple[bool, bool, bool]:
        return key == self.model.cursor, key in self.model.marks, key in self._flash

    def render_line(self, y: int) -> Strip:
        width = self._width
        if y == 0:
            return self._headings(width)
        row = self.model.row(y - 1 + self.scroll_offset.y)
        if row is None:
            return Strip.blank(width, self.rich_style)
        if isinstance(row, GroupRow):
            return self._group(row, width)
        return self._task_line(row, width)

    def _headings(self, width: int) -> Strip:
        style = self._style("task-list--heading")
        parts = [Segment(" " * GUTTER, style)]
        for slot in self._fit.slots:
            right = slot.column in (Column.AGE, Column.CHANGED)
            text = cell(_heading(slot, self._glyphs), slot.width, self._glyphs.ellipsis)
            text = text.rjust(slot.width) if right else text.ljust(slot.width)
            parts.append(Segment(text + " " * GAP, style))
        return Strip(parts).adjust_cell_length(width, style)

    def _group(self, row: GroupRow, width: int) -> Strip:
        style = self._style("task-list--group")
        rule = self._glyphs.rule
        text = cell(f"{rule}{rule} {cell(row.title, 60)} ({row.count})", width - 1) + " "
        return Strip([Segment(text + rule * max(0, width - cell_len(text)), style)], width)

    def _task_line(self, key: str, width: int) -> Strip:
        look = self._look(key)
        drawn = self._lines.get(key)
        if drawn is not None and drawn.look == look:
            return drawn.strip
        said = cells(self.model.views[key], self._fit, self._row_context())
        line = _Line(said, look, self._draw(said, look, width))
        if len(self._lines) > 1000:
            self._lines.clear()
        self._lines[key] = line
        return line.strip

    def _draw(self, said: tuple[Cell, ...], look: tuple[bool, bool, bool], width: int) -> Strip:
        cursor, marked, changed = look
        base = self._style("", cursor=cursor)
        parts = [
            Segment(
                self._glyphs.marked if marked else " ",
                self._style("task-list--mark", cursor=cursor),
            ),
            Segment(
                self._glyphs.changed if changed else " ",
                self._style("task-list--changed", cursor=cursor),
            ),
        ]
        for slot, pieces in zip(self._fit.slots, said, strict=True):
            left = slot.width
            for text, style in pieces:
                own = text is self._glyphs.dot  # its blanks are meant to stay
                shown = self._glyphs.dot[:left] if own else cell(text, left, self._glyphs.ellipsis)
                left -= cell_len(shown)
                parts.append(Segment(shown, self._style(style, cursor=cursor)))
            parts.append(Segment(" " * (left + GAP), base))
        return Strip(parts).adjust_cell_length(width, base)

    def _style(self, name: str, *, cursor: bool = False) -> Style:
        """Return the style of a component class, on the cursor's line or off it."""
        found = self._styles.get((name, cursor))
        if found is None:
            found = self.rich_style
            if name:
                found += self.get_component_rich_style(name, partial=True)
            if cursor:
                found += self.get_component_rich_style("task-list--cursor", partial=True)
            self._styles[name, cursor] = found
        return found


def _heading(slot: Slot, glyphs: Glyphs) -> str:
    """Progress is worked out by us from words of the server: it is marked as about right."""
    if slot.column is Column.PROGRESS:
        return f"{glyphs.about}%" if slot.width < 6 else f"{glyphs.about}DONE"
    return slot.column.value.upper()


def marks_text(model: ListModel) -> str:
    """Return how many tasks are marked, and how many of them are out of view."""
    count = len(model.marks)
    hidden = count - len(model.marked())
    text = counted(count, "task") + " marked"
    return f"{text} ({hidden} not in view)" if hidden else text

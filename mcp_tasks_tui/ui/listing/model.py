"""The rows of the list and where the cursor and the marks are: bound to tasks, never to lines.

Pure: no screen in here. Rows are kept in order incrementally, so that one changed task among ten
thousand costs a binary search and not a sort.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from mcp_tasks_tui.supervise.view import TaskView

#: Sorts groups among each other and names one.
GroupKey = tuple[Any, str]


@record
class GroupRow:
    """A heading in the list."""

    title: str
    count: int


class Entry(NamedTuple):
    """The place of one task: compares by group, then by the chosen order, then by its key."""

    group: GroupKey
    order: Any
    key: str


@record
class Arrangement:
    """What is shown and in which order; `group` is None for one flat list."""

    order: Callable[[TaskView], Any]
    shown: Callable[[TaskView], bool]
    group: Callable[[TaskView], GroupKey] | None = None

    def entry(self, view: TaskView) -> Entry:
        group = self.group(view) if self.group is not None else _NO_GROUP
        return Entry(group, self.order(view), view.key)


_NO_GROUP: GroupKey = (0, "")
Row = GroupRow | str


@record
class Change:
    """What an update did: `moved` where rows came, went or changed places."""

    keys: frozenset[str] = frozenset()
    moved: bool = False


class ListModel:
    def __init__(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement
        self.views: dict[str, TaskView] = {}
        self.cursor: str | None = None
        self.marks: set[str] = set()
        self._wanted: str | None = None
        self._entries: list[Entry] = []
        self._places: dict[str, Entry] = {}
        self._groups: dict[GroupKey, int] = {}
        self._headings: list[tuple[int, GroupKey]] = []
        self._frozen = False
        self._held = False
        self._waiting: dict[str, TaskView] = {}

    # --- looking -------------------------------------------------------------------------
    def __len__(self) -> int:
        """Rows on the screen, headings included."""
        return len(self._entries) + len(self._headings)

    @property
    def shown(self) -> int:
        """Tasks in the list as it is filtered now."""
        return len(self._entries)

    @property
    def waiting(self) -> int:
        """Tasks that changed while the list was frozen or held."""
        return len(self._waiting)

    @property
    def arriving(self) -> int:
        """Tasks that will be in view when the list is no longer frozen, and are not yet."""
        shown = self.arrangement.shown
        return sum(view.key not in self._places and shown(view) for view in self.held_back)

    @property
    def total(self) -> int:
        """All tasks there are, those that wait too."""
        return len(self.views.keys() | self._waiting.keys())

    @property
    def held_back(self) -> Collection[TaskView]:
        """How those tasks are by now."""
        return self._waiting.values()

    @property
    def frozen(self) -> bool:
        return self._frozen

    @property
    def held(self) -> bool:
        return self._held

    def keys(self) -> Iterator[str]:
        """Keys of the shown tasks, top to bottom."""
        return (entry.key for entry in self._entries)

    def row(self, index: int) -> Row | None:
        """Return the heading or task key on line `index`."""
        if not 0 <= index < len(self):
            return None
        if not self._headings:
            return self._entries[index].key
        place = bisect_right(self._headings, index, key=lambda heading: heading[0]) - 1
        line, group = self._headings[place]
        if line == index:
            return GroupRow(group[1], self._groups[group])
        return self._entries[index - place - 1].key

    def index(self, key: str) -> int | None:
        """Return the line that task `key` is on."""
        entry = self._places.get(key)
        if entry is None:
            return None
        place = bisect_left(self._entries, entry)
        if not self._headings:
            return place
        above = sum(1 for _line, group in self._headings if group <= entry.group)
        return place + above

    @property
    def cursor_index(self) -> int | None:
        return None if self.cursor is None else self.index(self.cursor)

    @property
    def current(self) -> TaskView | None:
        return None if self.cursor is None else self.views.get(self.cursor)

    def marked(self) -> list[TaskView]:
        """Return the marked tasks that are in view, top to bottom; hidden ones stay marked."""
        if not self.marks:
            return []
        return [self.views[key] for key in self.keys() if key in self.marks]

    def next_where(self, wanted: Callable[[TaskView], bool]) -> str | None:
        """Return the next wanted task below the cursor, then from the top; None for none."""
        here = self._place(self.cursor)
        start = 0 if here is None else here + 1
        around = chain(self._entries[start:], self._entries[:start])
        return next((entry.key for entry in around if wanted(self.views[entry.key])), None)

    # --- the cursor and the marks ----------------------------------------------------------
    def move(self, lines: int) -> bool:
        """Move the cursor by tasks (headings are no stop); tell whether it moved."""
        if not self._entries:
            return False
        here = self._place(self.cursor)
        there = 0 if here is None else max(0, min(len(self._entries) - 1, here + lines))
        return self.select(self._entries[there].key)

    def select(self, key: str) -> bool:
        """Put the cursor on `key` where it is in view; tell whether the cursor moved."""
        if key not in self._places:
            return False
        moved = key != self.cursor
        self.cursor = self._wanted = key
        return moved

    def pin(self) -> None:
        """Keep the cursor on its task from now on, unless another one is chosen already."""
        if self._wanted is None:
            self._wanted = self.cursor

    def choose_current(self) -> None:
        """Keep the cursor on its task from now on, whatever was chosen before: a person does
        something with it."""
        if self.cursor is not None:
            self._wanted = self.cursor

    def toggle_mark(self, key: str) -> bool:
        """Mark or unmark; tell whether it is marked now."""
        self.marks ^= {key}
        return key in self.marks

    # --- changing ------------------------------------------------------------------------
    def replace(self, views: Iterable[TaskView]) -> None:
        """Take over all tasks."""
        self.views = {view.key: view for view in views}
        self._waiting.clear()
        self.marks &= self.views.keys()
        self._rebuild()

    def rearrange(self, arrangement: Arrangement) -> bool:
        """Sort, group or filter otherwise; tell whether other tasks are shown than before."""
        before = self._places.keys()
        self.arrangement = arrangement
        self._rebuild()
        return before != self._places.keys()

    def freeze(self, frozen: bool) -> Change:
        """Stop taking changes in, or take in at once all that waited."""
        self._frozen = frozen
        return self._take_waiting()

    def hold(self, held: bool) -> Change:
        """Keep each row where it is while what it says goes on, or let all go to their places."""
        self._held = held
        return self._take_waiting()

    def _take_waiting(self) -> Change:
        if self._frozen or not self._waiting:
            return Change()
        waiting = list(self._waiting.values())
        self._waiting.clear()
        return self.update(waiting)

    def update(self, views: Collection[TaskView]) -> Change:
        """Take in changed and new tasks."""
        if self._frozen:
            self._waiting.update((view.key, view) for view in views)
            return Change()
        if self._held:
            return self._update_in_place(views)
        self.views.update((view.key, view) for view in views)
        if len(views) * 8 > len(self.views):
            rows = self._rows()
            self._rebuild()
            return Change(frozenset(view.key for view in views), moved=rows != self._rows())
        before = self._place(self.cursor)
        moved = False
        for view in views:
            moved |= self._put(view)
        if moved:
            self._number()
            self._keep_cursor(before)
        return Change(frozenset(view.key for view in views), moved)

    def _update_in_place(self, views: Collection[TaskView]) -> Change:
        """Let the rows that there are say what is so by now; where they belong is seen to later."""
        self._waiting.update((view.key, view) for view in views)
        placed = {view.key: view for view in views if view.key in self._places}
        self.views.update(placed)
        return Change(frozenset(placed))

    def _rows(self) -> list[tuple[GroupKey, str]]:
        """What is on each line, without what it says."""
        return [(entry.group, entry.key) for entry in self._entries]

    def _put(self, view: TaskView) -> bool:
        old = self._places.get(view.key)
        new = self.arrangement.entry(view) if self.arrangement.shown(view) else None
        if new == old:
            return False
        if old is not None:
            del self._entries[bisect_left(self._entries, old)]
            del self._places[view.key]
            self._count(old.group, -1)
        if new is not None:
            insort(self._entries, new)
            self._places[view.key] = new
            self._count(new.group, 1)
        return True

    def _rebuild(self) -> None:
        old = self._entries
        before = self._place(self.cursor)
        arranged = self.arrangement
        shown = arranged.shown
        self._entries = sorted(arranged.entry(view) for view in self.views.values() if shown(view))
        self._places = {entry.key: entry for entry in self._entries}
        self._groups = {}
        if arranged.group is not None:
            for entry in self._entries:
                self._count(entry.group, 1)
        self._number()
        self._keep_cursor(before, old)

    def _count(self, group: GroupKey, by: int) -> None:
        if self.arrangement.group is None:
            return
        count = self._groups.get(group, 0) + by
        if count:
            self._groups[group] = count
        else:
            del self._groups[group]

    def _number(self) -> None:
        """Work out the lines of the headings."""
        self._headings = []
        line = 0
        for group in sorted(self._groups):
            self._headings.append((line, group))
            line += self._groups[group] + 1

    def _place(self, key: str | None) -> int | None:
        entry = None if key is None else self._places.get(key)
        return None if entry is None else bisect_left(self._entries, entry)

    def _keep_cursor(self, before: int | None, old: list[Entry] | None = None) -> None:
        """Leave the cursor on its task; where that is hidden, on its nearest neighbour.

        A person's own choice is remembered: the cursor goes back when the task is shown again.
        Until there is one, the cursor stays on the first line, whatever comes to be there.
        """
        if self._wanted is None:
            self.cursor = self._key(0) if self._entries else None
        elif self._wanted in self._places:
            self.cursor = self._wanted
        elif self.cursor not in self._places:
            self.cursor = self._neighbour(before, old)

    def _neighbour(self, before: int | None, old: list[Entry] | None) -> str | None:
        if not self._entries:
            return None
        if before is None:
            return self._key(0)
        if old is None:
            return self._key(min(before, len(self._entries) - 1))
        nearest = chain(old[before + 1 :], reversed(old[:before]))
        keys = (entry.key for entry in nearest)
        return next((key for key in keys if key in self._places), self._key(0))

    def _key(self, place: int) -> str:
        return self._entries[place].key

"""Which columns a list of some width has, and how wide each is (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from mcp_tasks_tui.records import record


class Column(StrEnum):
    """In the order of the screen, left to right; the value is the heading."""

    STATE = "state"
    NAME = "task"
    SERVER = "server"
    PROGRESS = "%"
    MESSAGE = "message"
    CHANGED = "change"
    AGE = "age"
    READ = "read"


#: Cells between two columns, and before the first (mark and "just changed").
GAP = 1
GUTTER = 2
_STATE = 13
#: A name before other columns join; what it gets before reading that matters is told, before where
#: the task runs is told, and at most.
_NAME, _NAME_TOLD_APART, _NAME_READABLE, _NAME_WHOLE = 14, 20, 26, 40
_HEADING = 6
_SERVER, _SERVER_WHOLE = 10, 18
#: A percentage; it with the shortest bar beside it; with the longest one, where nothing else needs
#: the room.
_PROGRESS, PROGRESS_BAR, _PROGRESS_LONG = 4, 10, 20
#: One word about the last read; and when the next one is: ``4x 30s  <10s``.
_READ, READ_NEXT = 6, 11
#: Columns of times, which stand at their right edge.
TIMES = {Column.CHANGED: 6, Column.AGE: 4}
#: What the message keeps: beside what a person steers by; beside where a task runs, and when that
#: is read next where reading is in trouble; beside all that is merely good to know; and beside bars
#: of any length.
_TIGHT, _ROOM_FOR_SERVER, _COMFORT, _PLENTY = 11, 18, 30, 40
#: ``waits 40m``: what a message without room says at least.
_NARROWEST = 9
_ORDER = tuple(Column)


@record
class Needs:
    """What the rows hold, in cells; a column that says the same in every row says nothing.

    `name` is what most names need, `longest` the longest one: it has what the others leave.
    `server` 0 leaves that column out, `progress` tells whether any task has one, `read` whether
    reading differs from row to row (where it does not, the column joins late and only whole),
    `next` whether any task is read by and by (where all are pushed, the column says no more than
    that), `age` whether some were saved longer ago than others.
    """

    name: int = 0
    server: int = 0
    progress: bool = True
    read: bool = True
    next: bool = True
    age: bool = True
    longest: int = 0


@record
class Slot:
    """One column on the screen: its first cell, its width, and on which line of a task it is."""

    column: Column
    x: int
    width: int
    line: int = 0


@record
class Fit:
    """The columns of a list, left to right; `lines` of the screen belong to each task."""

    slots: tuple[Slot, ...]
    width: int
    lines: int = 1

    def slot(self, column: Column) -> Slot | None:
        return next((slot for slot in self.slots if slot.column is column), None)


@dataclass(slots=True)
class _Plan:
    """Widths as they are dealt out; `left` is what nobody has yet."""

    left: int
    sizes: dict[Column, int] = field(default_factory=dict)

    def join(self, column: Column, width: int, *, keep: int) -> None:
        """Give `column` its least width where at least `keep` cells are left then."""
        if column not in self.sizes and self.left - width - GAP >= keep:
            self.sizes[column] = width
            self.left -= width + GAP

    def grow(self, column: Column, best: int, *, keep: int, least: int = 0) -> None:
        """Widen `column`, where there is one, towards `best`, but not to less than `least`, while
        `keep` are left."""
        now = self.sizes.get(column, best)
        more = min(best - now, self.left - keep)
        if more > 0 and now + more >= least:
            self.sizes[column] += more
            self.left -= more


def fit(width: int, needs: Needs, *, roomy: bool = False) -> Fit:
    """Fit the columns into `width` cells.

    State and name always stay. The others join by what a person steers by: how far a task is,
    whether reading it is in trouble, where it runs; then times, and reading that is as usual. The
    message takes what is left; in a `roomy` list it has a line of its own below the rest.
    """
    name = max(_HEADING, min(max(needs.name, needs.longest), _NAME))
    room = width - GUTTER - _STATE - GAP
    name = min(name, max(_HEADING, room - GAP - _NARROWEST))
    if room < name + GAP + _NARROWEST:
        sizes = {Column.STATE: _STATE, Column.NAME: max(1, room)}
        return _placed(sizes, width, roomy=roomy)
    plan = _Plan(room - name - (0 if roomy else GAP), {Column.STATE: _STATE, Column.NAME: name})
    _deal(plan, needs, message=not roomy)
    if roomy:
        plan.sizes[Column.NAME] += plan.left
    else:
        plan.sizes[Column.MESSAGE] = plan.left
    return _placed(plan.sizes, width, roomy=roomy)


def _deal(plan: _Plan, needs: Needs, *, message: bool) -> None:
    """Deal out the cells; with `message`, some are kept for it on the same line."""
    kept = (_TIGHT, _ROOM_FOR_SERVER, _COMFORT, _PLENTY)
    tight, room, comfort, plenty = (cells if message else 0 for cells in kept)
    server = min(max(needs.server, _HEADING), _SERVER_WHOLE)
    read = READ_NEXT if needs.next else _READ
    if needs.progress:
        plan.join(Column.PROGRESS, _PROGRESS, keep=tight)
    plan.grow(Column.NAME, min(needs.name, _NAME_TOLD_APART), keep=tight)
    if needs.read:
        plan.join(Column.READ, _READ, keep=tight)
    plan.grow(Column.NAME, min(needs.name, _NAME_READABLE), keep=tight)
    if needs.server:
        plan.join(Column.SERVER, min(server, _SERVER), keep=room)
    if needs.read and (Column.SERVER in plan.sizes or not needs.server):
        plan.grow(Column.READ, read, keep=room, least=read)
    plan.grow(Column.PROGRESS, PROGRESS_BAR, keep=plenty, least=PROGRESS_BAR)
    plan.join(Column.CHANGED, TIMES[Column.CHANGED], keep=comfort)
    plan.join(Column.READ, read, keep=comfort)
    if needs.age and Column.CHANGED in plan.sizes:
        plan.join(Column.AGE, TIMES[Column.AGE], keep=comfort)
    plan.grow(Column.SERVER, server, keep=comfort)
    plan.grow(Column.NAME, min(needs.name, _NAME_WHOLE), keep=comfort)
    plan.grow(Column.NAME, min(needs.longest, _NAME_READABLE), keep=room)
    plan.grow(Column.NAME, min(needs.longest, _NAME_WHOLE), keep=plenty)
    plan.grow(Column.PROGRESS, _PROGRESS_LONG, keep=plenty, least=PROGRESS_BAR)


def _placed(sizes: dict[Column, int], width: int, *, roomy: bool) -> Fit:
    slots: list[Slot] = []
    x = GUTTER
    for column in _ORDER:
        if column in sizes:
            slots.append(Slot(column, x, sizes[column]))
            x += sizes[column] + GAP
    if not roomy:
        return Fit(tuple(slots), width)
    below = GUTTER + _STATE + GAP
    slots.append(Slot(Column.MESSAGE, below, max(1, width - below), line=1))
    return Fit(tuple(slots), width, lines=2)

"""Which columns a list of some width has, and how wide each is (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Column(StrEnum):
    """In the order of the screen, left to right; the value is the heading."""

    STATE = "state"
    NAME = "task"
    SERVER = "server"
    PROGRESS = "done"
    MESSAGE = "message"
    AGE = "age"
    CHANGED = "change"
    READ = "read"


#: Cells between two columns, and before the first (mark and "just changed").
GAP = 1
GUTTER = 2
_STATE = 13
#: A name's least width, the one it has before other columns join, and its best.
_NAME = (14, 18, 32)
_MESSAGE = 16
#: With how little the message makes do for the columns that a person steers by.
_MESSAGE_TIGHT = 12
#: What a message gets before other columns grow, and under which it is left out.
_MESSAGE_COMFORT = 30
_NARROWEST = 8
#: Column, least and best width: added in this order while the message keeps its least width.
_EXTRAS: tuple[tuple[Column, int, int], ...] = (
    (Column.PROGRESS, 4, 12),
    (Column.READ, 6, 10),
    (Column.SERVER, 8, 18),
    (Column.CHANGED, 6, 6),
    (Column.AGE, 4, 4),
)
_STEERING = frozenset({Column.PROGRESS, Column.READ, Column.SERVER})
_ORDER = tuple(Column)


@dataclass(frozen=True, slots=True)
class Slot:
    """One column on the screen: its first cell and its width."""

    column: Column
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class Fit:
    """The columns of a list, left to right."""

    slots: tuple[Slot, ...]
    width: int

    def slot(self, column: Column) -> Slot | None:
        return next((slot for slot in self.slots if slot.column is column), None)


def fit(width: int, *, longest_name: int, longest_server: int) -> Fit:
    """Fit the columns into `width` cells; `longest_server` 0 leaves that column out.

    State and name always stay; the message takes what is left, and the others join by their
    priority as long as it keeps a readable width.
    """
    room = width - GUTTER
    least_name, _early, best_name = _NAME
    name = min(max(longest_name, least_name), best_name)
    if room < _STATE + GAP + least_name + GAP + _NARROWEST:
        return _placed({Column.STATE: _STATE, Column.NAME: max(1, room - _STATE - GAP)}, width)
    early_name = _early_name(room, servers=bool(longest_server))
    first_name = max(least_name, min(name, early_name, room - _STATE - _MESSAGE - 2 * GAP))
    sizes = {Column.STATE: _STATE, Column.NAME: first_name}
    left = room - _STATE - GAP - first_name - GAP
    growth: dict[Column, int] = {Column.NAME: name - first_name}
    for column, least, best in _EXTRAS:
        if column is Column.SERVER:
            if not longest_server:
                continue
            best = max(least, min(best, longest_server))  # noqa: PLW2901 - narrowed to its content
        if left - least - GAP >= (_MESSAGE_TIGHT if column in _STEERING else _MESSAGE):
            sizes[column] = least
            growth[column] = best - least
            left -= least + GAP
    for column, more in growth.items():
        grown = max(0, min(more, left - _MESSAGE_COMFORT))
        sizes[column] += grown
        left -= grown
    sizes[Column.MESSAGE] = left
    return _placed(sizes, width)


def _early_name(room: int, *, servers: bool) -> int:
    """Return the name's width before other columns join.

    Rather a shorter name than not to see where a task runs and how fresh this is, where that
    makes the difference.
    """
    least, early, _best = _NAME
    steering = sum(
        width + GAP
        for column, width, _ in _EXTRAS
        if column in _STEERING and (servers or column is not Column.SERVER)
    )
    left = room - _STATE - 2 * GAP - steering - _MESSAGE_TIGHT
    return left if least <= left < early else early


def _placed(sizes: dict[Column, int], width: int) -> Fit:
    slots: list[Slot] = []
    x = GUTTER
    for column in _ORDER:
        if column in sizes:
            slots.append(Slot(column, x, sizes[column]))
            x += sizes[column] + GAP
    return Fit(tuple(slots), width)

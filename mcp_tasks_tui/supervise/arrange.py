"""The order of tasks in a list, their groups, and how many there are of each kind.

An order never depends on what changes with every read (unless it is the one that is asked for):
rows stay where they are while a person looks at them.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import STATES, title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_tasks_tui.handles.model import State
    from mcp_tasks_tui.supervise.view import TaskView

    _Kind = tuple[State, Reason | None]

_STATE_RANK = {state: rank for rank, state in enumerate(STATES)}
_REASON_RANK = {reason: rank for rank, reason in enumerate(Reason)}
_NO_REASON = len(_REASON_RANK)
_NEVER = float("-inf")
_DIGITS = r"([0-9]{1,18})"


class SortBy(StrEnum):
    """The value is the word that is shown."""

    ATTENTION = "attention"
    STATE = "state"
    SERVER = "server"
    AGE = "age"
    CHANGED = "last change"
    LABEL = "label"


class GroupBy(StrEnum):
    NONE = "none"
    SERVER = "server"
    STATE = "state"


@record
class Group:
    """Tasks that belong together: `title` is plain text, `attention` how many want a person."""

    title: str
    views: tuple[TaskView, ...]
    attention: int

    @property
    def count(self) -> int:
        return len(self.views)


@record
class Counts:
    """How many tasks there are, by state (in the order of the list) and by most urgent reason."""

    total: int
    states: dict[State, int]
    reasons: dict[Reason, int]

    @property
    def attention(self) -> int:
        return sum(self.reasons.values())


def arrange(
    views: Iterable[TaskView], by: SortBy = SortBy.ATTENTION, *, reverse: bool = False
) -> list[TaskView]:
    """Return `views` in order: newest first among equals, and the same order every time."""
    newest_first = sorted(views, key=lambda view: (-view.handle.saved_at, view.key))
    return sorted(newest_first, key=_KEYS[by], reverse=reverse)


def order_of(view: TaskView, by: SortBy) -> Any:
    """Return what `arrange` orders by: for lists that keep their order one change at a time."""
    return _KEYS[by](view), -view.handle.saved_at


def group_of(view: TaskView, by: GroupBy) -> tuple[Any, str]:
    """Return the place of the view's group among the groups, and its title."""
    return _PLACES[by](view)


def grouped(views: Iterable[TaskView], by: GroupBy) -> list[Group]:
    """Return groups of already arranged views; their order inside a group stays."""
    if by is GroupBy.NONE:
        ordered = tuple(views)
        return [_group("", ordered)] if ordered else []
    parts: dict[tuple[Any, str], list[TaskView]] = {}
    place = _PLACES[by]
    for view in views:
        parts.setdefault(place(view), []).append(view)
    return [_group(name, parts[rank, name]) for rank, name in sorted(parts)]


class Tally:
    """Counts of tasks in the list, archived ones left out: a batch of changes costs what is in
    the batch, not what there is."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self._numbers: Counter[_Kind] = Counter()

    def take(self, views: Iterable[TaskView]) -> None:
        """Take in changed and new tasks."""
        for view in views:
            old, new = self._kinds.get(view.key), _kind(view)
            if new == old:
                continue
            if old is not None:
                self._numbers[old] -= 1
            if new is None:
                del self._kinds[view.key]
            else:
                self._kinds[view.key] = new
                self._numbers[new] += 1

    def counts(self) -> Counts:
        """Return how many there are of each state and of each most urgent reason."""
        states: dict[State, int] = dict.fromkeys(STATES, 0)
        reasons: dict[Reason, int] = dict.fromkeys(Reason, 0)
        for (state, reason), number in self._numbers.items():
            states[state] += number
            if reason is not None:
                reasons[reason] += number
        return Counts(
            len(self._kinds),
            {state: number for state, number in states.items() if number},
            {reason: number for reason, number in reasons.items() if number},
        )


def _kind(view: TaskView) -> _Kind | None:
    if view.archived:
        return None
    return view.state, view.attention[0].reason if view.attention else None


def _group(name: str, views: Sequence[TaskView]) -> Group:
    return Group(name, tuple(views), sum(1 for view in views if view.attention))


def _by_attention(view: TaskView) -> tuple[int, int]:
    reason = _REASON_RANK[view.attention[0].reason] if view.attention else _NO_REASON
    return reason, int(view.state.ended)


def _by_server(view: TaskView) -> tuple[str, str]:
    return view.server.casefold(), view.handle.server_url


def _by_label(view: TaskView) -> tuple[tuple[int, int, str], ...]:
    """Natural order: "build 2" comes before "build 10"."""
    parts = enumerate(re.split(_DIGITS, title(view.handle).casefold()))
    return tuple((0, int(part), "") if place % 2 else (1, 0, part) for place, part in parts if part)


def _by_change(view: TaskView) -> float:
    changed = view.snapshot.changed_at
    return -(_NEVER if changed is None else changed)


_KEYS: dict[SortBy, Callable[[TaskView], Any]] = {
    SortBy.ATTENTION: _by_attention,
    SortBy.STATE: lambda view: _STATE_RANK[view.state],
    SortBy.SERVER: _by_server,
    SortBy.AGE: lambda view: -view.handle.saved_at,
    SortBy.CHANGED: _by_change,
    SortBy.LABEL: _by_label,
}
_PLACES: dict[GroupBy, Callable[[TaskView], tuple[Any, str]]] = {
    GroupBy.SERVER: lambda view: (_by_server(view), view.server),
    GroupBy.STATE: lambda view: (_STATE_RANK[view.state], STATES[view.state].word),
}

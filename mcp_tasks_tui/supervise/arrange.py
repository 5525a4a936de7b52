"""The order of tasks in a list, and their groups.

An order never depends on what changes with every read (unless it is the one that is asked for):
rows stay where they are while a person looks at them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import STATES, title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_tasks_tui.supervise.view import TaskView

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
    PROGRESS = "progress"
    AGE = "age"
    CHANGED = "last change"
    LABEL = "label"


class GroupBy(StrEnum):
    NONE = "none"
    SERVER = "server"
    STATE = "state"


def arrange(
    views: Iterable[TaskView], by: SortBy = SortBy.ATTENTION, *, reverse: bool = False
) -> list[TaskView]:
    """Return `views` in order: newest first among equals, and the same order every time."""
    return sorted(views, key=lambda view: (order_of(view, by, reverse=reverse), view.key))


def order_of(view: TaskView, by: SortBy, *, reverse: bool = False) -> Any:
    """Return what `arrange` orders by: for lists that keep their order one change at a time."""
    key = _KEYS[by](view)
    last = by is SortBy.PROGRESS and _how_far(view) is None  # either way round
    return last, _Downwards(key) if reverse else key, -view.handle.saved_at


def group_of(view: TaskView, by: GroupBy) -> tuple[Any, str]:
    """Return the place of the view's group among the groups, and its title."""
    return _PLACES[by](view)


class _Downwards:
    """A key that sorts the other way round."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Downwards) and bool(self.key == other.key)

    def __lt__(self, other: _Downwards) -> bool:
        return bool(other.key < self.key)

    __hash__ = None  # type: ignore[assignment]  # a place in an order, nothing to look up


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


def _how_far(view: TaskView) -> float | None:
    """Return how far a task is that goes on; of those that ended nobody looks for it."""
    if view.progress is None or view.state.ended:
        return None
    return view.progress.fraction


def _by_progress(view: TaskView) -> float:
    return -(_how_far(view) or 0.0)


_KEYS: dict[SortBy, Callable[[TaskView], Any]] = {
    SortBy.ATTENTION: _by_attention,
    SortBy.STATE: lambda view: _STATE_RANK[view.state],
    SortBy.SERVER: _by_server,
    SortBy.AGE: lambda view: -view.handle.saved_at,
    SortBy.CHANGED: _by_change,
    SortBy.LABEL: _by_label,
    SortBy.PROGRESS: _by_progress,
}
_PLACES: dict[GroupBy, Callable[[TaskView], tuple[Any, str]]] = {
    GroupBy.SERVER: lambda view: (_by_server(view), view.server),
    GroupBy.STATE: lambda view: (_STATE_RANK[view.state], STATES[view.state].word),
}

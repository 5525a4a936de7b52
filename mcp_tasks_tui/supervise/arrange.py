"""The order of tasks in a list, and their groups.

An order never depends on what changes with every read (unless it is the one that is asked for):
rows stay where they are while a person looks at them. By attention is one rule, for the list, for
the wall and for the shell: what may be lost soonest, what waits longest, what went wrong a short
while ago, what runs, what ended.
"""

from __future__ import annotations

import re
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.attention import estimated_end
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.supervise.words import (
    STATES,
    STUCK,
    foremost,
    is_stuck,
    standing_label,
    title,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_tasks_tui.supervise.view import TaskView

_STATE_RANK = {state: rank for rank, state in enumerate(STATES)}
_NEVER = float("-inf")
_DIGITS = r"([0-9]{1,18})"
#: Seconds for which an end is news.
RECENT = 600.0
_BAD_ENDS = frozenset({State.FAILED, State.TOOL_ERROR, State.GONE})


class _Urgency(IntEnum):
    """What a person looks at first."""

    EXPIRING = 0
    WAITS = 1
    STUCK = 2
    NOT_STOPPING = 3
    UNREADABLE = 4
    WENT_WRONG = 5  # a short while ago
    RUNS = 6
    UNREACHED = 7  # its server is away: its line says so once, and there is nothing to do here
    BAD_END = 8
    END = 9


_OF_REASON = {
    Reason.EXPIRING: _Urgency.EXPIRING,
    Reason.INPUT_REQUIRED: _Urgency.WAITS,
    Reason.STUCK: _Urgency.STUCK,
    Reason.CANCEL_UNANSWERED: _Urgency.NOT_STOPPING,
    Reason.READ_FAILING: _Urgency.UNREADABLE,
}


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
    views: Iterable[TaskView],
    by: SortBy = SortBy.ATTENTION,
    *,
    reverse: bool = False,
    now: float | None = None,
) -> list[TaskView]:
    """Return `views` in order: newest first among equals, and the same order every time.

    `now` in epoch seconds tells which ends are news; without it none are.
    """

    def place(view: TaskView) -> Any:
        return order_of(view, by, reverse=reverse, now=now), view.key

    return sorted(views, key=place)


def order_of(view: TaskView, by: SortBy, *, reverse: bool = False, now: float | None = None) -> Any:
    """Return what `arrange` orders by: for lists that keep their order one change at a time."""
    key = urgency(view, now) if by is SortBy.ATTENTION else _KEYS[by](view)
    last = by is SortBy.PROGRESS and _how_far(view) is None  # either way round
    return last, _Downwards(key) if reverse else key, -view.handle.saved_at


def ended_at(view: TaskView) -> float | None:
    """Return when the task ended (epoch seconds), None where that is not known or not so."""
    if not view.state.ended:
        return None
    return view.snapshot.gone_at if view.state is State.GONE else view.snapshot.changed_at


def is_recent(view: TaskView, now: float | None) -> bool:
    """Tell whether the task ended so short a while ago that it is news."""
    ended = ended_at(view)
    return now is not None and ended is not None and now - ended < RECENT


def moves_at(view: TaskView) -> float | None:
    """Return when time alone gives the task another place by attention, None for never."""
    ended = ended_at(view) if view.state in _BAD_ENDS else None
    return None if ended is None else ended + RECENT


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


def urgency(view: TaskView, now: float | None) -> tuple[int, int]:
    """Return how urgent the task is, and its place among such: what lasts longest comes first,
    what ended last. In whole seconds: moments worked out anew with each read differ by less.
    `now` in epoch seconds tells which ends are news; for None none are."""
    first = foremost(view)
    if first is not None:
        soonest = estimated_end(view.snapshot) if first.reason is Reason.EXPIRING else None
        return _OF_REASON[first.reason], round(first.since if soonest is None else soonest)
    if not view.state.ended:
        away = view.coverage is Coverage.PAUSED
        return (_Urgency.UNREACHED if away else _Urgency.RUNS), 0
    if view.state not in _BAD_ENDS:
        end = _Urgency.END
    else:
        end = _Urgency.WENT_WRONG if is_recent(view, now) else _Urgency.BAD_END
    return end, -round(ended_at(view) or 0.0)


def _standing(view: TaskView) -> tuple[int, bool]:
    """Return the place of what the state column says: the stuck stand before those that work."""
    return _STATE_RANK[view.state], not is_stuck(view)


def _by_state(view: TaskView) -> tuple[tuple[int, bool], bool, str]:
    return _standing(view), view.all_answered, standing_label(view)


def _state_group(view: TaskView) -> tuple[tuple[int, bool], str]:
    return _standing(view), STUCK.word if is_stuck(view) else STATES[view.state].word


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
    SortBy.STATE: _by_state,
    SortBy.SERVER: _by_server,
    SortBy.AGE: lambda view: -view.handle.saved_at,
    SortBy.CHANGED: _by_change,
    SortBy.LABEL: _by_label,
    SortBy.PROGRESS: _by_progress,
}
_PLACES: dict[GroupBy, Callable[[TaskView], tuple[Any, str]]] = {
    GroupBy.SERVER: lambda view: (_by_server(view), view.server),
    GroupBy.STATE: _state_group,
}

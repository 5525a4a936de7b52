"""Which changes deserve a toast, a bell or a desktop notification; how bursts become one.

What a first load shows is no news, and neither is what a person just asked for. Text of an alert
is one clean line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.supervise.view import TaskView


class AlertKind(StrEnum):
    """Most urgent first; of one task only the most urgent is told."""

    INPUT_NEEDED = "input_needed"
    FAILED = "failed"
    STUCK = "stuck"
    FINISHED = "finished"
    BACK = "back"


@record
class Alert:
    """News of one task, or of several at once; `keys` are the tasks' local keys, `last` is what
    the last of them is called."""

    kind: AlertKind
    keys: tuple[str, ...]
    text: str
    last: str = ""


_TOGETHER = {
    AlertKind.INPUT_NEEDED: "need input",
    AlertKind.FAILED: "failed",
    AlertKind.STUCK: "are stuck",
    AlertKind.FINISHED: "finished",
    AlertKind.BACK: "are back",
}
_FAILURES = frozenset({State.FAILED, State.TOOL_ERROR})


def decide(changes: Iterable[tuple[TaskView | None, TaskView]]) -> tuple[Alert, ...]:
    """Return the alerts for (view before, view now) pairs, one per kind, most urgent first.

    Without a view before there is no news: the task was just loaded or saved.
    """
    alerts = [alert for before, now in changes if before and (alert := _news(before, now))]
    return fold(alerts)


def fold(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """Return `alerts` with those of one kind made into one: ``14 finished · last: docs``."""
    by_kind: dict[AlertKind, list[Alert]] = {}
    for alert in alerts:
        by_kind.setdefault(alert.kind, []).append(alert)
    return tuple(_one(by_kind[kind]) for kind in AlertKind if kind in by_kind)


@dataclass(slots=True, eq=False, repr=False)
class Bursts:
    """Folds a burst that goes over several batches.

    The first alert of a kind is told at once; what follows within `window` seconds is kept and
    told as one at its end. Times are monotonic seconds.
    """

    window: float
    _open_until: dict[AlertKind, float] = field(default_factory=dict)
    _kept: list[Alert] = field(default_factory=list)

    def offer(self, alerts: Iterable[Alert], now: float) -> tuple[Alert, ...]:
        """Return what is to be told now; call it with nothing when `next_due` has come."""
        pending, self._kept = [*self._kept, *alerts], []
        told = []
        for alert in fold(pending):
            if self._open_until.get(alert.kind, now) > now:
                self._kept.append(alert)
            else:
                self._open_until[alert.kind] = now + self.window
                told.append(alert)
        return tuple(told)

    def next_due(self) -> float | None:
        """Return when something kept is to be told, None where nothing is kept."""
        return min((self._open_until[alert.kind] for alert in self._kept), default=None)


def _one(alerts: list[Alert]) -> Alert:
    keys = tuple(dict.fromkeys(key for alert in alerts for key in alert.keys))
    newest = alerts[-1]
    if len(keys) == 1:
        return newest
    last = f" · last: {newest.last}" if newest.last else ""
    return replace(newest, keys=keys, text=f"{len(keys):,} {_TOGETHER[newest.kind]}{last}")


def _news(before: TaskView, now: TaskView) -> Alert | None:
    name = one_line(title(now.handle), 60)
    # A key that is open again is no news where the server refused its answer, which stands in
    # the records; it is where the key asks something else, and no record stands for that.
    if not now.state.ended and set(now.open_requests) - {*before.open_requests, *now.answers}:
        return Alert(AlertKind.INPUT_NEEDED, (now.key,), f"{name} needs input", name)
    if now.archived:
        return None  # put away by a person: only a question brings it back
    if now.state.terminal and not before.state.terminal:
        return _ending(name, now)
    if _is_stuck(now) and not _is_stuck(before):
        return Alert(AlertKind.STUCK, (now.key,), f"{name} is stuck", name)
    if before.state is State.GONE and not now.state.ended:
        return Alert(AlertKind.BACK, (now.key,), f"{name} is back", name)
    return None


def _ending(name: str, view: TaskView) -> Alert | None:
    if view.state in _FAILURES:
        said = view.snapshot.status_message if view.state is State.FAILED else None
        why = f": {one_line(said, 120)}" if said else ""
        what = "failed" if view.state is State.FAILED else "ended with a tool error"
        return Alert(AlertKind.FAILED, (view.key,), f"{name} {what}{why}", name)
    if view.state is State.CANCELLED:
        if view.snapshot.cancel_requested_at is not None:
            return None  # a person asked for it
        return Alert(AlertKind.FINISHED, (view.key,), f"{name} was cancelled", name)
    return Alert(AlertKind.FINISHED, (view.key,), f"{name} finished", name)


def _is_stuck(view: TaskView) -> bool:
    return any(one.reason is Reason.STUCK for one in view.attention)

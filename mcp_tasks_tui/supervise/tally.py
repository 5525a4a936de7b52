"""How many tasks there are of each kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.supervise.words import STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.handles.model import State
    from mcp_tasks_tui.supervise.view import TaskView

    #: State, most urgent reason, and whether it may expire besides.
    _Kind = tuple[State, Reason | None, bool]


@record
class Counts:
    """How many tasks there are, by state (in the order of the list) and by most urgent reason;
    those that may expire are counted as such whatever else they want. `stuck` is how many of each
    state are stuck, `attention` how many want a person."""

    total: int
    states: dict[State, int]
    reasons: dict[Reason, int]
    stuck: dict[State, int]
    attention: int


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
        stuck: dict[State, int] = {}
        attention = 0
        for (state, reason, expiring), number in self._numbers.items():
            states[state] += number
            if reason is Reason.STUCK and number:
                stuck[state] = stuck.get(state, 0) + number
            if reason is not None:
                attention += number
                reasons[reason] += number
            if expiring and reason is not Reason.EXPIRING:
                reasons[Reason.EXPIRING] += number
        return Counts(
            len(self._kinds),
            {state: number for state, number in states.items() if number},
            {reason: number for reason, number in reasons.items() if number},
            stuck,
            attention,
        )


def _kind(view: TaskView) -> _Kind | None:
    if view.archived:
        return None
    reasons = [each.reason for each in view.attention]
    return view.state, reasons[0] if reasons else None, Reason.EXPIRING in reasons

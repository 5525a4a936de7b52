"""When a change happened that was only noticed later. Pure.

Between two reads far apart nobody looked: a sleeping laptop, a server that was away, a program that
did not run. What a read then shows happened at some time since. The server may say when
(`lastUpdatedAt`); that is its word, brought to our clock by its `Date`, and marked as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.words import parse_time

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import JournalEntry, Json, Snapshot
    from mcp_tasks_tui.protocol.messages import Task

#: Reads further apart than this (seconds) are no watch.
LOOKED_WITHIN = 60.0
#: What two clocks may differ by that are said to agree: `Date` has whole seconds (seconds).
_TOLERANCE = 2.0
#: Two reads at least this far apart (seconds) with an equal `lastUpdatedAt` prove it honest;
#: nearer ones may merely fall into the same second of a server that writes the time of the poll.
HONEST_AFTER = 2.0
#: States that nothing is written to after they began: the last update was their beginning.
_RESTING = frozenset({State.INPUT_REQUIRED, State.COMPLETED, State.FAILED, State.CANCELLED})


@record
class Dated:
    """When something happened: epoch seconds of our clock, and how that is known."""

    at: float
    #: Nobody looked when it happened; unless it is `claimed`, `at` is when it was noticed.
    unseen: bool = False
    #: The server says so.
    claimed: bool = False
    #: For how many seconds nobody had looked, None where the task was not known before.
    unseen_for: float | None = None
    #: When the server says that a task which was not known before was created.
    created: float | None = None


def dated(
    known: Snapshot, task: Task, offset: float | None, now: float, *, looked_within: float
) -> Dated:
    """Return when the change happened that a reply of `now` shows.

    `offset` is the server's clock minus ours. A claim is believed where it lies between the last
    look (else the creation) and now; one of just now may merely be the time of the read.
    """
    seen = known.observed_at
    created = _ours(task.created_at or known.created_at, offset)
    if created is not None and created > now + _TOLERANCE:
        created = None
    begin = created if seen is None else max(seen, created or seen)
    if begin is None and task.status not in _RESTING:
        return Dated(now)
    if begin is not None and now - begin <= looked_within:
        return Dated(now)
    unseen_for = None if seen is None else now - seen
    created = created if seen is None else None
    noticed = Dated(now, unseen=True, unseen_for=unseen_for, created=created)
    claimed = _ours(task.last_updated_at, offset)
    if begin is None or claimed is None or not begin - _TOLERANCE <= claimed <= now + _TOLERANCE:
        return noticed
    if now - claimed < _TOLERANCE and not known.honest_clock:
        return noticed
    at = min(max(claimed, begin), now)
    return Dated(at, unseen=True, claimed=True, unseen_for=unseen_for, created=created)


def honest_clock(known: Snapshot, task: Task, now: float, *, content_changed: bool) -> bool:
    """Return whether the server is proven to stamp updates, and not reads."""
    said, before = task.last_updated_at, known.last_updated_at
    if said is None or before is None or known.observed_at is None:
        return known.honest_clock
    if said == before or parse_time(said) == parse_time(before) is not None:
        if content_changed:
            return False  # it changed and the server's clock did not: a constant, not a clock
        return known.honest_clock or now - known.observed_at >= HONEST_AFTER
    return known.honest_clock


def entry_data(when: Dated, status: str) -> dict[str, Json]:
    """Return what a journal's line of a state keeps of how its time is known."""
    data: dict[str, Json] = {}
    if when.unseen:
        data["unseen"] = True
    if when.unseen_for is not None:
        data["unseen_for"] = round(when.unseen_for, 3)
    if when.claimed and status in _RESTING:
        data["claimed_at"] = round(when.at, 3)
    if when.created is not None:
        data["created_at"] = round(when.created, 3)
    return data


def entry_dated(entry: JournalEntry) -> Dated:
    """Return when the state that a journal's line tells of began."""
    data = entry.data
    claimed, created = _number(data.get("claimed_at")), _number(data.get("created_at"))
    return Dated(
        at=entry.at if claimed is None else claimed,
        unseen=data.get("unseen") is True,
        claimed=claimed is not None,
        unseen_for=_number(data.get("unseen_for")),
        created=created,
    )


def _ours(said: str | None, offset: float | None) -> float | None:
    moment = None if offset is None else parse_time(said)
    return None if moment is None or offset is None else moment - offset


def _number(value: Json) -> float | None:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain else None

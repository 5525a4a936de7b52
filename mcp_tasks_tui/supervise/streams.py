"""Which tasks of a server are asked for on which stream. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Collection, Iterator, Mapping

    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.supervise.roster import Watched

#: Ids in one stream's filter; more tasks make more streams, and beyond that polling carries them.
MAX_IDS = 500
MAX_STREAMS = 4


@dataclass(slots=True, eq=False, repr=False)
class Stream:
    """One open stream, what it was opened for and what it covers now, by task id."""

    tasks: dict[str, Watched]
    #: What it acknowledged last, without what a younger stream acknowledged, too.
    covered: dict[str, Watched] = field(default_factory=dict)
    acknowledged: bool = False
    opened_at: float = 0.0
    #: Younger ones were opened for all that it covers: it is closed once it covers nothing.
    replaced: bool = False
    job: asyncio.Task[None] | None = None
    #: The newest progress of each task, heard while `folding`; taken in when that is over.
    waiting: dict[str, TaskReply] = field(default_factory=dict)
    folding: bool = False

    @property
    def needed(self) -> bool:
        """Whether it covers a task that news is still wanted of."""
        return any(task.wants_push for task in self.covered.values())


def room_for(missing: int, *, listened: int) -> int:
    """Return how many of the missing tasks are to be asked for now, beside those listened to.

    Where there are more than streams can carry, others move up when many have ended.
    """
    room = MAX_IDS * MAX_STREAMS - listened
    return min(room, missing) if room >= min(missing, MAX_IDS) else 0


def giving_way(loads: Mapping[Stream, Collection[object]], *, new: int) -> list[Stream]:
    """Return the streams whose tasks go with `new` others onto one that is about to be opened.

    Streams are few: small ones are joined, as digits are carried when one counts. So a task moves
    a few times in all, however many come one after the other.
    """
    joined: list[Stream] = []
    together = new
    for stream in sorted(loads, key=lambda one: len(loads[one])):
        more = together + len(loads[stream])
        too_many = len(loads) - len(joined) + _streams(together) > MAX_STREAMS
        carried = len(loads[stream]) <= together and _streams(more) == _streams(together)
        if not (too_many or carried):
            break
        joined.append(stream)
        together = more
    return joined


def split(tasks: Mapping[str, Watched]) -> Iterator[dict[str, Watched]]:
    """Yield the tasks of each stream."""
    ids = list(tasks)
    for start in range(0, len(ids), MAX_IDS):
        yield {task_id: tasks[task_id] for task_id in ids[start : start + MAX_IDS]}


def _streams(tasks: int) -> int:
    return -(-tasks // MAX_IDS)

"""What one observation makes of what is known of a task. Pure."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.journalling import Trace

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import JournalEntry, Json, Snapshot
    from mcp_tasks_tui.protocol.messages import TaskReply


class Change(StrEnum):
    """What an observation changed, as far as a person could notice it."""

    STATUS = "status"
    MESSAGE = "message"
    INPUT = "input"
    #: Interval, ttl, times, error, notes, proof of an honest clock.
    FACTS = "facts"
    RESULT = "result"
    GONE = "gone"
    BACK = "back"
    #: Reads began or ceased to fail, or fail for another reason.
    READ = "read"


@record
class Applied:
    """The outcome of one observation. `result` is raw JSON where `has_result`."""

    snapshot: Snapshot
    journal: tuple[JournalEntry, ...] = ()
    changes: frozenset[Change] = frozenset()
    trace: Trace = field(default_factory=Trace)
    result: Json = None
    has_result: bool = False


def clock_offset(known: Snapshot, reply: TaskReply, now: float) -> float | None:
    """Return how far the server's clock is ahead of ours, as far as that is known."""
    return known.clock_offset if reply.server_time is None else reply.server_time - now

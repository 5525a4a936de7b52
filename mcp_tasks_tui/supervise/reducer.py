"""Known state + one observation -> new state + what changed. Pure.

An observation is a usable reply about the task (polled or pushed, it makes no difference) or the
error that a read ended in. The rules, in one line each:

* a terminal state absorbs: a later reply that contradicts it becomes a note, the first outcome
  and its result stay (ext-tasks, "Task Status": terminal states do not transition);
* a failed read touches `read` and nothing else, and three spaced not-founds make a task gone;
* an unknown status is kept as the server said it;
* what the server stops saying (its last message) is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, JournalEntry, ReadState
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError, UnusableReply
from mcp_tasks_tui.records import altered
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.advancing import advance, says_the_same, unchanged
from mcp_tasks_tui.supervise.applied import Applied, Change, clock_offset
from mcp_tasks_tui.supervise.dating import LOOKED_WITHIN
from mcp_tasks_tui.supervise.excerpt import excerpt
from mcp_tasks_tui.supervise.journalling import ENDED, Trace, owes_line, tool_error
from mcp_tasks_tui.supervise.oddities import still_odd, with_notes
from mcp_tasks_tui.supervise.words import NEVER_KNOWN

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.protocol.messages import TaskReply

#: Spaced not-founds in a row that make a task gone.
GONE_AFTER = 3
#: Servers say "not found" to another caller, too.
UNKNOWN_HERE = "not known to this server, or not for this sign-in"


def apply(
    known: Snapshot,
    observation: TaskReply | RequestError,
    now: float,
    *,
    task_id: str,
    trace: Trace | None = None,
    answered: Collection[str] = (),
    gone_after: int = GONE_AFTER,
    looked_within: float = LOOKED_WITHIN,
) -> Applied:
    """Apply one observation of the task `task_id` at `now` (epoch seconds).

    `answered` are the keys of input requests that we sent an answer for. What changed since a look
    longer ago than `looked_within` seconds is dated by the server, where it says so.
    """
    trace = trace or Trace()
    if isinstance(observation, RequestError):
        return _failed_read(known, observation, now, trace, gone_after)
    task = observation.task
    if task.task_id != task_id:
        other = UnusableReply("the server answered about another task")
        return _failed_read(known, other, now, trace, gone_after)
    if known.status in ENDED:
        applied = _after_the_end(known, observation, now, trace)
    elif says_the_same(known, task) and not owes_line(trace, now):
        applied = unchanged(known, observation, now, trace, looked_within)
    else:
        applied = advance(
            known, observation, now, trace=trace, answered=answered, looked_within=looked_within
        )
    if known.read.ok:
        return applied
    return altered(applied, changes=applied.changes | {Change.READ})


# --- a read that failed ----------------------------------------------------------------------


def _failed_read(
    known: Snapshot, error: RequestError, now: float, trace: Trace, gone_after: int
) -> Applied:
    before = known.read
    missing, seen = isinstance(error, NoSuchTask), known.observed_at is not None
    not_found = before.not_found + 1 if missing and _spaced(known, now) else before.not_found
    read = ReadState(
        at=now,
        ok=False,
        error=f"{UNKNOWN_HERE if seen else NEVER_KNOWN}: {error}" if missing else str(error),
        error_kind=error.kind,
        failures=before.failures + 1,
        not_found=not_found,
    )
    snapshot = altered(known, read=read)
    changes = set()
    journal: tuple[JournalEntry, ...] = ()
    if (before.ok, before.error_kind, before.error) != (False, read.error_kind, read.error):
        changes.add(Change.READ)
    if not_found != before.not_found:
        changes.add(Change.READ)
    if not_found >= gone_after and known.gone_at is None and known.status not in ENDED:
        snapshot = altered(snapshot, gone_at=now)
        changes.add(Change.GONE)
        said = error.message if isinstance(error, NoSuchTask) else None
        data = {} if seen else {"never_known": True}
        journal = (JournalEntry(at=now, event=Event.GONE, text=said, data=data),)
    return Applied(snapshot, journal, frozenset(changes), trace)


def _spaced(known: Snapshot, now: float) -> bool:
    """Whether a not-found counts: asking three times in a second proves nothing new."""
    read = known.read
    if read.not_found == 0 or read.at is None:
        return True
    interval = (known.poll_interval_ms or 0) / 1000
    return now - read.at >= min(max(interval, 0.5), 5.0) / 2


# --- a reply about a task that had ended ---------------------------------------------------------


def _after_the_end(known: Snapshot, reply: TaskReply, now: float, trace: Trace) -> Applied:
    task = reply.task
    seen = altered(
        known,
        observed_at=now,
        clock_offset=clock_offset(known, reply, now),
        read=ReadState(at=now),
        gone_at=None,
    )
    back = frozenset() if known.gone_at is None else frozenset({Change.BACK})
    if task.status != known.status:
        note = f"the server later said {one_line(task.status, 40)!r}; the first outcome is kept"
        if note in known.notes:
            return Applied(seen, (), back, trace)
        line = JournalEntry(
            at=now,
            event=Event.CONTRADICTION,
            text=task.status_message,
            data={"kept": known.status, "said": task.status},
        )
        noted = altered(seen, notes=with_notes(known.notes, (note,)))
        return Applied(noted, (line,), back | {Change.FACTS}, trace)
    if known.has_result or not task.has_result:
        return Applied(seen, (), back, trace)
    filled = altered(
        seen,
        has_result=True,
        result_text=excerpt(task.result),
        result_lost=False,
        tool_error=tool_error(task),
        notes=still_odd(known.notes, asks=False, has_result=True),
    )
    return Applied(filled, (), back | {Change.RESULT}, trace, task.result, has_result=True)

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

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import Event, JournalEntry, ReadState, Snapshot, State
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError, UnusableReply
from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.dating import LOOKED_WITHIN, dated, honest_clock
from mcp_tasks_tui.supervise.excerpt import excerpt
from mcp_tasks_tui.supervise.journalling import (
    ENDED,
    Trace,
    input_lines,
    message_line,
    owes_line,
    status_lines,
    tool_error,
)
from mcp_tasks_tui.supervise.oddities import oddities, still_odd, with_notes, without_missing_result

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcp_tasks_tui.handles.model import Json
    from mcp_tasks_tui.protocol.messages import Task, TaskReply
    from mcp_tasks_tui.supervise.dating import Dated

#: Spaced not-founds in a row that make a task gone.
GONE_AFTER = 3
#: An observation older than this many seconds (or three intervals) means that nobody watched.
UNWATCHED_AFTER = 30.0
_USUAL_GAP_WEIGHT = 0.3

#: Servers say "not found" to another caller, too.
UNKNOWN_HERE = "not known to this server, or not for this sign-in"


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


_NOTHING: frozenset[Change] = frozenset()
_FACTS_ONLY = frozenset({Change.FACTS})


@record
class Applied:
    """The outcome of one observation. `result` is raw JSON where `has_result`."""

    snapshot: Snapshot
    journal: tuple[JournalEntry, ...] = ()
    changes: frozenset[Change] = frozenset()
    trace: Trace = field(default_factory=Trace)
    result: Json = None
    has_result: bool = False


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
    elif _same(known, task) and not owes_line(trace, now):
        applied = _unchanged(known, observation, now, trace, looked_within)
    else:
        applied = _advance(
            known, observation, now, trace=trace, answered=answered, looked_within=looked_within
        )
    if known.read.ok:
        return applied
    return altered(applied, changes=applied.changes | {Change.READ})


def _offset(known: Snapshot, reply: TaskReply, now: float) -> float | None:
    return known.clock_offset if reply.server_time is None else reply.server_time - now


def _same(known: Snapshot, task: Task) -> bool:
    """Whether the reply says just what is known: by far the most frequent case."""
    return (
        task.status == known.status
        and known.gone_at is None
        and task.status_message == known.status_message
        and task.input_requests == known.input_requests
        and task.poll_interval_ms in (None, known.poll_interval_ms)
        and (not task.ttl_known or (known.ttl_known and task.ttl_ms == known.ttl_ms))
        and task.error == known.error
        and task.created_at in (None, known.created_at)
        and not task.has_result
        and known.answer_sent_at is None
        and (not task.notes or all(note in known.notes for note in task.notes))
    )


def _unchanged(
    known: Snapshot, reply: TaskReply, now: float, trace: Trace, looked_within: float
) -> Applied:
    task, offset = reply.task, _offset(known, reply, now)
    honest = honest_clock(known, task, now, content_changed=False)
    touched = honest and known.honest_clock and task.last_updated_at != known.last_updated_at
    snapshot = altered(
        known,
        observed_at=now,
        clock_offset=offset,
        read=ReadState(at=now),
        last_updated_at=task.last_updated_at,
        honest_clock=honest,
    )
    if touched:
        when = dated(known, task, offset, now, looked_within=looked_within)
        snapshot = _changed(snapshot, when)
    news = touched or honest != known.honest_clock
    return Applied(snapshot, (), _FACTS_ONLY if news else _NOTHING, trace)


# --- a read that failed ----------------------------------------------------------------------


def _failed_read(
    known: Snapshot, error: RequestError, now: float, trace: Trace, gone_after: int
) -> Applied:
    before = known.read
    missing = isinstance(error, NoSuchTask)
    not_found = before.not_found + 1 if missing and _spaced(known, now) else before.not_found
    read = ReadState(
        at=now,
        ok=False,
        error=f"{UNKNOWN_HERE}: {error}" if missing else str(error),
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
        journal = (JournalEntry(at=now, event=Event.GONE, text=said),)
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
        clock_offset=_offset(known, reply, now),
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
        notes=without_missing_result(known.notes),
    )
    return Applied(filled, (), back | {Change.RESULT}, trace, task.result, has_result=True)


# --- a reply about a task that goes on -----------------------------------------------------------


def _advance(
    known: Snapshot,
    reply: TaskReply,
    now: float,
    *,
    trace: Trace,
    answered: Collection[str],
    looked_within: float,
) -> Applied:
    task, offset = reply.task, _offset(known, reply, now)
    when = dated(known, task, offset, now, looked_within=looked_within)
    status_changed = task.status != known.status
    said_new = _is_new_message(known, task)
    requests = _ordered(known.input_requests, task.input_requests)
    changes = _content_changes(known, task, requests, status_changed)
    journal: list[JournalEntry] = []
    if known.gone_at is not None:
        changes.add(Change.BACK)
        journal.append(JournalEntry(at=now, event=Event.BACK))
    if status_changed:
        journal.extend(status_lines(known, task, now, trace, said_new=said_new, when=when))
        trace = altered(trace, unlogged=None)
    else:
        trace, line = message_line(task.status_message if said_new else None, now, trace)
        journal.extend(line)
    trace, lines = input_lines(known, task, now, trace, answered)
    journal.extend(lines)

    new_notes = (*task.notes, *oddities(known, task, requests))
    notes = with_notes(still_odd(known.notes, requests), new_notes)
    if notes != known.notes:
        changes.add(Change.FACTS)
    content_changed = bool(changes)
    learned = _only_learned(known, task, changes, answered)
    honest = honest_clock(known, task, now, content_changed=content_changed)
    touched = honest and known.honest_clock and task.last_updated_at != known.last_updated_at
    if touched or honest != known.honest_clock:
        changes.add(Change.FACTS)
    snapshot = altered(
        known,
        observed_at=now,
        clock_offset=offset,
        read=ReadState(at=now),
        status=task.status if status_changed else known.status,
        status_message=task.status_message,
        created_at=task.created_at if task.created_at is not None else known.created_at,
        last_updated_at=task.last_updated_at,
        ttl_ms=task.ttl_ms if task.ttl_known else known.ttl_ms,
        ttl_known=task.ttl_known or known.ttl_known,
        poll_interval_ms=(
            known.poll_interval_ms if task.poll_interval_ms is None else task.poll_interval_ms
        ),
        input_requests=requests,
        error=task.error,
        has_result=task.has_result,
        result_text=excerpt(task.result) if task.has_result else known.result_text,
        result_lost=known.result_lost and not task.has_result,
        tool_error=tool_error(task),
        resumed_at=now if status_changed and _waited(known) else known.resumed_at,
        gone_at=None,
        honest_clock=honest,
        answer_sent_at=known.answer_sent_at if answered_still_open(requests, answered) else None,
        notes=notes,
    )
    if (content_changed and not learned) or touched:
        snapshot = _changed(snapshot, when)
    if said_new:
        snapshot = _remember_message(known, snapshot, task, now, when)
    # A status that does not end the task may carry a result, too; it is taken once.
    news = task.has_result and (status_changed or not known.has_result)
    if news:
        changes.add(Change.RESULT)
    result = task.result if news else None
    return Applied(snapshot, tuple(journal), frozenset(changes), trace, result, has_result=news)


def _changed(snapshot: Snapshot, when: Dated) -> Snapshot:
    return altered(
        snapshot,
        changed_at=when.at,
        changed_unseen=when.unseen,
        changed_claimed=when.claimed,
    )


def answered_still_open(requests: Collection[str], answered: Collection[str]) -> bool:
    """Whether an answered request is still listed: the server has not taken the answer yet."""
    return any(key in requests for key in answered)


def _is_new_message(known: Snapshot, task: Task) -> bool:
    said = task.status_message
    return bool(said) and (known.last_message is None or said != known.last_message)


def _content_changes(
    known: Snapshot, task: Task, requests: dict[str, Any], status_changed: bool
) -> set[Change]:
    changes = set()
    if status_changed:
        changes.add(Change.STATUS)
    if task.status_message != known.status_message:
        changes.add(Change.MESSAGE)
    if requests != known.input_requests:
        changes.add(Change.INPUT)
    interval = task.poll_interval_ms
    if task.error != known.error or (interval is not None and interval != known.poll_interval_ms):
        changes.add(Change.FACTS)
    if task.ttl_known and (task.ttl_ms != known.ttl_ms or not known.ttl_known):
        changes.add(Change.FACTS)
    return changes


def _only_learned(
    known: Snapshot, task: Task, changes: set[Change], answered: Collection[str]
) -> bool:
    """Whether a task that asked already only tells what: a call's reply has no questions in it."""
    if (
        known.input_requests
        or answered
        or not changes
        or not changes <= {Change.INPUT, Change.FACTS}
    ):
        return False
    same = known.last_updated_at is not None and task.last_updated_at == known.last_updated_at
    return same and Change.INPUT in changes


def _ordered(known: Any, now_open: dict[str, Any]) -> dict[str, Any]:
    """Open requests, first seen first, whatever order the server lists them in."""
    if list(known) == list(now_open):
        return now_open
    kept = {key: now_open[key] for key in known if key in now_open}
    return {**kept, **now_open}


def _waited(known: Snapshot) -> bool:
    return known.status == State.INPUT_REQUIRED.value


def _remember_message(
    known: Snapshot, snapshot: Snapshot, task: Task, now: float, when: Dated
) -> Snapshot:
    gap = known.usual_gap
    watched = known.observed_at is not None and now - known.observed_at <= max(
        UNWATCHED_AFTER, 3 * (known.poll_interval_ms or 0) / 1000
    )
    # The time that a person took to answer is not the pace of the task.
    if watched and known.last_message_at is not None and not _waited(known):
        latest = now - max(known.last_message_at, known.resumed_at or 0.0)
        gap = latest if gap is None else gap + _USUAL_GAP_WEIGHT * (latest - gap)
    return altered(
        snapshot,
        last_message=task.status_message,
        last_message_at=when.at,
        message_changes=known.message_changes + 1,
        usual_gap=gap,
    )

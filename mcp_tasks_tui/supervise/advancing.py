"""A reply about a task that goes on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import Event, JournalEntry, ReadState, State
from mcp_tasks_tui.records import altered
from mcp_tasks_tui.supervise.applied import Applied, Change, clock_offset
from mcp_tasks_tui.supervise.dating import dated, honest_clock
from mcp_tasks_tui.supervise.excerpt import excerpt
from mcp_tasks_tui.supervise.journalling import (
    input_lines,
    message_line,
    status_lines,
    tool_error,
)
from mcp_tasks_tui.supervise.oddities import oddities, still_odd, with_notes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.protocol.messages import Task, TaskReply
    from mcp_tasks_tui.supervise.dating import Dated
    from mcp_tasks_tui.supervise.journalling import Trace

#: An observation older than this many seconds (or three intervals) means that nobody watched.
UNWATCHED_AFTER = 30.0
_USUAL_GAP_WEIGHT = 0.3

_NOTHING: frozenset[Change] = frozenset()
_FACTS_ONLY = frozenset({Change.FACTS})


def says_the_same(known: Snapshot, task: Task) -> bool:
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


def unchanged(
    known: Snapshot, reply: TaskReply, now: float, trace: Trace, looked_within: float
) -> Applied:
    """Apply a reply that says the same."""
    task, offset = reply.task, clock_offset(known, reply, now)
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


def advance(
    known: Snapshot,
    reply: TaskReply,
    now: float,
    *,
    trace: Trace,
    answered: Collection[str],
    looked_within: float,
) -> Applied:
    """Apply a reply that says something new."""
    task, offset = reply.task, clock_offset(known, reply, now)
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
    notes = with_notes(
        still_odd(known.notes, asks=bool(requests), has_result=task.has_result), new_notes
    )
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
        asked_at=now if _asks_anew(known, requests) else known.asked_at,
        error=task.error,
        has_result=task.has_result,
        result_text=excerpt(task.result) if task.has_result else known.result_text,
        result_lost=known.result_lost and not task.has_result,
        tool_error=tool_error(task),
        resumed_at=now if status_changed and _waited(known) else known.resumed_at,
        gone_at=None,
        honest_clock=honest,
        answer_sent_at=known.answer_sent_at if _answered_still_open(requests, answered) else None,
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


def _answered_still_open(requests: Collection[str], answered: Collection[str]) -> bool:
    """Whether an answered request is still listed: the server has not taken the answer yet."""
    return any(key in requests for key in answered)


def _asks_anew(known: Snapshot, requests: Mapping[str, Any]) -> bool:
    before = known.input_requests
    return any(key not in before or before[key] != each for key, each in requests.items())


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

"""Which lines of the journal one reply is worth. Pure.

Each change of status has its line; messages have at most one per `MESSAGE_LINE_EVERY` seconds,
and the last one before a change of status always; a question has one line for its life.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.dating import entry_data

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcp_tasks_tui.handles.model import Json, Snapshot
    from mcp_tasks_tui.protocol.messages import Task
    from mcp_tasks_tui.supervise.dating import Dated

#: At most one message line per task and this many seconds.
MESSAGE_LINE_EVERY = 10.0
FINISHED_FIRST = "finished before the cancel took effect"
#: The server's words for the end of a task, and those of them that no cancel brings about.
FINISHED = frozenset({State.COMPLETED.value, State.FAILED.value})
ENDED = FINISHED | {State.CANCELLED.value}
#: What causes comes before what follows from it, where both have one time: a call before the
#: handle that it left, a wish before what the server made of it. What one reply told is written in
#: its order already.
_CAUSES: tuple[Event, ...] = (
    Event.CALL_SENT,
    Event.SAVED,
    Event.INPUT_ANSWERED,
    Event.CANCEL_REQUESTED,
)
_RANKS = {event: rank for rank, event in enumerate(_CAUSES)}
#: Lines are written at most so late (seconds); a call is told whenever its reply came. What seems
#: to be written later was written after somebody had set the clock back.
_WRITTEN_WITHIN = 60.0


def in_order(written: Iterable[JournalEntry]) -> list[JournalEntry]:
    """Return a task's journal, given as it was written, by time, then by cause.

    Lines are not written in the order in which things happened: a call is told once its handle is
    saved, and of several processes each writes what it saw when the others let it.
    """
    spans: list[list[JournalEntry]] = [[]]
    latest = float("-inf")
    for line in written:
        if line.event is not Event.CALL_SENT and line.at < latest - _WRITTEN_WITHIN:
            spans.append([])
            latest = line.at
        spans[-1].append(line)
        latest = max(latest, line.at)
    return [line for span in spans for line in sorted(span, key=_by_time_and_cause)]


def _by_time_and_cause(line: JournalEntry) -> tuple[float, int]:
    return line.at, _RANKS.get(line.event, len(_RANKS))


@record
class Trace:
    """What the journal already tells, so that no line is written twice. Lives in memory only."""

    message_logged_at: float | None = None
    #: The newest message and its time, where it has no line yet.
    unlogged: tuple[ServerText, float] | None = None
    #: Input request keys that have their line.
    asked: frozenset[str] = frozenset()


def tool_error(task: Task) -> bool:
    """Whether the task completed with a result in which the tool reports an error."""
    return task.status == State.COMPLETED.value and task.tool_error


def status_lines(
    known: Snapshot, task: Task, now: float, trace: Trace, *, said_new: bool, when: Dated
) -> list[JournalEntry]:
    lines = []
    if trace.unlogged is not None:
        message, at = trace.unlogged
        lines.append(JournalEntry(at=at, event=Event.MESSAGE, text=message))
    data: dict[str, Json] = {"from": known.status, "to": task.status}
    data.update(entry_data(when, task.status))
    if tool_error(task):
        data["tool_error"] = True
    if task.status in FINISHED and known.cancel_requested_at is not None:
        data["cancel"] = FINISHED_FIRST
    text = task.status_message if said_new else None
    return [*lines, JournalEntry(at=now, event=Event.STATUS, text=text, data=data)]


def message_line(
    new: ServerText | None, now: float, trace: Trace
) -> tuple[Trace, tuple[JournalEntry, ...]]:
    """The message line that is due, if any: at most one per `MESSAGE_LINE_EVERY` seconds."""
    if new is not None:
        trace = altered(trace, unlogged=(new, now))
    if trace.unlogged is None or not owes_line(trace, now):
        return trace, ()
    message, at = trace.unlogged
    line = JournalEntry(at=at, event=Event.MESSAGE, text=message)
    return altered(trace, unlogged=None, message_logged_at=now), (line,)


def owes_line(trace: Trace, now: float) -> bool:
    """Whether the last message has no line yet and may have one by now."""
    if trace.unlogged is None:
        return False
    last = trace.message_logged_at
    return last is None or not 0 <= now - last < MESSAGE_LINE_EVERY  # the clock may be set back


def input_lines(
    known: Snapshot, task: Task, now: float, trace: Trace, answered: Collection[str]
) -> tuple[Trace, list[JournalEntry]]:
    if not task.input_requests and not known.input_requests:
        return trace, []
    told = trace.asked.union(known.input_requests)
    lines = [
        JournalEntry(now, Event.INPUT_ASKED, _question(request), {"key": key})
        for key, request in task.input_requests.items()
        if key not in told
    ]
    if task.status not in ENDED:
        lines.extend(
            JournalEntry(now, Event.INPUT_WITHDRAWN, None, {"key": key})
            for key in known.input_requests
            if key not in task.input_requests and key not in answered
        )
    return altered(trace, asked=told.union(task.input_requests)), lines


def _question(request: Json) -> ServerText | None:
    params = request.get("params") if isinstance(request, dict) else None
    message = params.get("message") if isinstance(params, dict) else None
    return ServerText(message) if isinstance(message, str) else None

"""Which lines of the journal one reply is worth. Pure.

Each change of status has its line, and each message: `AT_ONCE` of them and one more with each
second. Of a task that says more only one per `THINNED_EVERY` seconds is kept, and the last before a
change of status, with a line that says how many are not. A question has one line for its life.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.handles.thinning import MESSAGES
from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.dating import entry_data

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcp_tasks_tui.handles.model import Json, Snapshot
    from mcp_tasks_tui.protocol.messages import Task
    from mcp_tasks_tui.supervise.dating import Dated

#: Lines of messages that a task has room for at once; each second makes room for one more.
AT_ONCE = 200.0
#: Seconds between two messages that are kept of a task that said too much.
THINNED_EVERY = 10.0
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
class Unlogged:
    """A message that waits for room, and how many before it were given none."""

    text: ServerText
    at: float
    left_out: int = 0

    def lines(self) -> Iterator[JournalEntry]:
        if self.left_out:
            yield JournalEntry(self.at, Event.LEFT_OUT, None, {MESSAGES: self.left_out})
        yield JournalEntry(self.at, Event.MESSAGE, self.text)


@record
class Trace:
    """What the journal already tells, so that no line is written twice. Lives in memory only."""

    #: How many messages there was room for, and when that was; None: for as many as there can be.
    room: float = 0.0
    room_at: float | None = None
    #: The newest message, where it has no line yet.
    unlogged: Unlogged | None = None
    #: Input request keys that have their line.
    asked: frozenset[str] = frozenset()


def tool_error(task: Task) -> bool:
    """Whether the task completed with a result in which the tool reports an error."""
    return task.status == State.COMPLETED.value and task.tool_error


def status_lines(
    known: Snapshot, task: Task, now: float, trace: Trace, *, said_new: bool, when: Dated
) -> list[JournalEntry]:
    lines: list[JournalEntry] = []
    if trace.unlogged is not None:
        lines.extend(trace.unlogged.lines())
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
    """The message that has room, if any, after a line that says how many had none before it."""
    if new is not None:
        left_out = 0 if trace.unlogged is None else trace.unlogged.left_out + 1
        trace = altered(trace, unlogged=Unlogged(new, now, left_out))
    if trace.unlogged is None:
        return trace, ()
    room = _room(trace, now)
    if room >= 1:
        lines = tuple(trace.unlogged.lines())
        return altered(trace, unlogged=None, room=room - 1, room_at=now), lines
    if new is not None and not trace.unlogged.left_out:
        # It says too much: that few are kept with long gaps tells more than every second one.
        trace = altered(trace, room=1 - THINNED_EVERY, room_at=now)
    return trace, ()


def owes_line(trace: Trace, now: float) -> bool:
    """Whether the last message has no line yet and may have one by now."""
    return trace.unlogged is not None and _room(trace, now) >= 1


def _room(trace: Trace, now: float) -> float:
    """Return how many messages there is room for."""
    if trace.room_at is None or now < trace.room_at:  # the clock was set back
        return AT_ONCE
    return min(trace.room + now - trace.room_at, AT_ONCE)


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

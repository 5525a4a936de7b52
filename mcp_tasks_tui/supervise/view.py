"""One task as the screen and the command line show it, and its JSON shape."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import handle_json
from mcp_tasks_tui.handles.handle_json import iso
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.answers import is_answer

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import AnswerRecord, Handle, Json, Snapshot
    from mcp_tasks_tui.sanitize import ServerText


class Reason(StrEnum):
    """Why a task wants a person, most urgent first."""

    INPUT_REQUIRED = "input_required"
    STUCK = "stuck"
    EXPIRING = "expiring"
    CANCEL_UNANSWERED = "cancel_unanswered"
    READ_FAILING = "read_failing"


@record
class Attention:
    """One reason why a task wants a person; `text` is one clean line.

    `brief` is that line where the word for the reason and the time since then stand beside it
    already, empty where it is the same. `claimed`: the time is what the server says, and both
    lines tell it so.
    """

    reason: Reason
    since: float
    text: str
    brief: str = ""
    claimed: bool = False


@record
class Progress:
    """What a status message says of progress: derived from its words, never from the protocol.

    `fraction` is 0..1; `rate` is in units of `total` (or of the fraction) per second and `eta` in
    seconds, both None until two points are known.
    """

    fraction: float
    text: str
    done: float | None = None
    total: float | None = None
    rate: float | None = None
    eta: float | None = None


class Coverage(StrEnum):
    """How news of a task reaches us."""

    POLLED = "polled"
    PUSHED = "pushed"
    HELD = "held"
    PAUSED = "paused"  # the server is down or refuses us: one probe stands for all its tasks
    ENDED = "ended"


@record
class TaskView:
    """Everything shown of one task. Immutable: a changed task has a new view."""

    handle: Handle
    snapshot: Snapshot
    state: State
    #: The configured name of the server, or its URL.
    server: str
    #: The message to show: the current one, else the last one seen.
    message: ServerText | None
    #: The message is from before the current status.
    message_is_old: bool
    progress: Progress | None
    attention: tuple[Attention, ...]
    answers: dict[str, AnswerRecord]
    #: Keys of open input requests that no answer was sent for, in a stable order.
    open_requests: tuple[str, ...]
    #: ``quiet for 4 m``, or the server's own claim; empty where there is nothing to say.
    quiet: str = ""
    #: Confirmed by a read since this program started; else it is only what was last known.
    live: bool = False
    coverage: Coverage = Coverage.POLLED
    #: When the next read is due (epoch seconds), None where none is planned.
    next_read_at: float | None = None
    #: A read is on its way.
    reading: bool = False

    @property
    def key(self) -> str:
        return self.handle.key

    @property
    def outcome(self) -> ServerText | None:
        """The first line of the result of a task that completed, where it has one."""
        return self.snapshot.result_text if self.snapshot.status == "completed" else None

    @property
    def archived(self) -> bool:
        return self.handle.archived_at is not None

    @property
    def all_answered(self) -> bool:
        """All that it asks for was answered: it is the server's turn."""
        asks = self.state is State.INPUT_REQUIRED and bool(self.snapshot.input_requests)
        return asks and not self.open_requests


# --- the JSON of a task ----------------------------------------------------------------------

_LEFT_OUT: Any = object()


def to_json(view: TaskView, *, result: Json = _LEFT_OUT) -> dict[str, Json]:
    """Return the task as `list --json` and `show --json` print it.

    The server's own values are given exactly as they came; our times are ISO 8601 in UTC.
    `result` is there only where the caller hands it in.
    """
    handle, snapshot = view.handle, view.snapshot
    body = {
        "key": handle.key,
        "server": view.server,
        **handle_json.to_json(handle),
        "savedAt": iso(handle.saved_at),
        "archivedAt": iso(handle.archived_at),
        "state": view.state.value,
        "status": snapshot.status,
        "statusMessage": _raw(snapshot.status_message),
        "createdAt": snapshot.created_at,
        "lastUpdatedAt": snapshot.last_updated_at,
        "ttlMs": snapshot.ttl_ms if snapshot.ttl_known else None,
        "pollIntervalMs": snapshot.poll_interval_ms,
        "inputRequests": dict(snapshot.input_requests),
        "error": snapshot.error,
        "lastMessage": _raw(snapshot.last_message),
        "observedAt": iso(snapshot.observed_at),
        "read": _read_json(snapshot),
        "requested": _requested_json(snapshot),
        "answeredKeys": [key for key, answer in view.answers.items() if is_answer(answer)],
        "progress": _progress_json(view.progress),
        "attention": [
            {"reason": one.reason.value, "since": iso(one.since), "text": one.text}
            for one in view.attention
        ],
        "notes": list(snapshot.notes),
    }
    del body["savedBy"], body["extra"]
    if result is not _LEFT_OUT:
        body["result"] = result
    return body


def _raw(text: ServerText | None) -> str | None:
    return None if text is None else text.raw


def _read_json(snapshot: Snapshot) -> Json:
    read = snapshot.read
    return {
        "ok": read.ok,
        "at": iso(read.at),
        "error": read.error,
        "failures": read.failures,
    }


def _requested_json(snapshot: Snapshot) -> Json:
    asked = {"cancel": snapshot.cancel_requested_at, "answer": snapshot.answer_sent_at}
    return {what: iso(at) for what, at in asked.items() if at is not None} or None


def _progress_json(progress: Progress | None) -> Json:
    if progress is None:
        return None
    return {
        "fraction": progress.fraction,
        "done": progress.done,
        "total": progress.total,
        "text": progress.text,
    }

"""What is kept of a task: plain values, no behaviour that touches disk or wire.

Times are seconds since the epoch (UTC) as floats. Text of a server is
:class:`~mcp_tasks_tui.sanitize.ServerText`; JSON values of a server are kept as parsed, raw.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.sanitize import ServerText

Json = Any


@record
class HandleDraft:
    """A handle on its way to the disk; it has no key yet."""

    server_url: str
    task_id: str
    tool: str | None = None
    arguments: Json = None
    label: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()
    saved_by: str | None = None
    #: Fields of another program or a newer version, kept and given back.
    extra: Mapping[str, Json] = field(default_factory=dict)
    #: When it was saved first, if that was elsewhere; None: now.
    saved_at: float | None = None
    #: Archived already elsewhere; counts only for a task that is new here.
    archived_at: float | None = None


@record
class Handle:
    """The receipt for a task: (`server_url`, `task_id`) is its identity, `key` its short name."""

    key: str
    server_url: str
    task_id: str
    saved_at: float
    tool: str | None = None
    arguments: Json = None
    label: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()
    saved_by: str | None = None
    archived_at: float | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)


class State(StrEnum):
    """Where a task stands, as this program tells it."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    TOOL_ERROR = "tool_error"
    FAILED = "failed"
    CANCELLED = "cancelled"
    GONE = "gone"
    UNKNOWN = "unknown"

    @property
    def terminal(self) -> bool:
        """The server will not change this state any more."""
        return self in _TERMINAL

    @property
    def ended(self) -> bool:
        """Nothing is expected any more: terminal, or gone from the server."""
        return self in _TERMINAL or self is State.GONE


_TERMINAL = frozenset({State.COMPLETED, State.TOOL_ERROR, State.FAILED, State.CANCELLED})
#: The five words of the protocol. Any other word of a server is unknown, our own ones too.
_BY_STATUS: dict[str | None, State] = {
    state.value: state
    for state in (
        State.WORKING,
        State.INPUT_REQUIRED,
        State.COMPLETED,
        State.FAILED,
        State.CANCELLED,
    )
}


@record
class Texts:
    """What a person writes to a task; None and no tags are nothing."""

    label: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()


@record
class ReadState:
    """How the last attempt to read the task went."""

    at: float | None = None
    ok: bool = True
    #: One clean line for people, and the error's stable word (`RequestError.kind`).
    error: str | None = None
    error_kind: str | None = None
    #: Failed reads in a row; not-founds in a row.
    failures: int = 0
    not_found: int = 0


@record
class Snapshot:
    """The last thing that was seen of a task, without its result.

    A failed read changes `read` (and perhaps `gone_at`) and nothing else: what was known stays.
    """

    #: The server's own word, None before the first reply.
    status: str | None = None
    status_message: ServerText | None = None
    created_at: str | None = None
    last_updated_at: str | None = None
    #: None: unlimited; see `ttl_known`.
    ttl_ms: int | None = None
    ttl_known: bool = False
    poll_interval_ms: int | None = None
    input_requests: Mapping[str, Json] = field(default_factory=dict)
    #: When the newest of these questions was seen.
    asked_at: float | None = None
    error: Json = None
    has_result: bool = False
    #: The first line of text in the result.
    result_text: ServerText | None = None
    #: There was a result, and it could not be saved from a damaged database.
    result_lost: bool = False
    tool_error: bool = False
    #: When the server last answered with this task; when anything in its answer last changed.
    observed_at: float | None = None
    changed_at: float | None = None
    #: Since when it was read without a gap, up to `observed_at`.
    watched_since: float | None = None
    #: Nobody looked when it changed: `changed_at` is when that was noticed, or, where it is
    #: claimed, when the server says that it was.
    changed_unseen: bool = False
    changed_claimed: bool = False
    #: Server clock minus ours in seconds, by the Date header of the last reply.
    clock_offset: float | None = None
    #: The last progress text seen; it outlives `status_message`.
    last_message: ServerText | None = None
    last_message_at: float | None = None
    #: How many changes of message were seen, and their usual spacing in seconds (stuck rule).
    message_changes: int = 0
    usual_gap: float | None = None
    #: The server repeated an equal `lastUpdatedAt` over two reads: its claim can be believed.
    honest_clock: bool = False
    read: ReadState = field(default_factory=ReadState)
    cancel_requested_at: float | None = None
    answer_sent_at: float | None = None
    #: When it was last seen to go on after it had waited for a person.
    resumed_at: float | None = None
    gone_at: float | None = None
    #: Automatic polling is held by a person.
    held: bool = False
    #: Oddities of the server's replies, one clean line each.
    notes: tuple[str, ...] = ()

    @property
    def state(self) -> State:
        if self.gone_at is not None:
            return State.GONE
        if self.status == "completed" and self.tool_error:
            return State.TOOL_ERROR
        return _BY_STATUS.get(self.status, State.UNKNOWN)


class Event(StrEnum):
    """What a line of the journal tells."""

    SAVED = "saved"
    CALL_SENT = "call_sent"
    STATUS = "status"
    MESSAGE = "message"
    #: Lines that are not kept: how many, of which kind.
    LEFT_OUT = "left_out"
    INPUT_ASKED = "input_asked"
    INPUT_ANSWERED = "input_answered"
    INPUT_WITHDRAWN = "input_withdrawn"
    CANCEL_REQUESTED = "cancel_requested"
    SERVER_LOST = "server_lost"
    SERVER_BACK = "server_back"
    GONE = "gone"
    BACK = "back"
    CONTRADICTION = "contradiction"
    HELD = "held"
    RESUMED = "resumed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    EDITED = "edited"


@record
class JournalEntry:
    """One line of a task's history. `text` may be a server's; `data` holds small plain facts."""

    at: float
    event: Event
    text: ServerText | None = None
    data: Mapping[str, Json] = field(default_factory=dict)


class AnswerState(StrEnum):
    """How far an answer got. `intended` after a restart means: it may have been sent."""

    INTENDED = "intended"
    SENT = "sent"
    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"


@record
class AnswerRecord:
    """That an input request was answered; never what the answer said."""

    request_key: str
    request_hash: str
    state: AnswerState
    action: str
    at: float


@record
class Intent:
    """A tools/call that was about to be sent. Without a handle, work may have started unseen."""

    intent_id: int
    server_url: str
    tool: str
    arguments: Json
    label: str | None
    at: float


@record
class Saved:
    """A handle with what is known of its task, as the store gives it."""

    handle: Handle
    snapshot: Snapshot
    version: int
    answers: Mapping[str, AnswerRecord] = field(default_factory=dict)


@record
class SnapshotWrite:
    """A new snapshot with its journal lines, valid if `base_version` is still the stored one."""

    key: str
    base_version: int
    snapshot: Snapshot
    journal: tuple[JournalEntry, ...] = ()
    #: The terminal reply's `result` (any JSON), written once; `has_result` says it is there.
    result: Json = None
    has_result: bool = False

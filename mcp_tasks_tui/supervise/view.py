"""One task as the screen and the command line show it, and its JSON shape."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import AnswerRecord, Handle, Snapshot, State
    from mcp_tasks_tui.sanitize import ServerText


class Reason(StrEnum):
    """Why a task wants a person, most urgent first."""

    INPUT_REQUIRED = "input_required"
    STUCK = "stuck"
    EXPIRING = "expiring"
    CANCEL_UNANSWERED = "cancel_unanswered"
    READ_FAILING = "read_failing"


@dataclass(frozen=True, slots=True)
class Attention:
    """One reason why a task wants a person; `text` is one clean line."""

    reason: Reason
    since: float
    text: str


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    def archived(self) -> bool:
        return self.handle.archived_at is not None


class Health(StrEnum):
    """How a server stands; the word is shown."""

    UNKNOWN = "not asked yet"
    OK = "ok"
    DOWN = "down"
    AUTH = "sign-in needed"
    LIMITED = "rate limited"
    BROKEN = "bad replies"
    FORGOT = "forgot its tasks"
    UNUSABLE = "not usable"  # a setting of ours is missing or wrong: nothing can be sent


@dataclass(frozen=True, slots=True)
class ServerView:
    """One server as shown above the list: health, since when, what to do, how it is read."""

    url: str
    name: str
    health: Health
    #: One clean line in words, empty where all is well.
    text: str = ""
    since: float | None = None
    retry_at: float | None = None
    pushed: bool = False
    held: bool = False
    tasks: int = 0
    open_tasks: int = 0

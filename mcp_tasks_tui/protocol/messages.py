"""What is said on the wire, typed: lenient in, strict out.

Source: modelcontextprotocol/ext-tasks `specification/draft/tasks.md` and the 2026-07-28
specification (server/tools, basic/patterns/mrtr, basic/patterns/subscriptions, server/discover).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, PlainValidator, model_validator

from mcp_tasks_tui.sanitize import ServerText

PROTOCOL_VERSION = "2026-07-28"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"


def _server_text(value: object) -> ServerText:
    if not isinstance(value, str):
        raise ValueError("not a string")
    return ServerText(value)


WireText = Annotated[ServerText, PlainValidator(_server_text)]
#: Milliseconds. Bounded to what every peer can hold exactly; zero and negative stay as given.
Milliseconds = Annotated[int, Field(ge=-(2**53) + 1, le=2**53 - 1)]
_STRICT = ConfigDict(frozen=True, strict=True, arbitrary_types_allowed=True, extra="ignore")


class Task(BaseModel):
    """A task as a server describes it (ext-tasks, `Task` and `DetailedTask`).

    Only `taskId` and `status` are needed; :func:`mcp_tasks_tui.protocol.reading.read_task` drops
    any other field that is not what the specification says and adds a line to `notes`.
    """

    model_config = _STRICT

    task_id: str = Field(validation_alias="taskId")
    status: str
    status_message: WireText | None = Field(None, validation_alias="statusMessage")
    created_at: str | None = Field(None, validation_alias="createdAt")
    last_updated_at: str | None = Field(None, validation_alias="lastUpdatedAt")
    #: Milliseconds; None is "unlimited" where `ttl_known`, else the server did not say.
    ttl_ms: Milliseconds | None = Field(None, validation_alias=AliasChoices("ttlMs", "ttl"))
    ttl_known: bool = False
    poll_interval_ms: Milliseconds | None = Field(
        None, validation_alias=AliasChoices("pollIntervalMs", "pollInterval")
    )
    #: Key -> the request as it came. Kept raw: `forms` reads it.
    input_requests: dict[str, Any] = Field(default_factory=dict, validation_alias="inputRequests")
    #: A result that is not null came with it.
    has_result: bool = False
    result: Any = None
    error: Any = None
    notes: tuple[str, ...] = ()

    @property
    def tool_error(self) -> bool:
        """The result says `isError`: the tool ran and reports an error."""
        return isinstance(self.result, dict) and self.result.get("isError") is True


class InputResponse(BaseModel):
    """An answer to one input request (2026-07-28, client/elicitation `ElicitResult`)."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    action: Literal["accept", "decline", "cancel"]
    #: Only with `accept`, and never for URL mode.
    content: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _content_goes_with_accept(self) -> Self:
        if self.content is not None and self.action != "accept":
            raise ValueError("only an accepted request carries content")
        return self

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"action": self.action}
        if self.content is not None:
            wire["content"] = self.content
        return wire


@dataclass(frozen=True, slots=True)
class TaskReply:
    """A usable answer about one task; `server_time` is the reply's Date header (epoch seconds)."""

    task: Task
    server_time: float | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`tools/call` ended at once: the result, raw."""

    result: dict[str, Any]

    @property
    def tool_error(self) -> bool:
        return self.result.get("isError") is True


@dataclass(frozen=True, slots=True)
class TaskCreated:
    """`tools/call` became a task."""

    reply: TaskReply


@dataclass(frozen=True, slots=True)
class InputNeeded:
    """`tools/call` asks first (2026-07-28, basic/patterns/mrtr `InputRequiredResult`)."""

    input_requests: dict[str, Any]
    request_state: str | None


CallOutcome = ToolResult | TaskCreated | InputNeeded


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What `server/discover` says (2026-07-28, server/discover)."""

    name: ServerText | None
    version: ServerText | None
    supported_versions: tuple[str, ...]
    #: The server lists the tasks extension.
    tasks: bool
    instructions: ServerText | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: ServerText | None
    description: ServerText | None
    input_schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolList:
    """Callable tools, and one clean line for each that was left out and why."""

    tools: tuple[Tool, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The ids that a `subscriptions/listen` stream will report; perhaps none."""

    task_ids: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class TaskPushed:
    """`notifications/tasks`: a whole task, as `tasks/get` would have given it."""

    reply: TaskReply


ListenEvent = Acknowledged | TaskPushed

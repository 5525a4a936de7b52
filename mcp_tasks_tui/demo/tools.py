"""What a tool of the demo server is made of, and the values its calls are answered with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_tasks_tui.demo.tasks import Work

Result = Mapping[str, Any]
#: The work of a task: arguments in, the final CallToolResult out.
Story = Callable[["Work", Mapping[str, Any]], Awaitable[Result]]
#: Reports (done, total, message) while an inline call runs.
Report = Callable[[float, float, str], Awaitable[None]]
#: The work of a call that never becomes a task.
Inline = Callable[[Mapping[str, Any], Report], Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: either a `story` (a task, or inline for clients without tasks) or `inline`."""

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Any]
    story: Story | None = None
    inline: Inline | None = None
    #: Clients that cannot take a task are refused, instead of being made to wait.
    needs_task: bool = True
    obeys_cancel: bool = True
    #: The reply is an event stream, with progress before the result.
    streams: bool = False
    #: Questions that come before there is a task.
    asks_first: Mapping[str, Mapping[str, Any]] | None = None
    #: Client capabilities without which a call is refused.
    needs: Mapping[str, Any] | None = None
    #: Seconds of the story.
    ttl: float | None = 3600.0
    poll_interval: float = 1.0

    def listed(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": dict(self.input_schema),
        }


def arguments_schema(
    properties: Mapping[str, Any] | None = None, required: tuple[str, ...] = ()
) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": dict(properties or {}),
        "additionalProperties": False,
    }
    if required:
        schema["required"] = list(required)
    return schema


def form(
    message: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A form-mode question (client/elicitation, "Form Mode Elicitation Requests")."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def link(message: str, url: str) -> dict[str, Any]:
    """A URL-mode question: the answer says only that the person agreed to go there."""
    params = {"mode": "url", "message": message, "url": url}
    return {"method": "elicitation/create", "params": params}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def result(*content: Mapping[str, Any], structured: Any = None, is_error: bool = False) -> Result:
    """A CallToolResult (server/tools, "Tool Result")."""
    outcome: dict[str, Any] = {
        "content": list(content),
        "isError": is_error,
        "resultType": "complete",
    }
    if structured is not None:
        outcome["structuredContent"] = structured
    return outcome


async def tell(work: Work, script: tuple[tuple[str, float], ...]) -> None:
    """Say each line, and let its seconds pass."""
    for message, seconds in script:
        work.say(message)
        await work.sleep(seconds)

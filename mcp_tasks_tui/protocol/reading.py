"""JSON values of a server -> the typed messages: lenient in, strict out. Pure.

A reply that is as the specification says costs one validation. Only where something is odd is it
looked at a second time: what cannot be used is dropped, and one clean line in `notes` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from mcp_tasks_tui.protocol.errors import (
    NO_INPUT_REQUEST,
    NO_RESULT,
    RESULT_NOT_READ,
    ReplyTooLarge,
    UnusableReply,
)
from mcp_tasks_tui.protocol.headers import AnnotationError, param_headers
from mcp_tasks_tui.protocol.jsonrpc import parse_beginning
from mcp_tasks_tui.protocol.messages import (
    TASKS_EXTENSION,
    Acknowledged,
    CallOutcome,
    InputNeeded,
    ServerInfo,
    Task,
    TaskCreated,
    TaskReply,
    Tool,
    ToolResult,
)
from mcp_tasks_tui.sanitize import ServerText, one_line

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
#: Wire name -> why it is dropped when it does not validate.
_EXPECTED = {
    "statusMessage": "text",
    "createdAt": "text",
    "lastUpdatedAt": "text",
    "ttlMs": "a whole number of milliseconds",
    "pollIntervalMs": "a whole number of milliseconds",
    "inputRequests": "an object",
}
_OLD_NAMES = {"ttl": "ttlMs", "pollInterval": "pollIntervalMs"}
_ENDS = frozenset({"completed", "failed", "cancelled"})
_ALWAYS_GIVEN = ("createdAt", "lastUpdatedAt", "ttlMs")


def read_task(result: Any, *, asked: str, notes: tuple[str, ...] = ()) -> Task:
    """Read the result of `tasks/get`, or the params of `notifications/tasks`.

    Args:
        result: the JSON value as parsed.
        asked: the task id that the reply must be about.
        notes: oddities already found in the envelope.

    Raises:
        UnusableReply: no object, an unknown `resultType`, another task's id, no string status.
    """
    raw = _object(result)
    kind = raw.get("resultType")
    if kind is not None and kind != "complete":
        if kind != "task":
            raise UnusableReply(f"the reply is of a kind we do not know: {_shown(kind)}")
        notes = (*notes, "resultType is 'task' where it should be 'complete'")
    raw, notes = _unnested(raw, notes)
    _check_identity(raw, asked)
    return _build(raw, notes)


def read_ended(cut_off: ReplyTooLarge, *, asked: str) -> Task:
    """Read how a task ended from a reply to `tasks/get` that was too large to be read whole.

    Its result is left out. Only an end is believed: of a task that goes on, what is missing could
    be what it asks.

    Raises:
        ReplyTooLarge: its beginning does not say that this task ended.
    """
    message = _dict(parse_beginning(cut_off.beginning))
    raw, notes = _unnested(_dict(message.get("result")), ())
    raw = dict(list(raw.items())[:-1])  # the cut went through the last member
    if raw.get("taskId") != asked or raw.get("status") not in _ENDS:
        raise cut_off
    note = f"the reply is larger than {cut_off.size}: {RESULT_NOT_READ}"
    return _build(raw, ()).model_copy(update={"notes": (*notes, note)})


def read_call(
    result: Any, *, server_time: float | None, notes: tuple[str, ...] = ()
) -> CallOutcome:
    """Read the result of `tools/call`: a result, a task, or questions that come first.

    A task is recognised by what it is, not only by `resultType`: overlooking one would lose the
    only handle to work that has begun.

    Raises:
        UnusableReply: none of the three; a task id in it is named in the message.
    """
    raw = _object(result)
    kind = raw.get("resultType")
    task, task_notes = _unnested(raw, notes)
    named = isinstance(task.get("taskId"), str) and bool(task["taskId"])
    if kind == "task" or (kind in (None, "complete") and named and "content" not in raw):
        if not named:
            given = task.get("taskId")
            clue = "" if given in (None, "") else f" that is text: {_shown(given)}"
            raise UnusableReply(f"the server started a task but gave no task id{clue}")
        if kind != "task":
            task_notes = (*task_notes, "the reply that created the task does not say so")
        return TaskCreated(TaskReply(_created(task, task_notes), server_time))
    if kind == "input_required":
        return _read_input_needed(raw)
    if kind in (None, "complete"):
        return ToolResult(raw)
    clue = f"; it names the task {_shown(task['taskId'])}" if named else ""
    raise UnusableReply(f"the reply is of a kind we do not know: {_shown(kind)}{clue}")


def check_ack(result: Any) -> None:
    """Accept the acknowledgement of `tasks/update` or `tasks/cancel`; its content says nothing.

    Raises:
        UnusableReply: the reply is of another kind.
    """
    kind = result.get("resultType") if isinstance(result, dict) else None
    if kind not in (None, "complete"):
        raise UnusableReply(f"the reply is of a kind we do not know: {_shown(kind)}")


def read_server_info(result: Any) -> ServerInfo:
    """Read the result of `server/discover`.

    Raises:
        UnusableReply: the result is no object.
    """
    raw = _object(result)
    about = _dict(_dict(raw.get("_meta")).get(_SERVER_INFO)) or _dict(raw.get("serverInfo"))
    versions = raw.get("supportedVersions")
    extensions = _dict(_dict(raw.get("capabilities")).get("extensions"))
    return ServerInfo(
        name=_text(about.get("name")),
        version=_text(about.get("version")),
        supported_versions=tuple(v for v in _list(versions) if isinstance(v, str)),
        tasks=TASKS_EXTENSION in extensions,
        instructions=_text(raw.get("instructions")),
    )


@dataclass(frozen=True, slots=True)
class ToolPage:
    """One page of `tools/list`.

    Attributes:
        tools: what can be called.
        left_out: (name, one clean line that says why) of each tool that cannot.
        cursor: asks for the next page; None on the last one.
    """

    tools: tuple[Tool, ...]
    left_out: tuple[tuple[str, str], ...]
    cursor: str | None


def read_tools(result: Any) -> ToolPage:
    """Read one page of `tools/list`.

    Raises:
        UnusableReply: the result is no object with a list of tools.
    """
    raw = _object(result)
    if not isinstance(raw.get("tools"), list):
        raise UnusableReply("the server's list of tools is no list")
    tools: list[Tool] = []
    left_out: list[tuple[str, str]] = []
    for item in raw["tools"]:
        found = _read_tool(item)
        if isinstance(found, Tool):
            tools.append(found)
        else:
            left_out.append(found)
    cursor = raw.get("nextCursor")
    return ToolPage(tuple(tools), tuple(left_out), cursor if isinstance(cursor, str) else None)


def read_acknowledged(params: Any, asked: frozenset[str]) -> Acknowledged:
    """Read `notifications/subscriptions/acknowledged`: the asked ids that will be reported."""
    ids = _list(_dict(_dict(params).get("notifications")).get("taskIds"))
    return Acknowledged(asked & {i for i in ids if isinstance(i, str)})


def _build(raw: dict[str, Any], notes: tuple[str, ...]) -> Task:
    fields = {
        **raw,
        "ttl_known": "ttlMs" in raw or "ttl" in raw,
        "has_result": raw.get("result") is not None,
        "notes": notes,
    }
    try:
        task = Task.model_validate(fields)
    except ValidationError:
        odd = _odd_fields(raw, fields)
        return Task.model_validate({**fields, "notes": (*notes, *odd, *_oddities(raw))})
    odd = _oddities(raw)
    return task.model_copy(update={"notes": (*notes, *odd)}) if odd else task


def _odd_fields(raw: dict[str, Any], fields: dict[str, Any]) -> list[str]:
    """Mend or drop, in `fields`, whatever does not validate; return a line for each."""
    notes = []
    for name, value in raw.items():
        expected = _EXPECTED.get(_OLD_NAMES.get(name, name))
        if expected is None or _fits(name, value):
            continue
        if isinstance(value, float) and value.is_integer() and _fits(name, int(value)):
            fields[name] = int(value)
            notes.append(f"{name} came as {value!r}")
            continue
        del fields[name]
        if name in ("ttlMs", "ttl"):
            fields["ttl_known"] = False
        notes.append(f"{name} is not {expected}: {_shown(value)}")
    return notes


def _fits(name: str, value: Any) -> bool:
    try:
        Task.model_validate({"taskId": "", "status": "", name: value})
    except ValidationError:
        return False
    return True


def _oddities(raw: dict[str, Any]) -> list[str]:
    """Return what is odd about fields that are usable as they are."""
    notes = [f"{old} is the old name of {new}" for old, new in _OLD_NAMES.items() if old in raw]
    missing = [name for name in _ALWAYS_GIVEN if name not in raw]
    if "ttl" in raw and "ttlMs" in missing:
        missing.remove("ttlMs")
    if missing:
        notes.append(f"{', '.join(missing)} missing")
    check = _STATUS_CHECKS.get(raw["status"])
    if check:
        notes.extend(check(raw))
    return notes


def _check_completed(raw: dict[str, Any]) -> list[str]:
    result = raw.get("result")
    if result is None:
        return [NO_RESULT]
    return [] if isinstance(result, dict) else ["the result is not an object"]


def _check_failed(raw: dict[str, Any]) -> list[str]:
    error = raw.get("error")
    if error is None:
        return ["failed without an error"]
    return [] if isinstance(error, dict) else ["the error is not an object"]


def _check_input_required(raw: dict[str, Any]) -> list[str]:
    return [] if raw.get("inputRequests") else [NO_INPUT_REQUEST]


_STATUS_CHECKS = {
    "completed": _check_completed,
    "failed": _check_failed,
    "input_required": _check_input_required,
}


def _check_identity(raw: dict[str, Any], asked: str) -> None:
    if raw.get("taskId") != asked:
        if isinstance(raw.get("taskId"), str):
            raise UnusableReply("the reply is about another task than the one asked for")
        raise UnusableReply("the reply has no task id")
    if not isinstance(raw.get("status"), str):
        raise UnusableReply(f"the reply has no usable status: {_shown(raw.get('status'))}")


def _created(raw: dict[str, Any], notes: tuple[str, ...]) -> Task:
    if isinstance(raw.get("status"), str):
        return _build(raw, notes)
    return _build({**raw, "status": "unknown"}, (*notes, "the new task came without a status"))


def _unnested(
    raw: dict[str, Any], notes: tuple[str, ...]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the task's own object; drafts nested it under `task`."""
    if "taskId" not in raw and isinstance(raw.get("task"), dict):
        return raw["task"], (*notes, "the task is nested under 'task', as in drafts")
    return raw, notes


def _read_input_needed(raw: dict[str, Any]) -> InputNeeded:
    requests = raw.get("inputRequests")
    state = raw.get("requestState")
    if requests is not None and not isinstance(requests, dict):
        raise UnusableReply("the server asks for input, but not in a form we can read")
    if state is not None and not isinstance(state, str):
        raise UnusableReply("the server asks for input with a requestState that is no text")
    if not requests and state is None:
        raise UnusableReply("the server asks for input but names no request")
    return InputNeeded(requests or {}, state)


def _read_tool(item: Any) -> Tool | tuple[str, str]:
    """Return the tool, or its name and one clean line that says why it is left out."""
    raw = _dict(item)
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        return "", "a tool without a name is left out"
    schema = raw.get("inputSchema")
    try:
        param_headers(schema)
    except AnnotationError as error:
        return name, one_line(f"tool {name!r} is left out: {error}", 300)
    if not isinstance(schema, dict):
        schema = {"type": "object"}
    title = raw.get("title")
    if not isinstance(title, str):
        title = _dict(raw.get("annotations")).get("title")
    return Tool(name, _text(title), _text(raw.get("description")), schema)


def _object(result: Any) -> dict[str, Any]:
    if not isinstance(result, dict):
        raise UnusableReply("the result is not an object")
    return result


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> ServerText | None:
    return ServerText(value) if isinstance(value, str) else None


def _shown(value: Any) -> str:
    """Return a value of the server's, clean and short, for a note or a message."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return one_line(repr(value) if isinstance(value, str) else str(value), 60)

"""JSON-RPC 2.0 as this protocol uses it: one request out, the one reply to it in. Pure.

Everything is bounded: nesting (190 levels), integers (4,300 digits) and numbers that are none.
What is beyond the bounds is kept as text, with a note: the state of a task is not lost for it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, TypeGuard

from pydantic_core import from_json

from mcp_tasks_tui.protocol.bounding import bounded
from mcp_tasks_tui.protocol.errors import (
    HeaderMismatch,
    MethodNotFound,
    MissingCapability,
    NoSuchTask,
    NotSent,
    RpcError,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.protocol.messages import PROTOCOL_VERSION
from mcp_tasks_tui.sanitize import ServerText, one_line

SESSION_ERA = f"this server speaks 2025-11-25 sessions; tasks need {PROTOCOL_VERSION}"

_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RpcReply:
    """The result that a server gave; `notes` are oddities of its envelope, one line each."""

    result: Any
    server_time: float | None = None
    notes: tuple[str, ...] = ()


class Mended(dict[str, Any]):
    """A message of which not all could be held as it came; `notes` say what, one line each."""

    __slots__ = ("notes",)

    def __init__(self, message: dict[str, Any], notes: tuple[str, ...]) -> None:
        super().__init__(message)
        self.notes = notes


def notes_of(message: Any) -> tuple[str, ...]:
    """Return what could not be held of a message as it came, one line each."""
    return message.notes if isinstance(message, Mended) else ()


def encode_request(request_id: int, method: str, params: dict[str, Any]) -> bytes:
    """Return the body of a request.

    Raises:
        NotSent: the parameters are not expressible as JSON.
    """
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    try:
        return _ENCODER.encode(message).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise NotSent(f"this cannot be written as JSON: {one_line(str(error), 120)}") from None


#: Makes all digits one, and all exponents: by far faster than to look for a pattern.
_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")


def parse(body: bytes) -> Any:
    """Return the JSON value in `body`; an object is :class:`Mended` where that was needed.

    A lone half of a surrogate pair, which no UTF-8 file or screen can hold, becomes U+FFFD; what
    is nested too deeply, and a number that is out of range, becomes its own JSON text.

    Raises:
        UnusableReply: no JSON; in words.
    """
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        return _parse_mended(body, error)
    return _parse_bounded(body, None) if _overflowed(body, value) else value


def parse_beginning(body: bytes) -> Any:
    """Return what is whole of a JSON value that was cut off; of a container, its first members.

    The last member of each container that was open at the cut may be incomplete. None where
    nothing can be read.
    """
    try:
        return from_json(
            body.removeprefix(b"\xef\xbb\xbf"), allow_inf_nan=False, allow_partial=True
        )
    except ValueError:
        return None


def reply_in(message: Any, *, request_id: int, method: str, status: int) -> RpcReply | None:
    """Return the reply to our request if `message` is one; None for anything else.

    An error without an id, or with a foreign one under an HTTP error status, answers us too:
    one POST has one reply, and a server that could not read the request cannot name its id.

    Raises:
        RpcError: the message is an error reply.
        UnusableReply: it is a result for another request.
    """
    if not isinstance(message, dict) or "method" in message:
        return None
    error = message.get("error")
    given = message.get("id")
    ours = _same_id(given, request_id)
    if _is_error(error):
        if ours or given is None or status >= 400:
            raise rpc_error(error, method=method, status=status, unowned=not ours)
        raise UnusableReply("the server answered another request than ours")
    if "result" not in message or error is not None:
        return None
    if not ours:
        raise UnusableReply("the server answered another request than ours")
    odd = () if type(given) is int else ("the reply's id has another type than the request's",)
    return RpcReply(message["result"], notes=(*notes_of(message), *odd))


def rpc_error(error: dict[str, Any], *, method: str, status: int, unowned: bool) -> RpcError:
    """Return the typed error for a JSON-RPC `error` object.

    `unowned`: the reply did not carry our request's id, as older servers answer what they
    cannot read.
    """
    code = int(error["code"])
    said = error.get("message")
    message = ServerText(said if isinstance(said, str) else "")
    data = error.get("data")
    if code == -32022:
        return _unsupported(code, message, data, status)
    if unowned and status == 400 and code in (-32000, -32600):
        return UnsupportedVersion(code, message, data, status, (), words=SESSION_ERA)
    if code == -32602 and method.startswith("tasks/"):
        return NoSuchTask(code, message, data, status)
    # The draft number of HeaderMismatch is used for other things too, but not with a 400.
    if code == -32001 and status != 400:
        return RpcError(code, message, data, status)
    return _ERRORS.get(code, RpcError)(code, message, data, status)


_ERRORS: dict[int, type[RpcError]] = {
    -32021: MissingCapability,
    -32003: MissingCapability,
    -32020: HeaderMismatch,
    -32001: HeaderMismatch,
    -32601: MethodNotFound,
}


def _is_error(error: Any) -> TypeGuard[dict[str, Any]]:
    if not isinstance(error, dict):
        return False
    code = error.get("code")
    return type(code) is int or (isinstance(code, float) and code.is_integer())


def _same_id(given: Any, request_id: int) -> bool:
    if isinstance(given, str):
        return given == str(request_id)
    return not isinstance(given, bool) and bool(given == request_id)


def _unsupported(code: int, message: ServerText, data: Any, status: int) -> UnsupportedVersion:
    listed = data.get("supported") if isinstance(data, dict) else None
    supported = tuple(v for v in listed if isinstance(v, str)) if isinstance(listed, list) else ()
    words = None
    if supported:
        theirs = one_line(", ".join(supported), 120)
        words = f"this server speaks {theirs}; tasks need {PROTOCOL_VERSION}"
    return UnsupportedVersion(code, message, data, status, supported, words=words)


def _parse_mended(body: bytes, error: ValueError) -> Any:
    mended = _ESCAPE.sub(lambda m: b"\\ufffd" if m[1] else m[0], body)
    if mended == body:
        return _parse_bounded(body, error)
    try:
        value = from_json(mended, allow_inf_nan=False)
    except ValueError as second:
        return _parse_bounded(mended, second)
    return _parse_bounded(mended, None) if _overflowed(mended, value) else value


def _parse_bounded(body: bytes, error: ValueError | None) -> Any:
    within, notes = bounded(body)
    if notes:
        try:
            value = from_json(within, allow_inf_nan=False)
        except ValueError as last:
            error = last
        else:
            return Mended(value, notes) if isinstance(value, dict) else value
    raise UnusableReply(f"the reply is not usable JSON: {one_line(str(error), 80)}")


def _may_overflow(body: bytes) -> bool:
    """Tell whether a number may be out of range: most replies need no second look."""
    alike = body.translate(_ALIKE, b"+")
    return b"0e000" in alike or b"0" * 200 in alike


def _overflowed(body: bytes, value: Any) -> bool:
    """Tell whether a float overflowed (``1e999``): as JSON it could not be written again."""
    if not _may_overflow(body):
        return False
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, float) and math.isinf(item):
            return True
    return False

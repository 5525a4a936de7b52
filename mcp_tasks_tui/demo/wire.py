"""Request checks and replies of Streamable HTTP, 2026-07-28, as functions of values.

Source: basic/transports/streamable-http ("Request Metadata", "Server Validation"),
basic/versioning and basic/index ("Per-request protocol fields", "Error Codes").
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

VERSION: Final = "2026-07-28"
TASKS: Final = "io.modelcontextprotocol/tasks"
META: Final = "io.modelcontextprotocol/"
SERVER_INFO: Final = f"{META}serverInfo"
SUBSCRIPTION_ID: Final = f"{META}subscriptionId"

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

_BASE64_OPEN: Final = "=?base64?"
_BASE64_CLOSE: Final = "?="
_NAMED_BY: Final = {
    "tools/call": "name",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


class RpcFault(Exception):
    """A JSON-RPC error and the HTTP status it travels with."""

    def __init__(self, code: int, message: str, *, status: int = 400, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data

    def to_wire(self, request_id: Any) -> dict[str, Any]:
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": request_id, "error": error}


def header_mismatch(message: str) -> RpcFault:
    return RpcFault(HEADER_MISMATCH, f"Header mismatch: {message}")


def invalid_params(message: str) -> RpcFault:
    return RpcFault(INVALID_PARAMS, message)


def missing_capability(required: Mapping[str, Any]) -> RpcFault:
    return RpcFault(
        MISSING_CAPABILITY,
        "Missing required client capability",
        data={"requiredCapabilities": dict(required)},
    )


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one request declares its client can do."""

    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tasks(self) -> bool:
        extensions = self.raw.get("extensions")
        return isinstance(extensions, dict) and isinstance(extensions.get(TASKS), dict)

    def elicits(self, mode: str) -> bool:
        """Whether questions of this mode may be sent; an empty object stands for forms only."""
        declared = self.raw.get("elicitation")
        if not isinstance(declared, dict):
            return False
        return mode in declared or (mode == "form" and not declared)

    def declares(self, name: str) -> bool:
        return isinstance(self.raw.get(name), dict)

    def need_tasks(self) -> None:
        if not self.tasks:
            raise missing_capability({"extensions": {TASKS: {}}})


@dataclass(frozen=True, slots=True)
class Request:
    """A request that passed every check that needs no knowledge of tools or tasks."""

    id: str | int
    method: str
    params: Mapping[str, Any]
    capabilities: Capabilities


def local_host(host: str) -> bool:
    """Whether a Host header (with or without a port) names this machine."""
    name = host.rsplit(":", 1)[0] if host.rpartition(":")[2].isdigit() else host
    return name.lower() in _LOOPBACK


def local_origin(origin: str) -> bool:
    scheme, _, rest = origin.partition("://")
    return scheme in {"http", "https"} and local_host(rest)


def parse(body: bytes) -> dict[str, Any]:
    """One JSON-RPC message out of a request body."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise RpcFault(PARSE_ERROR, "The body is not valid JSON") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcFault(INVALID_REQUEST, "The body must be one JSON-RPC 2.0 request")
    if not isinstance(message.get("method"), str):
        raise RpcFault(INVALID_REQUEST, "A request needs a method")
    return message


def check(
    message: Mapping[str, Any], values: Callable[[str], Sequence[str]], methods: frozenset[str]
) -> Request:
    """Validate a parsed message against its headers, or raise what the server must answer."""
    request_id, method = message["id"], str(message["method"])
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        raise RpcFault(INVALID_REQUEST, "A request id is a string or an integer")
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise invalid_params("params must be an object")
    version = _single(values, "MCP-Protocol-Version", f"; this server speaks {VERSION}")
    capabilities = _check_meta(params, version)
    spoken = _single(values, "Mcp-Method")
    if spoken != method:
        raise header_mismatch(f"Mcp-Method is {spoken!r}, the body says {method!r}")
    if method not in methods:
        raise RpcFault(METHOD_NOT_FOUND, f"Method not found: {method}", status=404)
    _check_name(method, params, values)
    return Request(request_id, method, params, capabilities)


def _check_meta(params: Mapping[str, Any], header_version: str) -> Capabilities:
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        raise invalid_params("params._meta is missing")
    version = meta.get(f"{META}protocolVersion")
    if not isinstance(version, str):
        raise invalid_params(f"_meta lacks {META}protocolVersion")
    if version != header_version:
        raise header_mismatch(
            f"MCP-Protocol-Version is {header_version!r}, the body says {version!r}"
        )
    if version != VERSION:
        raise RpcFault(
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            data={"supported": [VERSION], "requested": version},
        )
    declared = meta.get(f"{META}clientCapabilities")
    if not isinstance(declared, dict):
        raise invalid_params(f"_meta lacks {META}clientCapabilities")
    return Capabilities(declared)


def _check_name(
    method: str, params: Mapping[str, Any], values: Callable[[str], Sequence[str]]
) -> None:
    source = _NAMED_BY.get(method)
    if source is None:
        return
    expected = params.get(source)
    if not isinstance(expected, str):
        raise invalid_params(f"params.{source} must be a string")
    actual = decode_header(_single(values, "Mcp-Name"))
    if actual != expected:
        raise header_mismatch(f"Mcp-Name is {actual!r}, params.{source} is {expected!r}")


def _single(values: Callable[[str], Sequence[str]], name: str, hint: str = "") -> str:
    found = values(name)
    if not found:
        raise header_mismatch(f"the {name} header is missing{hint}")
    if len(found) > 1:
        raise header_mismatch(f"the {name} header was sent {len(found)} times")
    return found[0].strip(" \t")


def decode_header(value: str) -> str:
    """The value that a Mcp-Name or Mcp-Param header carries, plain or in its base64 form."""
    if not value.isascii() or any(ord(char) < 0x20 and char != "\t" for char in value):
        raise header_mismatch("a header value holds characters that need the base64 form")
    if not (value.startswith(_BASE64_OPEN) and value.endswith(_BASE64_CLOSE)):
        return value
    encoded = value[len(_BASE64_OPEN) : -len(_BASE64_CLOSE)]
    try:
        return base64.b64decode(encoded, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise header_mismatch(f"{value!r} is not valid base64 of UTF-8 text") from None


def check_param_headers(
    schema: Mapping[str, Any],
    arguments: Mapping[str, Any],
    values: Callable[[str], Sequence[str]],
) -> None:
    """Hold every `x-mcp-header` parameter of a tool against its Mcp-Param header."""
    for name, path in mirrored_parameters(schema):
        header = f"Mcp-Param-{name}"
        argument = _at(arguments, path)
        if argument is None:
            if values(header):
                raise header_mismatch(f"{header} was sent without a value in the body")
            continue
        actual = decode_header(_single(values, header))
        if not _same(actual, argument):
            raise header_mismatch(f"{header} is {actual!r}, the argument is {argument!r}")


def mirrored_parameters(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Header name and property path of each annotated property, through `properties` only."""
    for key, property_schema in schema.get("properties", {}).items():
        here = (*path, key)
        if "x-mcp-header" in property_schema:
            yield property_schema["x-mcp-header"], here
        yield from mirrored_parameters(property_schema, here)


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(key)
    return arguments


def _same(header: str, argument: Any) -> bool:
    if isinstance(argument, bool):
        return header == str(argument).lower()
    if isinstance(argument, int | float):
        try:
            return float(header) == argument
        except ValueError:
            return False
    return bool(header == argument)


def result_reply(request_id: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": dict(result)}


def notification(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": dict(params)}


def encode(message: Mapping[str, Any]) -> bytes:
    """Compact JSON; lone surrogates and controls stay escaped, so any text can be sent."""
    return json.dumps(message, separators=(",", ":")).encode()


def sse_event(message: Mapping[str, Any]) -> bytes:
    return b"event: message\ndata: " + encode(message) + b"\n\n"

"""The HTTP headers that mirror a request, and the rules for tool parameters mirrored so.

Pure. Source: 2026-07-28, basic/transports/streamable-http "Request Metadata", and ext-tasks
"Streamable HTTP: Routing Headers".
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ANNOTATION = "x-mcp-header"
PARAM_PREFIX = "Mcp-Param-"

_SENTINEL_START, _SENTINEL_END = "=?base64?", "?="
_PLAIN = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_SENDABLE = re.compile(r"[\t\x20-\x7e]*")
_MAX_SAFE_INTEGER = 2**53 - 1
_PRIMITIVE_TYPES = frozenset({"string", "integer", "boolean"})
#: Keywords whose value is data, not a schema: an annotation look-alike in there means nothing.
_DATA_KEYWORDS = frozenset({"default", "const", "enum", "examples", "required", ANNOTATION})
#: Keywords whose value maps names to schemas; the names are free and may look like keywords.
_NAMED_SCHEMAS = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)
#: Set by the protocol or by HTTP itself; a configured header must not replace them.
_RESERVED = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "transfer-encoding",
    }
)


class HeaderError(ValueError):
    """Something cannot be sent as a header; the message says what, never the value itself."""


class AnnotationError(ValueError):
    """An input schema annotates parameters in a way that makes the tool unusable over HTTP."""


@dataclass(frozen=True, slots=True)
class ParamHeader:
    """One mirrored parameter: the header's full name and the property path in the arguments."""

    header: str
    path: tuple[str, ...]


def encode_value(text: str) -> str:
    """Return `text` as a header value: plain where that is safe, else ``=?base64?...?=``.

    Raises:
        HeaderError: the text holds half a surrogate pair, which UTF-8 cannot express.
    """
    looks_encoded = text.startswith(_SENTINEL_START) and text.endswith(_SENTINEL_END)
    if not text or (_PLAIN.fullmatch(text) and not looks_encoded):
        return text
    try:
        packed = base64.b64encode(text.encode()).decode("ascii")
    except UnicodeEncodeError:
        raise HeaderError("a name holds a broken Unicode character and cannot be sent") from None
    return f"{_SENTINEL_START}{packed}{_SENTINEL_END}"


def request_headers(version: str, method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of one POST, without credentials and mirrored parameters.

    Raises:
        HeaderError: the task id or tool name cannot be expressed.
    """
    headers = {
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "gzip",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": version,
        "Mcp-Method": method,
    }
    name = _routing_name(method, params)
    if name is not None:
        headers["Mcp-Name"] = encode_value(name)
    return headers


def check_extra(headers: Mapping[str, str]) -> None:
    """Refuse configured headers that HTTP cannot carry or that the protocol sets itself.

    Raises:
        HeaderError: names the header, never its value.
    """
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise HeaderError(f"{name!r} is no header name")
        if name.lower() in _RESERVED or name.lower().startswith(PARAM_PREFIX.lower()):
            raise HeaderError(f"header {name} is set by the protocol; take it out of the settings")
        if not _SENDABLE.fullmatch(value):
            raise HeaderError(
                f"header {name}: its value holds a line break or a character outside ASCII"
            )


def param_headers(input_schema: Any) -> tuple[ParamHeader, ...]:
    """Return the mirrored parameters of a tool's input schema.

    Raises:
        AnnotationError: any annotation breaks a constraint; the tool must be left out.
    """
    found: list[ParamHeader] = []
    seen: set[str] = set()
    for node, path in _annotated(input_schema, (), reachable=True):
        header = _checked_name(node, path)
        if header.lower() in seen:
            raise AnnotationError(f"{ANNOTATION} {header!r} is used twice")
        seen.add(header.lower())
        found.append(ParamHeader(PARAM_PREFIX + header, path))
    return tuple(found)


def mirrored(params: Sequence[ParamHeader], arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the ``Mcp-Param-*`` headers for these arguments; absent and null ones are left out.

    Raises:
        HeaderError: an integer outside the range that every peer can hold, or broken text.
    """
    headers: dict[str, str] = {}
    for param in params:
        text = _as_text(_value_at(arguments, param.path), param)
        if text is not None:
            headers[param.header] = encode_value(text)
    return headers


def _routing_name(method: str, params: Mapping[str, Any]) -> str | None:
    if method.startswith("tasks/"):
        return str(params["taskId"])
    return str(params["name"]) if method == "tools/call" else None


def _annotated(
    schema: Any, path: tuple[str, ...], *, reachable: bool
) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Yield each annotated property with its path; raise for one where none may be."""
    if isinstance(schema, list):
        for item in schema:
            yield from _annotated(item, path, reachable=False)
        return
    if not isinstance(schema, dict):
        return
    if ANNOTATION in schema:
        if not reachable or not path:
            raise AnnotationError(f"{ANNOTATION} where it must not be: only plain properties")
        yield schema, path
    for keyword, value in schema.items():
        if keyword in _DATA_KEYWORDS:
            continue
        if keyword in _NAMED_SCHEMAS and isinstance(value, dict):
            inner = reachable and keyword == "properties"
            for name, sub in value.items():
                yield from _annotated(sub, (*path, name), reachable=inner)
        else:
            yield from _annotated(value, path, reachable=False)


def _checked_name(node: Mapping[str, Any], path: tuple[str, ...]) -> str:
    name = node[ANNOTATION]
    where = ".".join(path)
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise AnnotationError(f"{ANNOTATION} of {where!r} is no header name")
    if "$ref" in node:
        raise AnnotationError(f"{ANNOTATION} of {where!r} stands beside a $ref")
    kinds = _types(node.get("type"))
    if not kinds or not kinds <= _PRIMITIVE_TYPES:
        raise AnnotationError(f"{ANNOTATION} of {where!r}: only string, integer or boolean may be")
    return name


def _types(declared: Any) -> set[str]:
    """Return the types that a property may have besides null; empty where that is not said."""
    listed = declared if isinstance(declared, list) else [declared]
    return {str(item) for item in listed} - {"null"}


def _value_at(arguments: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = arguments
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def _as_text(value: Any, param: ParamHeader) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        if abs(value) > _MAX_SAFE_INTEGER:
            raise HeaderError(f"argument {'.'.join(param.path)} is too large an integer to send")
        return str(value)
    return value if isinstance(value, str) else None

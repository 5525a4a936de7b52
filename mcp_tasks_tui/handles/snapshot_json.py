"""Snapshot <-> the JSON text that is stored of it.

Only what differs from an empty snapshot is written. Reading never fails: a missing field has its
default, a field of the wrong type is left out. Fields that this version does not know belong to
a newer one and are carried through a rewrite.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import ReadState, Snapshot
from mcp_tasks_tui.sanitize import ServerText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EMPTY = Snapshot()
_EMPTY_READ = ReadState()
_WRONG = object()


def _text(value: Any) -> Any:
    return value if isinstance(value, str) else _WRONG


def _server_text(value: Any) -> Any:
    return ServerText(value) if isinstance(value, str) else _WRONG


def _flag(value: Any) -> Any:
    return value if isinstance(value, bool) else _WRONG


def _integer(value: Any) -> Any:
    return value if isinstance(value, int) and not isinstance(value, bool) else _WRONG


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else _WRONG


def _object(value: Any) -> Any:
    return value if isinstance(value, dict) else _WRONG


def _lines(value: Any) -> Any:
    if not isinstance(value, list):
        return _WRONG
    return tuple(line for line in value if isinstance(line, str))


def _anything(value: Any) -> Any:
    return value


def _read_state(value: Any) -> Any:
    if not isinstance(value, dict):
        return _WRONG
    return ReadState(**_known(value, _READ_FIELDS))


_READ_FIELDS: dict[str, Callable[[Any], Any]] = {
    "at": _number,
    "ok": _flag,
    "error": _text,
    "error_kind": _text,
    "failures": _integer,
    "not_found": _integer,
}
_FIELDS: dict[str, Callable[[Any], Any]] = {
    "status": _text,
    "status_message": _server_text,
    "created_at": _text,
    "last_updated_at": _text,
    "ttl_ms": _integer,
    "ttl_known": _flag,
    "poll_interval_ms": _integer,
    "input_requests": _object,
    "error": _anything,
    "has_result": _flag,
    "tool_error": _flag,
    "observed_at": _number,
    "changed_at": _number,
    "clock_offset": _number,
    "last_message": _server_text,
    "last_message_at": _number,
    "message_changes": _integer,
    "usual_gap": _number,
    "honest_clock": _flag,
    "read": _read_state,
    "cancel_requested_at": _number,
    "answer_sent_at": _number,
    "gone_at": _number,
    "held": _flag,
    "notes": _lines,
}


def _known(body: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    found = {}
    for name, raw in body.items():
        reader = readers.get(name)
        if reader is not None and raw is not None:
            value = reader(raw)
            if value is not _WRONG:
                found[name] = value
    return found


def loads(text: str | None) -> Snapshot:
    """Return the stored snapshot; an empty one where there is none or it cannot be read."""
    body = parse_body(text)
    return Snapshot(**_known(body, _FIELDS)) if body else _EMPTY


def parse_body(text: str | None) -> dict[str, Any]:
    """Return the stored JSON object, {} where there is none or it cannot be read."""
    if not text or text == "{}":
        return {}
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def unknown_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a newer version has put into a stored snapshot."""
    unknown = {name: value for name, value in body.items() if name not in _FIELDS}
    read = body.get("read")
    if isinstance(read, dict):
        inner = {name: value for name, value in read.items() if name not in _READ_FIELDS}
        if inner:
            unknown["read"] = inner
    return unknown


def dumps(snapshot: Snapshot, unknown: Mapping[str, Any] | None = None) -> str:
    """Return the JSON text of a snapshot, with the `unknown` fields that were there before."""
    body = _differing(snapshot, _EMPTY)
    if snapshot.read != _EMPTY_READ:
        body["read"] = _differing(snapshot.read, _EMPTY_READ)
    if unknown:
        inner = {**unknown.get("read", {}), **body.get("read", {})}
        body = {**unknown, **body, **({"read": inner} if inner else {})}
    return json.dumps(body, separators=(",", ":"))


def _differing(value: Snapshot | ReadState, empty: Snapshot | ReadState) -> dict[str, Any]:
    body = {}
    for name in _names(type(value)):
        item = getattr(value, name)
        if name != "read" and item != getattr(empty, name):
            body[name] = item.raw if isinstance(item, ServerText) else item
    return body


_NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in (Snapshot, ReadState)}


def _names(kind: type[Snapshot | ReadState]) -> tuple[str, ...]:
    return _NAMES[kind]

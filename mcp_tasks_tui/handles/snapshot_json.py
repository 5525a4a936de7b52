"""Snapshot <-> the JSON text that is stored of it.

Only what differs from an empty snapshot is written. Reading fails only where there is no JSON
object at all: a missing field has its default, a field of the wrong type is left out. Fields that
this version does not know belong to a newer one and are carried through a rewrite.
"""

from __future__ import annotations

import json
from dataclasses import fields
from sys import intern
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.errors import WrongCell
from mcp_tasks_tui.handles.model import ReadState, Snapshot
from mcp_tasks_tui.sanitize import ServerText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EMPTY = Snapshot()
_EMPTY_READ = ReadState()
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_DECODE = json.JSONDecoder(parse_constant=str).raw_decode  # less around it than json.loads
_TEXT, _FLAG, _INTEGER, _NUMBER = (str,), (bool,), (int,), (int, float)
_BEYOND = 2**53
_READ_FIELDS: dict[str, tuple[type, ...]] = {
    "at": _NUMBER,
    "ok": _FLAG,
    "error": _TEXT,
    "error_kind": _TEXT,
    "failures": _INTEGER,
    "not_found": _INTEGER,
}
_FIELDS: dict[str, tuple[type, ...]] = {
    "status": _TEXT,
    "status_message": _TEXT,
    "created_at": _TEXT,
    "last_updated_at": _TEXT,
    "ttl_ms": _INTEGER,
    "ttl_known": _FLAG,
    "poll_interval_ms": _INTEGER,
    "input_requests": (dict,),
    "asked_at": _NUMBER,
    "error": (dict, list, str, int, float, bool),
    "has_result": _FLAG,
    "result_text": _TEXT,
    "result_lost": _FLAG,
    "tool_error": _FLAG,
    "observed_at": _NUMBER,
    "changed_at": _NUMBER,
    "watched_since": _NUMBER,
    "changed_unseen": _FLAG,
    "changed_claimed": _FLAG,
    "clock_offset": _NUMBER,
    "last_message": _TEXT,
    "last_message_at": _NUMBER,
    "message_changes": _INTEGER,
    "usual_gap": _NUMBER,
    "honest_clock": _FLAG,
    "read": (dict,),
    "cancel_requested_at": _NUMBER,
    "answer_sent_at": _NUMBER,
    "resumed_at": _NUMBER,
    "gone_at": _NUMBER,
    "held": _FLAG,
    "notes": (list,),
}
#: What is more than a plain JSON value inside the program.
_MAKE: dict[str, Callable[[Any], Any]] = {
    "status_message": ServerText,
    "last_message": ServerText,
    "result_text": ServerText,
    "read": lambda body: ReadState(**_known(body, _READ_FIELDS)),
    "notes": lambda lines: tuple(line for line in lines if isinstance(line, str)),
}


def _known(body: dict[str, Any], types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """The fields that this version knows and whose values are of the right type."""
    for name, value in body.items():
        if type(value) not in types.get(name, ()) or _is_beyond(value):
            break
    else:  # nearly always: it was written by this version
        return body
    return {
        name: value
        for name, value in body.items()
        if type(value) in types.get(name, ()) and not _is_beyond(value)
    }


def _is_beyond(value: Any) -> bool:
    """Tell whether a number is one that no time, count or length has."""
    return type(value) in _NUMBER and not -_BEYOND < value < _BEYOND


def loads(text: str | None) -> Snapshot:
    """Return the stored snapshot, an empty one where there is none. Raises WrongCell."""
    body = parse_body(text)
    if not body:
        return _EMPTY
    fields = _known(body, _FIELDS)
    same = fields.get("status_message") == fields.get("last_message")
    for name, make in _MAKE.items():
        if name in fields:
            fields[name] = make(fields[name])
    if "status" in fields:
        fields["status"] = intern(fields["status"])
    if same and "last_message" in fields:
        fields["last_message"] = fields["status_message"]  # usual, and then it is there once
    return Snapshot(**fields)


def parse_body(text: str | None) -> dict[str, Any]:
    """Return the stored JSON object, {} where there is none. Raises WrongCell."""
    if text is None or text == "{}":
        return {}
    try:
        body = _DECODE(text)[0]
    except (TypeError, ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise WrongCell("snapshots.body holds no JSON object")
    return body


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
    return _ENCODE(body)


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

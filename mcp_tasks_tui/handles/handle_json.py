"""Handle <-> its fields in JSON, as the receipts file, `export`, `import` and `show` name them."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.json_values import time_of
from mcp_tasks_tui.handles.model import HandleDraft

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set

    from mcp_tasks_tui.handles.model import Handle, Json

    #: Is told a field's name and what is wrong with it. Unless it raises, nothing was there.
    Refuse = Callable[[str, str], None]


def text_of(value: Json, name: str, refuse: Refuse) -> str | None:
    """Return a text, None for an empty one or none at all."""
    if isinstance(value, str):
        return value or None
    if value is not None:
        refuse(name, "is not a string")
    return None


def _tags_of(value: Json, name: str, refuse: Refuse) -> tuple[str, ...]:
    texts = [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []
    if value is not None and value != texts:
        refuse(name, "is not an array of strings")
    return tuple(filter(None, texts))


def _time_of(value: Json, _name: str, _refuse: Refuse) -> float | None:
    """Return epoch seconds of a number or an ISO 8601 text; None where it cannot be told."""
    if not isinstance(value, str):
        return time_of(value)
    try:
        moment = datetime.fromisoformat(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return time_of(aware.timestamp())


def _any(value: Json, _name: str, _refuse: Refuse) -> Json:
    return value


def _object_of(value: Json, _name: str, _refuse: Refuse) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


#: Name in JSON -> attribute of `Handle` and `HandleDraft`, and what reads it; as they are written.
FIELDS: dict[str, tuple[str, Callable[[Json, str, Refuse], Any]]] = {
    "serverUrl": ("server_url", text_of),
    "taskId": ("task_id", text_of),
    "tool": ("tool", text_of),
    "arguments": ("arguments", _any),
    "label": ("label", text_of),
    "note": ("note", text_of),
    "tags": ("tags", _tags_of),
    "savedBy": ("saved_by", text_of),
    "savedAt": ("saved_at", _time_of),
    "archivedAt": ("archived_at", _time_of),
    "extra": ("extra", _object_of),
}
_VALUES = attrgetter(*(attribute for attribute, _ in FIELDS.values()))


def to_json(handle: Handle | HandleDraft) -> dict[str, Json]:
    """Return every field; times are seconds since the epoch."""
    body = dict(zip(FIELDS, _VALUES(handle), strict=True))
    return body | {"tags": list(handle.tags), "extra": dict(handle.extra)}


def without_empty(body: Mapping[str, Json]) -> dict[str, Json]:
    """Return what says something. Empty arguments do: with them the tool was called."""
    return {
        name: value
        for name, value in body.items()
        if value is not None and (name == "arguments" or value not in ([], {}))
    }


def from_json(body: Mapping[str, Json], known: Set[str], refuse: Refuse) -> HandleDraft:
    """Return the handle in `body`; what is not `known` there is kept in its `extra`."""
    values = {
        attribute: read(body.get(name), name, refuse) for name, (attribute, read) in FIELDS.items()
    }
    others = {name: value for name, value in body.items() if name not in known}
    values["extra"] = {**others, **values["extra"]}
    return HandleDraft(**values)


def iso(at: float | None) -> str | None:
    """Return epoch seconds as ISO 8601 in UTC with milliseconds and ``Z``, None for None."""
    if at is None:
        return None
    try:
        moment = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

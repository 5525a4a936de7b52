"""Values <-> columns."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event, Handle, JournalEntry
from mcp_tasks_tui.sanitize import ServerText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The columns that :func:`kept_from` reads, in its order.
KEPT_COLUMNS = (
    "key, server_url, task_id, saved_at, tool, arguments, label, note, tags, saved_by, "
    "archived_at, extra, edited_at"
)
Row = tuple[Any, ...]
#: Longer arguments are seldom those of another task.
_SHARED_LENGTH = 500
_NO_EXTRA: dict[str, Any] = {}
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_DECODE = json.JSONDecoder().raw_decode  # less around it than json.loads: opening is a feature


def to_ascii(text: str) -> str:
    """Return `text` in a form that every database takes: no NUL, no lone surrogate.

    Usual ids, names and URLs stay as they are; anything else is escaped as inside a JSON string.
    Different texts have different forms, so that they can be compared and be unique.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return json.dumps(text)[1:-1]


def from_ascii(text: str) -> str:
    """Undo :func:`to_ascii`."""
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def optional_ascii(text: str | None) -> str | None:
    return None if text is None else to_ascii(text)


def to_json(value: Any) -> str | None:
    """Return the JSON text of a value, None (a NULL) for None."""
    return None if value is None else _ENCODE(value)


def from_json(text: str | None) -> Any:
    """Return the value of a JSON column, None where it is empty or damaged."""
    if not text:
        return None
    try:
        return _DECODE(text)[0]
    except (ValueError, RecursionError):
        return None


def kept_from(row: Sequence[Any]) -> Kept:
    """Return the handle of a row of `KEPT_COLUMNS`, with what was noted of it."""
    return Kept(handle_from(row), edited_at=row[12])


def handle_from(row: Sequence[Any]) -> Handle:
    """Return the handle of a row that begins with `KEPT_COLUMNS`."""
    return Handle(
        key=row[0],
        server_url=_shared_text(row[1]),
        task_id=from_ascii(row[2]),
        saved_at=row[3],
        tool=None if row[4] is None else _shared_text(row[4]),
        arguments=_arguments(row[5]),
        label=_text(row[6]),
        note=_text(row[7]),
        tags=_tags(row[8]),
        saved_by=None if row[9] is None else _shared_text(row[9]),
        archived_at=row[10],
        extra=from_json(row[11]) or _NO_EXTRA,
    )


def kept_values(kept: Kept) -> Row:
    """Return the values of `KEPT_COLUMNS` for a handle."""
    handle = kept.handle
    return (
        handle.key,
        to_ascii(handle.server_url),
        to_ascii(handle.task_id),
        handle.saved_at,
        optional_ascii(handle.tool),
        to_json(handle.arguments),
        optional_ascii(handle.label),
        optional_ascii(handle.note),
        to_json(list(handle.tags) or None),
        optional_ascii(handle.saved_by),
        handle.archived_at,
        to_json(handle.extra or None),
        kept.edited_at,
    )


def entry_values(entry: JournalEntry) -> Row:
    """Return (at, event, text, data) for a line of the journal."""
    text = None if entry.text is None else to_ascii(entry.text.raw)
    return entry.at, entry.event.value, text, to_json(dict(entry.data) or None)


def entry_from(row: Sequence[Any]) -> JournalEntry | None:
    """Return a line of the journal; None where a newer version tells something unknown here."""
    try:
        event = Event(row[1])
    except ValueError:
        return None
    text = None if row[2] is None else ServerText(from_ascii(row[2]))
    data: Mapping[str, Any] = from_json(row[3]) or {}
    return JournalEntry(row[0], event, text, data)


def answer_from(row: Sequence[Any]) -> AnswerRecord:
    """Return an answer; a state that a newer version has is told as "may have been sent"."""
    try:
        state = AnswerState(row[2])
    except ValueError:
        state = AnswerState.INTENDED
    return AnswerRecord(from_ascii(row[0]), row[1], state, row[3], row[4])


# Thousands of tasks have few servers, tools and tags between them, and often the same arguments:
# each is there once. Nobody changes the values of a handle.


@lru_cache(maxsize=1024)
def _shared_text(text: str) -> str:
    return from_ascii(text)


def _arguments(text: str | None) -> Any:
    short = text is not None and len(text) <= _SHARED_LENGTH
    return _shared_json(text) if short else from_json(text)


@lru_cache(maxsize=1024)
def _shared_json(text: str | None) -> Any:
    return from_json(text)


@lru_cache(maxsize=1024)
def _tags(text: str | None) -> tuple[str, ...]:
    tags = from_json(text)
    return tuple(map(str, tags)) if isinstance(tags, list) else ()


def _text(value: str | None) -> str | None:
    return None if value is None else from_ascii(value)

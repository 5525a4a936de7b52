"""Values <-> columns. What reads a row raises `WrongCell` where a value cannot be there."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import json_values
from mcp_tasks_tui.handles.errors import WrongCell
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    Handle,
    Intent,
    JournalEntry,
)
from mcp_tasks_tui.handles.receipts import normal
from mcp_tasks_tui.handles.shapes import Shape
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.urls import UrlError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The tables, with their columns in the order of the file.
HANDLE = Shape(
    "handles",
    "id:id key:text server_url:text task_id:text saved_at:time tool:text? arguments:text? "
    "label:text? note:text? tags:text? saved_by:text? archived_at:time? edited_at:time? "
    "extra:text?",
)
SNAPSHOT = Shape("snapshots", "handle:id version:count body:text")
RESULT = Shape("results", "handle:id stored_at:time body:text")
LINE = Shape("journal", "handle:id seq:count at:time event:text text:text? data:text?")
CLAIMED = Shape(
    "answers",
    "handle:id request_key:text request_hash:text state:text action:text at:time claimed_by:text",
)
INTENT = Shape(
    "intents", "id:id server_url:text tool:text arguments:text? label:text? at:time process:text"
)
# Parts of them.
KEPT = HANDLE[1:]
#: With the columns of the snapshot behind: of a task that nothing was seen of, 0 and NULL.
SAVED = Shape("handles", f"{KEPT.text} version:count body:text?")
ENTRY = LINE[2:]
ANSWER = CLAIMED[1:6]
Row = tuple[Any, ...]
#: Longer arguments are seldom those of another task.
_SHARED_LENGTH = 500
_NO_EXTRA: dict[str, Any] = {}
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode
_DECODE = json_values.DECODER.raw_decode  # less around it than json.loads: opening is a feature


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
    """Return the value of a JSON column, None where there is none."""
    if text is None:
        return None
    try:
        return _DECODE(text)[0]
    except (TypeError, ValueError, RecursionError):
        raise WrongCell("what should be JSON is none") from None


def object_from_json(text: str | None) -> dict[str, Any] | None:
    """Return the object of a JSON column, None where there is none."""
    value = from_json(text)
    if value is None or isinstance(value, dict):
        return value
    raise WrongCell("what should be a JSON object is none")


def kept_from(row: Sequence[Any]) -> Kept:
    """Return the handle of a row of `KEPT`, with what was noted of it."""
    KEPT.check(row)
    return Kept(handle_from(row), edited_at=row[11])


def kept_as_far_as_sound(row: Sequence[Any]) -> Kept:
    """Return the handle of a row whose identity is sound, without what else is wrong in it."""
    sound = list(KEPT.mended(row))
    for place, read in _READ:
        try:
            read(sound[place])
        except WrongCell:
            sound[place] = None
    return kept_from(sound)


def check_identity(server_url: str, task_id: str) -> None:
    """Raise WrongCell unless these two columns can be a task's."""
    _server(server_url)
    if not task_id:
        raise WrongCell("handles.task_id is empty")


def handle_from(row: Sequence[Any]) -> Handle:
    """Return the handle of a checked row that begins with `KEPT`."""
    if not row[2]:
        raise WrongCell("handles.task_id is empty")
    return Handle(
        key=row[0],
        server_url=_server(row[1]),
        task_id=from_ascii(row[2]),
        saved_at=row[3],
        tool=None if row[4] is None else _shared_text(row[4]),
        arguments=_arguments(row[5]),
        label=_text(row[6]),
        note=_text(row[7]),
        tags=_tags(row[8]),
        saved_by=None if row[9] is None else _shared_text(row[9]),
        archived_at=row[10],
        extra=object_from_json(row[12]) or _NO_EXTRA,
    )


def kept_values(kept: Kept) -> Row:
    """Return the values of `KEPT` for a handle."""
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
        kept.edited_at,
        to_json(handle.extra or None),
    )


def entry_values(entry: JournalEntry) -> Row:
    """Return (at, event, text, data) for a line of the journal."""
    text = None if entry.text is None else to_ascii(entry.text.raw)
    return entry.at, entry.event.value, text, to_json(dict(entry.data) or None)


def entry_from(row: Sequence[Any]) -> JournalEntry | None:
    """Return a line of the journal; None where a newer version tells something unknown here."""
    ENTRY.check(row)
    try:
        event = Event(row[1])
    except ValueError:
        return None
    text = None if row[2] is None else ServerText(from_ascii(row[2]))
    data: Mapping[str, Any] = object_from_json(row[3]) or {}
    return JournalEntry(row[0], event, text, data)


def answer_from(row: Sequence[Any]) -> AnswerRecord:
    """Return an answer; a state that a newer version has is told as "may have been sent"."""
    ANSWER.check(row)
    try:
        state = AnswerState(row[2])
    except ValueError:
        state = AnswerState.INTENDED
    return AnswerRecord(from_ascii(row[0]), row[1], state, row[3], row[4])


def intent_from(row: Sequence[Any]) -> Intent:
    """Return a call of a row of `INTENT`."""
    INTENT.check(row)
    return Intent(
        intent_id=row[0],
        server_url=_server(row[1]),
        tool=from_ascii(row[2]),
        arguments=from_json(row[3]),
        label=_text(row[4]),
        at=row[5],
    )


def check_snapshot(row: Sequence[Any]) -> None:
    """Raise WrongCell unless a whole row of `snapshots` is one."""
    SNAPSHOT.check(row)
    object_from_json(row[2])


def check_result(row: Sequence[Any]) -> None:
    """Raise WrongCell unless a whole row of `results` is one."""
    RESULT.check(row)
    from_json(row[2])


def check_entry(row: Sequence[Any]) -> None:
    """Raise WrongCell unless a whole row of `journal` is one."""
    LINE.check(row)
    entry_from(row[2:])


#: What tells whether a whole row of a table is one: it raises WrongCell.
CHECKS: dict[Shape, Callable[[Sequence[Any]], object]] = {
    SNAPSHOT: check_snapshot,
    RESULT: check_result,
    LINE: check_entry,
    CLAIMED: CLAIMED.check,
    INTENT: intent_from,
}


# Thousands of tasks have few servers, tools and tags between them, and often the same arguments:
# each is there once. Nobody changes the values of a handle.


@lru_cache(maxsize=1024)
def _shared_text(text: str) -> str:
    return from_ascii(text)


@lru_cache(maxsize=1024)
def _server(text: str) -> str:
    url = from_ascii(text)
    with suppress(UrlError):
        if normal(url) == url:
            return url
    raise WrongCell("what should be the URL of a server is none")


def _arguments(text: str | None) -> Any:
    short = text is not None and len(text) <= _SHARED_LENGTH
    return _shared_json(text) if short else from_json(text)


@lru_cache(maxsize=1024)
def _shared_json(text: str | None) -> Any:
    return from_json(text)


@lru_cache(maxsize=1024)
def _tags(text: str | None) -> tuple[str, ...]:
    tags = from_json(text)
    if tags is None:
        return ()
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        return tuple(tags)
    raise WrongCell("what should be tags is none")


#: Columns of `KEPT` that are more than any text.
_READ = ((5, from_json), (8, _tags), (12, object_from_json))


def _text(value: str | None) -> str | None:
    return None if value is None else from_ascii(value)

"""One task as text for people, for `show`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.cli.results import result_text
from mcp_tasks_tui.sanitize import clean, one_line
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.history import told

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.view import TaskView

#: Questions and notes that are shown; of a result, lines and characters.
_ENOUGH = 20
_RESULT_LINES = 200
_RESULT_CHARACTERS = 20_000


def describe(view: TaskView, result: Any) -> Iterator[str]:
    """Yield clean lines: what the task is, where it stands, what it asks, how it ended."""
    now = time.time()
    for name, value in (*_what(view), *_where(view, now)):
        if value:
            yield f"{name:<10} {one_line(value, 2000)}"
    yield from _asks(view)
    for note in view.snapshot.notes[:_ENOUGH]:
        yield f"{'note':<10} {one_line(note)}"
    yield from _more(len(view.snapshot.notes), f"mcp-tasks-tui show {view.key} --json")
    if view.snapshot.error is not None:
        yield f"{'error':<10} {one_line(json.dumps(view.snapshot.error), 2000)}"
    if view.snapshot.has_result:
        yield ""
        yield from _beginning(result_text(result), view.key)


def _asks(view: TaskView) -> Iterator[str]:
    for key in view.open_requests[:_ENOUGH]:
        yield f"{'asks':<10} {one_line(question_text(view.snapshot.input_requests.get(key)))}"
    yield from _more(len(view.open_requests), f"mcp-tasks-tui update {view.key} --form")
    if view.open_requests:
        yield f"{'':<10} see it whole: mcp-tasks-tui update {view.key} --form"


def _more(number: int, command: str) -> Iterator[str]:
    if number > _ENOUGH:
        yield f"{'':<10} and {number - _ENOUGH:,} more: {command}"


def _beginning(text: str, key: str) -> Iterator[str]:
    """Yield the lines of a result, or as many of them as can be taken in."""
    head = text[:_RESULT_CHARACTERS].split("\n", _RESULT_LINES)
    shown = "\n".join(head[:_RESULT_LINES])
    yield clean(shown)
    if len(shown) < len(text):
        yield ""
        yield f"{words.size(len(text) - len(shown))} more: mcp-tasks-tui result {key}"


def describe_journal(entries: Sequence[JournalEntry]) -> Iterator[str]:
    if entries:
        yield ""
    for entry in entries:
        yield f"{words.local_time(entry.at)}  {told(entry)}"


def _what(view: TaskView) -> Iterator[tuple[str, str]]:
    handle = view.handle
    yield "key", view.key
    yield "label", handle.label or ""
    yield "tool", handle.tool or ""
    if handle.arguments:
        yield "arguments", json.dumps(handle.arguments, ensure_ascii=False)
    yield (
        "server",
        handle.server_url
        if view.server == handle.server_url
        else (f"{view.server} ({handle.server_url})"),
    )
    yield "task id", handle.task_id
    yield "note", handle.note or ""
    yield "tags", ", ".join(handle.tags)
    by = f" by {handle.saved_by}" if handle.saved_by else ""
    yield "saved", f"{words.local_time(handle.saved_at)}{by}"
    if handle.archived_at is not None:
        yield "archived", words.local_time(handle.archived_at)


def _where(view: TaskView, now: float) -> Iterator[tuple[str, str]]:
    snapshot = view.snapshot
    never = f": {words.NEVER_KNOWN}" if words.is_never_known(view) else ""
    yield "state", f"{words.state_label(view)}{never}"
    yield "asked", words.requested_label(snapshot, now)
    yield "seen", words.freshness(view, now)
    yield "failed", "" if snapshot.read.ok else (snapshot.read.error or "")
    if view.progress:
        yield "progress", f"{words.percent(view.progress.fraction)} (read from the message)"
    old = " (from before this state)" if view.message_is_old else ""
    yield "message", f"{view.message}{old}" if view.message else ""
    for reason in view.attention:
        yield "attention", reason.text


def question_text(request: object) -> str:
    """Return what an input request says that it wants to know."""
    params = request.get("params") if isinstance(request, dict) else None
    message = params.get("message") if isinstance(params, dict) else None
    return message if isinstance(message, str) and message else "something (see --json)"

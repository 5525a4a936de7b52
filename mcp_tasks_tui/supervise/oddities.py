"""What contradicts what was known, as notes of the task: one clean line each. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.protocol.errors import NO_INPUT_REQUEST, NO_RESULT, RESULT_NOT_READ
from mcp_tasks_tui.supervise.journalling import FINISHED, FINISHED_FIRST
from mcp_tasks_tui.supervise.words import parse_time

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.protocol.messages import Task

IDENTITY_CHANGED = (
    "identity changed: the server gave another createdAt than before; "
    "this may be a different task under the same id"
)
KEY_REUSED = "the server reused the key of an input request for another question"
_MAX_NOTES = 12


def oddities(known: Snapshot, task: Task, requests: dict[str, Any]) -> tuple[str, ...]:
    """Return what is odd about a reply; `requests` are the questions that are open by it."""
    found = []
    if not _same_instant(known.created_at, task.created_at):
        found.append(IDENTITY_CHANGED)
    if task.status in FINISHED and known.cancel_requested_at is not None:
        found.append(FINISHED_FIRST)
    if any(key in requests and requests[key] != was for key, was in known.input_requests.items()):
        found.append(KEY_REUSED)
    return tuple(found)


def _same_instant(known: str | None, said: str | None) -> bool:
    """Spellings of one instant are equal; what is no time at all proves nothing."""
    if known is None or said is None or known == said:
        return True
    before, after = parse_time(known), parse_time(said)
    return before is None or after is None or before == after


def still_odd(known: tuple[str, ...], *, asks: bool, has_result: bool) -> tuple[str, ...]:
    """Return `known` without what a reply has made good: the questions, or the result, of which it
    was noted that they were missing."""
    return tuple(
        note
        for note in known
        if not (asks and note == NO_INPUT_REQUEST)
        and not (has_result and (note == NO_RESULT or note.endswith(RESULT_NOT_READ)))
    )


def with_notes(known: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return `known` with what is new; of very many the first ones stay."""
    fresh = [note for note in dict.fromkeys(new) if note not in known]
    return (*known, *fresh)[:_MAX_NOTES] if fresh else known

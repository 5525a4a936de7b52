"""How one more saving of a handle, and a person's edits, change what is kept of it. Pure.

Savings may come in any order, from several programs, any number of times: for each field the
richer value stays, by a rule that needs no clock and no order. What a person has edited is
not touched by later savings.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import Handle, HandleDraft
from mcp_tasks_tui.handles.receipts import ARCHIVED, EDITED, RESTORED
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.receipts import Receipt


@record
class Kept:
    """A handle as it is on disk: with the mark that a person has edited its texts."""

    handle: Handle
    edited_at: float | None = None


def canonical(value: Any) -> str:
    """Return the JSON text of a value, the same for equal values whatever their order."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def merge(kept: Kept, draft: HandleDraft, at: float) -> Kept:
    """Return what is kept after `draft` was saved (at `at`) onto `kept`."""
    old = kept.handle
    merged = replace(
        old,
        saved_at=min(old.saved_at, at),
        tool=_richer(old.tool, draft.tool),
        arguments=_richer(old.arguments, draft.arguments),
        saved_by=_richer(old.saved_by, draft.saved_by),
        extra=_merge_extra(old.extra, draft.extra),
    )
    if kept.edited_at is None:
        merged = replace(
            merged,
            label=_richer(old.label, draft.label),
            note=_richer(old.note, draft.note),
            tags=tuple(sorted({*old.tags, *draft.tags})),
        )
    return replace(kept, handle=merged)


def _richer(old: Any, new: Any) -> Any:
    """The value that says more: anything over nothing, then the longer, then the later one."""
    if new is None or new == old:
        return old
    return new if old is None else max(old, new, key=_richness)


def _richness(value: Any) -> tuple[int, str]:
    text = canonical(value)
    return len(text), text


def _merge_extra(old: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    if not new:
        return old
    return {**old, **{name: _richer(old.get(name), value) for name, value in new.items()}}


def created(key: str, receipt: Receipt) -> Kept:
    """Return the handle that the first receipt of a task makes."""
    draft = receipt.draft
    return Kept(
        Handle(
            key=key,
            server_url=draft.server_url,
            task_id=draft.task_id,
            saved_at=receipt.at,
            tool=draft.tool,
            arguments=draft.arguments,
            label=draft.label,
            note=draft.note,
            tags=tuple(sorted({*draft.tags})),
            saved_by=draft.saved_by,
            archived_at=draft.archived_at,
            extra=draft.extra,
        )
    )


def applied(kept: Kept, receipt: Receipt) -> Kept:
    """Return what is kept after a receipt, whatever it tells of."""
    handle = kept.handle
    if receipt.event == EDITED:
        draft = receipt.draft
        tags = tuple(dict.fromkeys(draft.tags))
        edited = replace(handle, label=draft.label, note=draft.note, tags=tags)
        return Kept(edited, edited_at=receipt.at)
    if receipt.event == ARCHIVED:
        return replace(kept, handle=replace(handle, archived_at=receipt.at))
    if receipt.event == RESTORED:
        return replace(kept, handle=replace(handle, archived_at=None))
    return merge(kept, receipt.draft, receipt.at)


def draft_of(handle: Handle) -> HandleDraft:
    """Return the draft that saves a handle again, with all that is known of it."""
    return HandleDraft(
        server_url=handle.server_url,
        task_id=handle.task_id,
        tool=handle.tool,
        arguments=handle.arguments,
        label=handle.label,
        note=handle.note,
        tags=handle.tags,
        saved_by=handle.saved_by,
        extra=handle.extra,
    )

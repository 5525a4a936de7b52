"""What somebody wants kept, brought into the form in which it is. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.json_values import is_too_deep, time_of
from mcp_tasks_tui.handles.model import Texts
from mcp_tasks_tui.handles.receipts import normal

if TYPE_CHECKING:
    from mcp_tasks_tui.handles.model import HandleDraft


def checked(draft: HandleDraft) -> HandleDraft:
    """Return the draft as it can be kept.

    Raises:
        ValueError: no task id, or a server URL that cannot be one (`UrlError`).
    """
    if not draft.task_id:
        raise ValueError("a handle needs a task id")
    return replace(
        draft,
        server_url=normal(draft.server_url),
        tool=draft.tool or None,
        label=draft.label or None,
        note=draft.note or None,
        tags=tuple(tag for tag in draft.tags if tag),
        saved_by=draft.saved_by or None,
        # Beyond what can be read back, it would cost the handle itself.
        arguments=None if is_too_deep(draft.arguments) else draft.arguments,
        extra={name: one for name, one in draft.extra.items() if not is_too_deep(one)},
        saved_at=time_of(draft.saved_at),
        archived_at=time_of(draft.archived_at),
    )


def clean(texts: Texts) -> Texts:
    """Return texts without what is empty or said twice."""
    tags = tuple(dict.fromkeys(tag for tag in texts.tags if tag))
    return Texts(texts.label or None, texts.note or None, tags)

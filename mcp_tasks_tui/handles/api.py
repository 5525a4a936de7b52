"""Save a task handle from another program, in two lines::

    from mcp_tasks_tui.handles.api import save_handle

    key = save_handle("https://build.example/mcp", result["taskId"], tool="build")

The handle is on disk when the call returns; `mcp-tasks-tui` shows it within a second.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.places import find_paths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike


def save_handle(
    server_url: str,
    task_id: str,
    *,
    tool: str | None = None,
    arguments: Any = None,
    label: str | None = None,
    note: str | None = None,
    tags: Sequence[str] = (),
    saved_by: str | None = None,
    home: str | PathLike[str] | None = None,
) -> str:
    """Keep the handle of a task and return its short key. Safe to call again, from anywhere.

    Blocks for a few milliseconds; in an event loop call it as
    ``await asyncio.to_thread(save_handle, ...)``. `home` is the data folder, by default the one
    that the program itself uses.

    Raises:
        ValueError: `server_url` is no http(s) URL, or `task_id` is empty.
        mcp_tasks_tui.handles.errors.StoreError: it could not be written; `unsaved` has it whole.
    """
    draft = HandleDraft(
        server_url=server_url,
        task_id=task_id,
        tool=tool,
        arguments=arguments,
        label=label,
        note=note,
        tags=tuple(tags),
        saved_by=saved_by,
    )
    with HandleStore.open(Path(home) if home is not None else find_paths().data) as store:
        return store.save(draft).handle.key

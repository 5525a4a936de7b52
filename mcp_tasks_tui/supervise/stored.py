"""Journals and results: what the disk has of them, with what is still on its way there."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.records import altered
from mcp_tasks_tui.supervise.journalling import in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.ports import Store
    from mcp_tasks_tui.supervise.roster import Watched
    from mcp_tasks_tui.supervise.writing import Writer


class Stored:
    """`changed` is told of a task whose result turns out to be lost.

    Every method raises StoreError where the disk cannot be read.
    """

    def __init__(self, store: Store, writer: Writer, *, changed: Callable[[Watched], None]) -> None:
        self._store = store
        self._writer = writer
        self._changed = changed

    async def journal(self, task: Watched) -> list[JournalEntry]:
        """Return a task's history, oldest first."""
        await self._settle(task)
        pending = task.pending
        lines = await self._store.journal(task.key)
        if pending is not None and task.pending is not pending:
            # It left for the disk while that was read: it may be in neither.
            await self._writer.flush()
            lines = await self._store.journal(task.key)
        pending = task.pending
        return in_order(lines if pending is None else [*lines, *pending.lines()])

    async def result(self, task: Watched) -> Any:
        """Return the result of a task, raw; None where there is none, or none any more."""
        await self._settle(task)
        if task.pending is not None and task.pending.has_result:
            return task.pending.result
        claimed, version = task.snapshot.has_result, task.version
        result = await self._store.result(task.key)
        if result is None and claimed and task.version == version and not _is_coming(task):
            # No result is null: the disk does not have it. The next read may bring it again.
            task.snapshot = altered(task.snapshot, has_result=False, result_lost=True)
            self._changed(task)
        return result

    async def check_result(self, task: Watched) -> None:
        """Before a task that has ended is read again: notice where the disk lost its result."""
        if task.snapshot.has_result:
            with suppress(StoreError):
                await self.result(task)

    async def _settle(self, task: Watched) -> None:
        """What is on its way to the disk right now is neither there nor pending: wait for it."""
        if task.pending is None:
            await self._writer.flush()


def _is_coming(task: Watched) -> bool:
    return task.pending is not None and task.pending.has_result

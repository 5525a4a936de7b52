"""What a person does to a saved task without asking its server: archive, restore, edit, hold."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.supervise.pause import end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched


class Keeping:
    """Nothing is ever deleted: archiving hides, and a question brings a task back."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        handle_changed: Callable[[Watched], None],
        wished: Callable[[Watched], None],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._handle_changed = handle_changed
        self._wished = wished
        self._notice = notice
        self._bringing_back: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        await end(self._bringing_back)

    async def archive(self, task: Watched) -> None:
        task.handle = await self._store.archive(task.key, self._clock.now())
        self._handle_changed(task)

    async def restore(self, task: Watched) -> None:
        task.handle = await self._store.archive(task.key, None)
        self._handle_changed(task)

    async def edit(
        self, task: Watched, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None:
        task.handle = await self._store.edit(task.key, label=label, note=note, tags=tags)
        self._handle_changed(task)

    def hold(self, task: Watched, held: bool) -> None:
        if task.snapshot.held != held:
            event = Event.HELD if held else Event.RESUMED
            task.wish(JournalEntry(self._clock.now(), event), held=held)
            self._wished(task)

    def bring_back(self, task: Watched) -> None:
        """Restore an archived task by itself, because it asks something new."""
        job = asyncio.create_task(self._bring_back(task))
        self._bringing_back.add(job)
        job.add_done_callback(self._bringing_back.discard)

    async def _bring_back(self, task: Watched) -> None:
        try:
            await self.restore(task)
        except StoreError as error:
            self._notice(str(error))

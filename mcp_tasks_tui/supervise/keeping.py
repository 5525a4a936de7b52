"""What a person does to a saved task without asking its server: archive, restore, edit, hold."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.supervise.pause import end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched

#: Seconds between two attempts to bring a task back.
RETRY_EVERY = 5.0


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
        self._bringing_back: dict[Watched, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Bring back what is to be, once more; a failure is left to the notices."""
        waiting = dict(self._bringing_back)
        await end(waiting.values())
        for task in waiting:
            if task.asks_unseen():
                with suppress(StoreError):
                    await self.restore(task)

    async def archive(self, task: Watched) -> None:
        """Put the task away with what it asks now; what it asks from now on brings it back."""
        asked = task.snapshot.input_requests
        handle = await self._store.archive(task.key, self._clock.now())
        task.take_handle(handle, asked=asked)
        self._handle_changed(task)

    async def restore(self, task: Watched) -> None:
        asked = task.snapshot.input_requests
        task.take_handle(await self._store.archive(task.key, None), asked=asked)
        self._handle_changed(task)

    async def edit(
        self, task: Watched, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None:
        asked = task.snapshot.input_requests
        handle = await self._store.edit(task.key, label=label, note=note, tags=tags)
        task.take_handle(handle, asked=asked)
        self._handle_changed(task)

    def hold(self, task: Watched, held: bool) -> None:
        if task.snapshot.held != held:
            event = Event.HELD if held else Event.RESUMED
            task.wish(JournalEntry(self._clock.now(), event), held=held)
            self._wished(task)

    def look(self, task: Watched) -> None:
        """Restore an archived task by itself where it asks what nobody has seen."""
        then, now = task.asked_when_archived, task.snapshot.input_requests
        if then.keys() - now.keys():  # what is asked once more later is asked anew
            task.asked_when_archived = {key: then[key] for key in then if key in now}
        if task in self._bringing_back or not task.asks_unseen():
            return
        job = asyncio.create_task(self._bring_back(task), name="bring back")
        self._bringing_back[task] = job
        job.add_done_callback(lambda _: self._bringing_back.pop(task))

    async def _bring_back(self, task: Watched) -> None:
        told = False
        while task.asks_unseen():
            try:
                await self.restore(task)
            except StoreError as error:
                if not told:
                    self._notice(f"{error} (an archived task asks something; it is shown later)")
                told = True
                await self._clock.sleep(RETRY_EVERY)

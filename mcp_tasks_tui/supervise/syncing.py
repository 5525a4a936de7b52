"""Noticing what other processes save."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.supervise.writing import rebase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_tasks_tui.handles.model import Saved
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Roster, Watched

LOOK_EVERY = 0.8
#: Seconds until the next look, for each task that was loaded anew: so that reloading takes a few
#: percent of the time, however busy other processes are. Not measured: on a busy machine a short
#: load takes long, and what others save would be seen late.
_REST_PER_TASK = 0.0006


class StoreWatch:
    """Looks whether others wrote, and takes in what they did."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        roster: Roster,
        adopt: Callable[[Saved], Watched],
        merged: Callable[[Watched], None],
        reloaded: Callable[[], Awaitable[None]],
    ) -> None:
        self._store = store
        self._clock = clock
        self._roster = roster
        self._adopt = adopt
        self._merged = merged
        self._reloaded = reloaded
        self._seen: int | None = None

    async def run(self) -> None:
        while True:
            loaded = 0
            # The writer tells of a store that fails; here it is simply looked at again.
            with suppress(StoreError):
                loaded = await self._look()
            await self._clock.sleep(max(LOOK_EVERY, _REST_PER_TASK * loaded))

    async def _look(self) -> int:
        """Take in what changed; return how many tasks were loaded for it."""
        version = await self._store.data_version()
        if version == self._seen:
            return 0
        self._seen = version
        loaded = await self._store.changed_by_others()
        if loaded is None:
            loaded = await self._store.load()
        for saved in loaded:
            self._take_in(saved)
        await self._reloaded()
        return len(loaded)

    def _take_in(self, saved: Saved) -> None:
        task = self._roster.get(saved.handle.key)
        if task is None:
            self._adopt(saved)
            return
        changed = saved.handle != task.handle
        task.set_handle_from_disk(saved)
        if saved.version > task.version and task.pending is None:
            rebase(task, saved, None)
            changed = True
        elif not task.answering and dict(saved.answers) != task.answers:
            task.answers = dict(saved.answers)
            changed = True
        if changed:
            self._merged(task)

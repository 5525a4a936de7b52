"""What must last, on its way to the disk: batched, retried, merged with other processes' saves.

A write that loses against another process is not repeated as it was: the fresher state is read
and what was seen is applied to it again.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreClosed, StoreError
from mcp_tasks_tui.handles.model import SnapshotWrite
from mcp_tasks_tui.records import altered
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.pause import Pause, end, keep_running
from mcp_tasks_tui.supervise.reducer import apply
from mcp_tasks_tui.supervise.watching import joined_watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_tasks_tui.handles.model import Saved
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Pending, Seen, Watched

#: Batches are at least this far apart; what must be on disk at once does not wait for it.
BATCH_EVERY = 1.0
_BATCH_SIZE = 500
_RETRY_FIRST = 1.0
_RETRY_CAP = 30.0
#: Batches lost to other processes that are tried again at once.
_MAX_ROUNDS = 5

_Taken = list[tuple["Watched", "Pending", SnapshotWrite]]


class Writer:
    """Writes pending changes of tasks. Nothing is dropped while the disk takes nothing."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        changed: Callable[[Watched], None],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._changed = changed
        self._notice = notice
        self._dirty: dict[str, Watched] = {}
        self._light: dict[str, Watched] = {}
        self._pause = Pause(clock)
        self._lock = asyncio.Lock()
        self._loop: asyncio.Task[None] | None = None
        self._failures = 0
        self._next_batch = 0.0
        self._urgent = False

    def start(self) -> None:
        job = keep_running(self._run, "saving", clock=self._clock, notice=self._notice)
        self._loop = asyncio.create_task(job, name="write")

    async def close(self) -> None:
        """Write what is pending, once; a failure is left to the notices."""
        if self._loop is not None:
            await end([self._loop])
            self._loop = None
        for task in self._light.values():
            task.pend()
            self._dirty.setdefault(task.key, task)
        self._light.clear()
        await self.flush()

    def soon(self, task: Watched) -> None:
        """Write the task's pending changes with the next batch."""
        idle = not self._dirty
        self._dirty[task.key] = task
        if idle and self._loop is not None:
            self._pause.wake()

    def now(self, task: Watched) -> None:
        """Write the task's pending changes without waiting for the next batch."""
        self._dirty[task.key] = task
        self._urgent = not self._failures
        self._pause.wake()

    def later(self, task: Watched) -> None:
        """Write that the task was read again with its next change, or when we stop."""
        self._light[task.key] = task

    async def flush(self) -> None:
        """Write everything that is pending now."""
        async with self._lock:
            for _ in range(len(self._dirty) // _BATCH_SIZE + _MAX_ROUNDS):
                if not self._dirty or not await self._write_batch():
                    return

    async def _run(self) -> None:
        while True:
            wait = self._next_batch - self._clock.monotonic()
            if not self._dirty:
                await self._pause.sleep(3600.0)
            elif wait > 0 and not self._urgent:
                await self._pause.sleep(wait)
            else:
                self._urgent = False
                await self.flush()
                self._next_batch = self._clock.monotonic() + self._spacing()

    def _spacing(self) -> float:
        if not self._failures:
            return BATCH_EVERY
        return min(_RETRY_FIRST * 2.0 ** min(self._failures - 1, 8), _RETRY_CAP)

    async def _write_batch(self) -> bool:
        """Write some of what is pending; False where the disk does not take it."""
        taken = self._take()
        writes = [write for _, _, write in taken]
        committing = asyncio.create_task(self._commit(writes))
        try:
            versions = await asyncio.shield(committing)
            self._settle(taken, versions)
            for (task, pending, _), version in zip(taken, versions, strict=True):
                if version is None:
                    await self._merge(task, pending)
        except StoreError as error:
            self._put_back(taken)
            self._failed(error)
            return False
        except asyncio.CancelledError:
            await self._finish(taken, committing)
            raise
        except Exception as error:  # noqa: BLE001 - a fault of the store must not stop the saving
            self._put_back(taken)
            self._failed(StoreError(f"not saved: {type(error).__name__}: {one_line(str(error))}"))
            return False
        if self._failures:
            self._failures = 0
            self._notice("saving works again; everything that was waiting is saved")
        return True

    def _take(self) -> _Taken:
        taken: _Taken = []
        for key in list(self._dirty)[:_BATCH_SIZE]:
            task = self._dirty.pop(key)
            self._light.pop(key, None)
            pending, task.pending = task.pending, None
            if pending is not None:
                write = SnapshotWrite(
                    key=key,
                    base_version=task.version,
                    snapshot=task.snapshot,
                    journal=tuple(pending.lines()),
                    result=pending.result,
                    has_result=pending.has_result,
                )
                taken.append((task, pending, write))
        return taken

    async def _commit(self, writes: list[SnapshotWrite]) -> list[int | None]:
        return await self._store.commit(writes)

    async def _finish(self, taken: _Taken, committing: asyncio.Task[list[int | None]]) -> None:
        """We are to stop; the disk goes on. What it has taken must not be written once more."""
        try:
            if not committing.cancelled():
                with suppress(StoreError):
                    self._settle(taken, await committing)
        finally:
            self._put_back(taken)

    def _settle(self, taken: _Taken, versions: list[int | None]) -> None:
        for (task, pending, _), version in zip(taken, versions, strict=True):
            if version is not None:
                task.version = version
                pending.written = True

    def _put_back(self, taken: _Taken) -> None:
        for task, pending, _ in taken:
            if not pending.written:
                task.pending = pending.followed_by(task.pending)
                self._dirty[task.key] = task

    async def _merge(self, task: Watched, pending: Pending) -> None:
        """Another process saved first: apply what we saw and wished to what it saved."""
        saved = await self._store.load_one(task.key)
        if saved is None:
            pending.written = True
            return
        later, task.pending = task.pending, None
        pending.written = True
        if rebase(task, saved, pending.followed_by(later)):
            self._dirty[task.key] = task
        self._changed(task)

    def _failed(self, error: StoreError) -> None:
        self._failures += 1
        if self._failures == 1 and not isinstance(error, StoreClosed):
            self._notice(f"{error} (nothing is lost while this runs; saving is tried again)")


def rebase(task: Watched, saved: Saved, pending: Pending | None) -> bool:
    """Put `task` on what another process saved, with what only we know applied on top.

    True where that leaves something to write.
    """
    ours, to_write = task.snapshot, False
    task.set_handle_from_disk(saved)
    task.version = saved.version
    task.trace = altered(task.trace, unlogged=None)  # the other process tells its messages
    # How far an answer of ours got is known here before it is on the disk.
    ours_now = {key: task.answers[key] for key in task.answering if key in task.answers}
    task.answers = {**saved.answers, **ours_now}
    task.snapshot = saved.snapshot
    news = [] if pending is None else _still_news(pending.seen, saved)
    if pending is not None and news:
        task.trace = altered(pending.trace, unlogged=None)
    for seen in news:
        applied = apply(
            task.snapshot,
            seen.observation,
            seen.at,
            task_id=task.handle.task_id,
            trace=task.trace,
            answered=task.answered_keys(),
        )
        if applied.changes:
            to_write = True
            task.pend().saw(seen.observation, seen.at, applied)
        task.snapshot, task.trace = applied.snapshot, applied.trace
    if not news and (ours.observed_at or 0.0) > (saved.snapshot.observed_at or 0.0):
        task.snapshot = altered(
            saved.snapshot,
            observed_at=ours.observed_at,
            read=ours.read,
            clock_offset=ours.clock_offset,
        )
    if (since := joined_watch(ours, saved.snapshot, gap=task.watch_gap)) is not None:
        task.snapshot = altered(task.snapshot, watched_since=since)
    if pending is not None and (pending.wishes or pending.wish_lines):
        to_write = True
        task.wish(*pending.wish_lines, **pending.wishes)
    return to_write


def _still_news(seen: Sequence[Seen], saved: Saved) -> list[Seen]:
    """The end of a task counts whatever came later; else the newer observation stands."""
    return [one for one in seen if one.final or one.at >= (saved.snapshot.observed_at or 0.0)]

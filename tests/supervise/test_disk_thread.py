"""The disk writes in its own time: what is on its way there is neither lost nor told twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from mcp_tasks_tui.handles.model import Event, JournalEntry, SnapshotWrite
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.supervise.sim import MemoryStore, SimServer, World, one_server


class _DiskThread(MemoryStore):
    """Writes in a thread of its own, so to say: nobody who stops waiting stops the writing."""

    under_way: asyncio.Event

    async def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
        async def write() -> list[int | None]:
            for _ in range(50):
                await asyncio.sleep(0)
            return await super(_DiskThread, self).commit(writes)

        self.under_way.set()
        return await asyncio.shield(asyncio.ensure_future(write()))


def _give_a_thread(world: World) -> asyncio.Event:
    store = world.store
    store.__class__ = _DiskThread
    assert isinstance(store, _DiskThread)
    store.under_way = asyncio.Event()
    return store.under_way


@asynccontextmanager
async def _started() -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """An engine that has read the one task of its server."""
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        yield world, server, supervisor


async def test_what_is_on_its_way_to_the_disk_at_the_end_is_told_once() -> None:
    async with _started() as (world, _, supervisor):
        under_way = _give_a_thread(world)
        await supervisor.cancel("k1")
        await under_way.wait()
    assert [event for event, _ in world.journal("k1")].count(Event.CANCEL_REQUESTED) == 1


async def test_a_result_on_its_way_to_the_disk_is_there() -> None:
    async with _started() as (world, server, supervisor):
        under_way = _give_a_thread(world)
        server.put("t1", status="completed", result={"n": 1})
        await supervisor.refresh("k1")
        await under_way.wait()
        assert await supervisor.result("k1") == {"n": 1}


async def test_history_on_its_way_to_the_disk_is_told() -> None:
    async with _started() as (world, _, supervisor):
        under_way = _give_a_thread(world)
        await supervisor.cancel("k1")
        await under_way.wait()
        events = [entry.event for entry in await supervisor.journal("k1")]
        assert events.count(Event.CANCEL_REQUESTED) == 1


class _LateReads(_DiskThread):
    """What is read is from before the write that begins meanwhile."""

    async def journal(self, key: str) -> list[JournalEntry]:
        lines = list(await super().journal(key))
        await self.under_way.wait()
        return lines


async def test_history_that_leaves_for_the_disk_while_that_is_read_is_told() -> None:
    async with _started() as (world, _, supervisor):
        _give_a_thread(world)
        world.store.__class__ = _LateReads
        await supervisor.cancel("k1")
        events = [entry.event for entry in await supervisor.journal("k1")]
        assert events.count(Event.CANCEL_REQUESTED) == 1

"""What other processes save is noticed in time, also on a busy machine, and for what it costs."""

from __future__ import annotations

from dataclasses import replace

from mcp_tasks_tui.handles.model import Saved, SnapshotWrite, Texts
from tests.supervise.sim import MemoryStore, World, draft


class _SlowStore(MemoryStore):
    """Cannot tell what changed, and each load takes seconds, as on a machine that is busy."""

    async def changed_by_others(self) -> list[Saved] | None:
        return None

    async def load(self) -> list[Saved]:
        await self.clock.sleep(3.0)
        return await super().load()


class _CountingStore(MemoryStore):
    """Counts how many tasks it was asked for."""

    told: int = 0

    async def changed_by_others(self) -> list[Saved] | None:
        changed = await super().changed_by_others()
        self.told += len(changed or ())
        return changed

    async def load(self) -> list[Saved]:
        raise AssertionError("all of them, for one")


async def test_a_slow_load_does_not_delay_the_next_look() -> None:
    world = World()
    server = world.server()
    for task_id in ("first", "second", "third"):
        server.put(task_id)
    async with world.supervisor() as supervisor:
        world.store.__class__ = _SlowStore
        for number, task_id in enumerate(("first", "second", "third"), 1):
            await world.clock.advance(2.0)
            await MemoryStore(world.disk, world.clock).save(draft(server.url, task_id))
            await world.clock.advance(5.0)
            assert len(supervisor.views()) == number


async def test_only_what_others_changed_is_loaded() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(50)]
    for task_id in (*names, "theirs"):
        server.put(task_id)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        store = world.store
        store.__class__ = _CountingStore
        assert isinstance(store, _CountingStore)
        await world.clock.advance(5)
        assert store.told == 0, "its own writes are no news"

        other = MemoryStore(world.disk, world.clock)
        await other.save(draft(server.url, "theirs"))
        await other.edit_all({"k3": Texts(label="renamed")})
        row = world.disk.rows["k4"]
        later = replace(row.snapshot, status="completed", observed_at=world.clock.now())
        assert None not in await other.commit([SnapshotWrite("k4", row.version, later)])
        await world.clock.advance(1)
        assert store.told == 3
        views = {view.key: view for view in supervisor.views()}
        assert len(views) == 51
        assert views["k3"].handle.label == "renamed"
        assert views["k4"].snapshot.status == "completed"


async def test_what_was_saved_between_the_load_and_the_first_look_is_noticed() -> None:
    world = World()
    server = world.server()
    server.put("theirs")
    other = MemoryStore(world.disk, world.clock)

    class Overtaken(MemoryStore):
        async def take_notices(self) -> list[str]:
            if not world.disk.rows:  # all that was saved has just been loaded
                await other.save(draft(server.url, "theirs"))
            return await super().take_notices()

    world.store_class = Overtaken
    async with world.supervisor() as supervisor:
        await world.clock.advance(1)
        assert [view.handle.task_id for view in supervisor.views()] == ["theirs"]

"""What other processes save is noticed in time, also on a busy machine."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import Saved
from tests.supervise.sim import MemoryStore, World, draft


class _SlowStore(MemoryStore):
    """Each load takes seconds, as on a machine that has better things to do."""

    async def load(self) -> list[Saved]:
        await self.clock.sleep(3.0)
        return await super().load()


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

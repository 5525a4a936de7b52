"""The engine as a whole, in a simulated world."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import Event, State
from tests.supervise.sim import World, draft


async def test_a_saved_task_is_read_until_it_ends_and_no_longer() -> None:
    world = World()
    server = world.server()
    server.put("t1", statusMessage="1/10")
    async with world.supervisor() as supervisor:
        view = await supervisor.save(draft(server.url))
        await world.clock.advance(5)
        seen = supervisor.view(view.key)
        assert seen is not None
        assert seen.state is State.WORKING
        assert seen.live
        assert seen.progress is not None
        assert seen.progress.fraction == 0.1
        server.put("t1", status="completed", result={"content": []})
        await world.clock.advance(3)
        assert await supervisor.result(view.key) == {"content": []}
        reads = len(server.reads())
        await world.clock.advance(600)
        assert len(server.reads()) == reads
    assert world.disk.rows[view.key].result == {"content": []}
    assert [event for event, _ in world.journal(view.key)] == [
        Event.SAVED,
        Event.STATUS,
        Event.STATUS,
    ]

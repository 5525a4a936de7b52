"""Tasks that a person holds are not read, and stay held."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.supervise.view import Coverage
from tests.supervise.looking import line_of, view_of
from tests.supervise.sim import World, one_server


async def test_held_tasks_are_not_read_and_stay_held_after_a_restart() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        await supervisor.hold(["k1"], True)
        before = len(server.reads())
        await world.clock.advance(60)
        assert len(server.reads()) == before
        assert view_of(supervisor, "k1").coverage is Coverage.HELD
        assert line_of(supervisor).held
        supervisor.poll_now(["k1"])
        await world.clock.advance(2)
        assert len(server.reads()) == before + 1
    async with world.supervisor() as supervisor:
        await world.clock.advance(60)
        assert len(server.reads()) == before + 1
        await supervisor.hold(["k1"], False)
        await world.clock.advance(5)
        assert len(server.reads()) > before + 1
    assert [e for e, _ in world.journal("k1") if e in (Event.HELD, Event.RESUMED)] == [
        Event.HELD,
        Event.RESUMED,
    ]


async def test_holding_a_task_drops_a_read_that_hangs() -> None:
    world = World()
    server = world.server()
    server.put("t1")
    server.latency = 60
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        assert server.in_flight == 1
        await supervisor.hold(["k1"], True)
        await world.clock.advance(1)
        assert server.in_flight == 0
        assert view_of(supervisor, "k1").snapshot.read.ok


async def test_a_task_released_before_its_read_was_dropped_is_read_again() -> None:
    world = World()
    server = world.server()
    server.put("t1")
    server.latency = 60
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        assert server.in_flight == 1
        await supervisor.hold(["k1"], True)
        await supervisor.hold(["k1"], False)
        server.latency = 0
        await world.clock.advance(30)
        assert len(server.reads()) > 2

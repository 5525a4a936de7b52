"""The requests that one slow server gets at once: what a person asks for is not behind the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.supervise.sim import SimServer, World

LATENCY = 20.0
SETTINGS = EngineSettings()


@asynccontextmanager
async def a_slow_server() -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """Thirty tasks are due, and each answer takes its time."""
    world = World()
    server = world.server()
    names = [f"t{number + 1}" for number in range(30)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    server.latency = LATENCY
    async with world.supervisor() as supervisor:
        await world.clock.advance(15)
        yield world, server, supervisor


def test_the_wire_has_a_slot_for_each_read_and_one_more() -> None:
    limits = Limits()
    assert SETTINGS.max_reads < SETTINGS.max_asked_reads == limits.polls < limits.in_flight == 8


async def test_reads_that_are_due_leave_slots_free() -> None:
    async with a_slow_server() as (world, server, _):
        await world.clock.advance(100)
        assert server.most_in_flight == SETTINGS.max_reads


async def test_a_read_that_a_person_asks_for_goes_before_those_that_wait() -> None:
    async with a_slow_server() as (world, server, supervisor):
        unread = [view.key for view in supervisor.views() if not server.reads(view.handle.task_id)]
        first, second, third = (f"t{key[1:]}" for key in unread[-3:])
        supervisor.poll_now(unread[-3:])
        await world.clock.advance(0.2)
        assert server.reads(first)
        assert server.in_flight == SETTINGS.max_asked_reads
        before = len(server.reads())
        await world.clock.advance(LATENCY)
        then = [one.task_id for one in server.requests[before:]]
        assert then[:2] == [second, third]
        assert server.most_in_flight == SETTINGS.max_asked_reads


async def test_asking_twice_reads_once() -> None:
    async with a_slow_server() as (world, server, supervisor):
        keys = [view.key for view in supervisor.views() if not server.reads(view.handle.task_id)]
        for _ in range(3):
            supervisor.poll_now(keys[-2:])
            await world.clock.advance(0.2)
        await world.clock.advance(LATENCY)
        assert [len(server.reads(f"t{key[1:]}")) for key in keys[-2:]] == [1, 1]

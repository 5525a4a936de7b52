"""Telling what changed: little at a time, and never the same twice."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import Snapshot, State
from mcp_tasks_tui.supervise.publishing import BATCH_EVERY, MOST_IN_BATCH, MOST_WAITING, Batch
from mcp_tasks_tui.supervise.view import Reason
from tests.supervise.sim import World, one_server


async def test_a_huge_change_is_told_in_parts_and_whole() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(1200)]
    known = Snapshot(status="working", poll_interval_ms=3_600_000, observed_at=world.clock.now())
    await world.saved(server, *names, snapshot=known)
    async with world.supervisor() as supervisor:
        await supervisor.hold([f"k{number + 1}" for number in range(1200)], True)
        await world.clock.advance(2)
    told = [batch.changed for batch in world.batches if batch.changed]
    assert max(len(keys) for keys in told) <= MOST_IN_BATCH
    assert len(frozenset().union(*told)) == 1200
    assert sum(len(keys) for keys in told) == 1200


async def test_a_listener_hears_until_it_leaves() -> None:
    world = World()
    server = world.server()
    server.script = lambda at, _: {"statusMessage": str(at)}
    await world.saved(server, "t1")
    heard: list[Batch] = []
    async with world.supervisor() as supervisor:
        leave = supervisor.subscribe(heard.append)
        await world.clock.advance(5)
        assert heard
        leave()
        leave()
        count = len(heard)
        await world.clock.advance(5)
        assert len(heard) == count
        assert len(world.batches) > count


async def test_a_listener_that_fails_stops_nobody() -> None:
    world, server = await one_server("t1")
    calls: list[Batch] = []

    def broken(batch: Batch) -> None:
        calls.append(batch)
        raise ZeroDivisionError("a bug of the screen")

    async with world.supervisor() as supervisor:
        supervisor.subscribe(broken)
        await world.clock.advance(20)
        await supervisor.hold(["k1"], True)  # so that there is news when it closes
    assert len(calls) > 5
    assert len(server.reads()) > 15
    assert len([line for line in world.notices() if "a bug of the screen" in line]) == 1


async def test_a_read_without_news_is_told_as_that() -> None:
    world, server = await one_server("t1", statusMessage="step 1 of 3")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        world.batches.clear()
        reads = len(server.reads())
        await world.clock.advance(10)
        assert len(server.reads()) - reads >= 9
        assert {batch.read for batch in world.batches} == {frozenset({"k1"})}
        assert not any(batch.changed or batch.servers for batch in world.batches)
        assert len(world.batches) <= 10, "they wait for one another"
        view = supervisor.view("k1")
        assert view is not None
        assert view.snapshot.observed_at == pytest.approx(world.clock.now(), abs=1.5)
        server.put("t1", statusMessage="step 2 of 3")
        world.batches.clear()
        await world.clock.advance(2)
        assert frozenset({"k1"}) in [batch.changed for batch in world.batches]


async def test_reads_without_news_become_news_when_the_task_is_stuck() -> None:
    world, _ = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(world.settings.quiet_after - 10)
        world.batches.clear()
        await world.clock.advance(20)
        alerts = [alert.text for batch in world.batches for alert in batch.alerts]
        assert alerts == ["t1 is stuck"]
        view = supervisor.view("k1")
        assert view is not None
        assert [one.reason for one in view.attention] == [Reason.STUCK]


async def test_that_a_read_asked_for_is_over_is_told_at_once() -> None:
    world = World()
    server = world.server()
    server.put("t1", pollIntervalMs=60_000)
    server.latency = 2.0
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(20)
        supervisor.poll_now(["k1"])
        world.batches.clear()
        await world.clock.advance(1)
        assert [batch.changed for batch in world.batches] == [{"k1"}]
        world.batches.clear()
        await world.clock.advance(1.5)
        assert [batch.changed for batch in world.batches] == [{"k1"}]


async def test_messages_wait_for_one_another_and_a_state_does_not() -> None:
    world = World()
    server = world.server()
    server.script = lambda at, task_id: (
        {"statusMessage": f"{at}"} if at < 60 or task_id != "t7" else {"status": "cancelled"}
    )
    await world.saved(server, *(f"t{number}" for number in range(20)))
    async with world.supervisor() as supervisor:
        await world.clock.advance(30)
        world.batches.clear()
        reads = len(server.reads())
        await world.clock.advance(10)
        assert len(server.reads()) - reads > 180
        assert 10 <= len(world.batches) <= 20
        assert sum(len(batch.changed) for batch in world.batches) > 180
        told: dict[str, float] = {}
        supervisor.subscribe(
            lambda batch: told.update((key, world.clock.monotonic()) for key in batch.changed)
        )
        while not server.reads("t7") or server.reads("t7")[-1] < 60:
            await world.clock.advance(0.05)
        await world.clock.advance(BATCH_EVERY)
        assert told["k8"] - server.reads("t7")[-1] <= BATCH_EVERY
        view = supervisor.view("k8")
        assert view is not None
        assert view.state is State.CANCELLED


async def test_what_waits_is_told_before_it_is_much() -> None:
    world = World()
    server = world.server()
    server.script = lambda at, _: {"statusMessage": f"{at}"}
    await world.saved(server, *(f"t{number}" for number in range(400)))
    async with world.supervisor():
        await world.clock.advance(10)
        world.batches.clear()
        await world.clock.advance(5)
        sizes = [len(batch.changed) for batch in world.batches]
        assert sum(sizes) > 1800
        assert max(sizes) < 2 * MOST_WAITING + 400 * BATCH_EVERY

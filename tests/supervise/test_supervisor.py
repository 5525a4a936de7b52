"""The engine as a whole, in a simulated world: polling, ends, failures, servers."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from mcp_tasks_tui.handles.model import Event, Snapshot, State
from mcp_tasks_tui.protocol.errors import HttpError
from mcp_tasks_tui.supervise.alerts import AlertKind
from mcp_tasks_tui.supervise.problems import UnknownKey
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Reason
from tests.supervise.looking import view_of
from tests.supervise.sim import EPOCH, World, a_question, draft, one_server


async def test_a_saved_task_is_read_until_it_ends_and_no_longer() -> None:
    world = World()
    server = world.server()
    server.put("t1", statusMessage="1/10")
    async with world.supervisor() as supervisor:
        key = (await supervisor.save(draft(server.url))).key
        await world.clock.advance(5)
        seen = view_of(supervisor, key)
        assert (seen.state, seen.live) == (State.WORKING, True)
        assert seen.progress is not None
        assert seen.progress.fraction == 0.1
        server.put("t1", status="completed", result={"content": []})
        await world.clock.advance(3)
        assert await supervisor.result(key) == {"content": []}
        reads = len(server.reads())
        await world.clock.advance(600)
        assert len(server.reads()) == reads
    assert world.disk.rows[key].result == {"content": []}
    assert [event for event, _ in world.journal(key)] == [Event.SAVED, Event.STATUS, Event.STATUS]


async def test_every_task_keeps_its_own_spacing_and_follows_the_newest_hint() -> None:
    world = World()
    server = world.server()
    server.put("fast", pollIntervalMs=500)
    server.put("slow", pollIntervalMs=30_000)
    server.put("none", pollIntervalMs=0)
    await world.saved(server, "fast", "slow", "none")
    async with world.supervisor():
        await world.clock.advance(120)
        for task_id, least in (("fast", 0.5), ("slow", 30.0), ("none", 5.0)):
            times = server.reads(task_id)
            assert all(later - earlier >= least for earlier, later in pairwise(times)), task_id
        assert len(server.reads("fast")) > 180
        assert len(server.reads("slow")) >= 4
        server.put("fast", pollIntervalMs=20_000)
        await world.clock.advance(1)
        before = len(server.reads("fast"))
        await world.clock.advance(60)
        assert len(server.reads("fast")) - before <= 3


async def test_the_first_reads_after_a_start_are_no_burst() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(500)]
    for name in names:
        server.put(name, pollIntervalMs=10_000)
    just_read = Snapshot(status="working", poll_interval_ms=10_000, observed_at=EPOCH - 1)
    await world.saved(server, *names, snapshot=just_read)
    async with world.supervisor():
        await world.clock.advance(20)
    times = server.reads()
    assert len(times) >= 500
    busiest = max(sum(start <= at < start + 1 for at in times) for start in range(20))
    assert busiest <= 60
    assert min(times) >= 8
    assert server.most_in_flight <= 8


async def test_what_has_ended_is_read_again_only_when_a_person_asks() -> None:
    world = World()
    server = world.server()
    server.put("kept", status="completed", result={"n": 1})
    ended = Snapshot(status="completed", has_result=True, observed_at=EPOCH - 86_400)
    await world.saved(server, "kept", snapshot=ended)
    world.disk.rows["k1"].result = {"n": 1}
    async with world.supervisor() as supervisor:
        await supervisor.edit("k1", label="mine", note=None, tags=())
        await world.clock.advance(3600)
        assert server.reads() == []
        supervisor.poll_now(["k1"])
        await supervisor.edit("k1", label="still mine", note=None, tags=())
        await world.clock.advance(3600)
        assert len(server.reads()) == 1
        assert view_of(supervisor, "k1").live
    assert world.store.commits[-1][1][0].has_result is False


async def test_a_stored_state_is_marked_as_old_until_a_read_confirms_it() -> None:
    world = World()
    server = world.server()
    server.put("t1", status="completed", result={})
    old = Snapshot(status="working", observed_at=EPOCH - 3 * 86_400)
    await world.saved(server, "t1", snapshot=old)
    async with world.supervisor() as supervisor:
        before = view_of(supervisor, "k1")
        await world.clock.advance(10)
        after = view_of(supervisor, "k1")
    assert (before.state, before.live) == (State.WORKING, False)
    assert (after.state, after.live) == (State.COMPLETED, True)


async def test_poll_now_does_not_wait_for_a_long_interval_but_is_rate_limited() -> None:
    world, server = await one_server("t1", pollIntervalMs=3_600_000)
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert len(server.reads()) == 1
        due = view_of(supervisor, "k1").next_read_at
        assert due is not None
        assert due - world.clock.now() == pytest.approx(3600, rel=0.1)
        for _ in range(50):
            supervisor.poll_now(["k1"])
            await world.clock.advance(0.1)
        assert 4 <= len(server.reads()) <= 8


async def test_refresh_reads_at_once_and_tells_of_a_failure_in_the_view() -> None:
    world, server = await one_server("t1")
    async with world.supervisor(poll=False) as supervisor:
        assert (await supervisor.refresh("k1")).state is State.WORKING
        server.fault = HttpError(502, "Bad Gateway")
        failed = await supervisor.refresh("k1")
        assert failed.state is State.WORKING
        assert failed.snapshot.read.error == "HTTP 502 Bad Gateway"
        await world.clock.advance(600)
        assert len(server.reads()) == 2
        with pytest.raises(UnknownKey):
            await supervisor.refresh("k9")


async def test_only_the_asked_tasks_are_watched() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor(keys=["k2"]):
        await world.clock.advance(10)
    assert server.reads("t1") == []
    assert server.reads("t2")


async def test_asking_for_everything_again_and_again_never_delays_a_read() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(100)]
    for name in names:
        server.put(name, pollIntervalMs=2000)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(20)
        before = len(server.reads())
        keys = [view.key for view in supervisor.views()]
        for _ in range(20):
            supervisor.poll_now(keys)
            await world.clock.advance(0.1)
        await world.clock.advance(20)
        assert len(server.reads()) - before > 900


async def test_news_is_told_in_batches_and_bursts_are_folded() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(40)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor():
        await world.clock.advance(10)
        world.batches.clear()
        for name in names:
            server.put(name, status="completed", result={})
        began = world.clock.monotonic()
        await world.clock.advance(10)
        passed = world.clock.monotonic() - began
    assert len(world.batches) <= 5 * passed + 1
    alerts = [alert for batch in world.batches for alert in batch.alerts]
    assert {alert.kind for alert in alerts} == {AlertKind.FINISHED}
    assert len(alerts) <= 3
    assert sum(len(alert.keys) for alert in alerts) == 40


async def test_time_alone_makes_a_task_expiring() -> None:
    world, _ = await one_server(
        "t1", createdAt="2026-09-01T10:00:00Z", ttlMs=4_000_000, pollIntervalMs=86_400_000
    )
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert view_of(supervisor, "k1").attention == ()
        world.batches.clear()
        await world.clock.advance(3_800)
        assert [one.reason for one in view_of(supervisor, "k1").attention] == [Reason.EXPIRING]
        assert any("k1" in batch.changed for batch in world.batches)


async def test_an_archived_task_comes_back_when_it_asks() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        before = len(server.reads())
        await world.clock.advance(5)
        assert view_of(supervisor, "k1").archived
        assert len(server.reads()) > before
        server.put("t1", status="input_required", inputRequests={"a": a_question()})
        await world.clock.advance(2)
        assert not view_of(supervisor, "k1").archived
        await supervisor.archive(["k1"])
        await world.clock.advance(20)
        assert view_of(supervisor, "k1").archived


async def test_quitting_drops_reads_under_way_without_a_trace_and_sends_nothing() -> None:
    world, server = await one_server(
        "t1", status="input_required", inputRequests={"a": a_question()}
    )
    async with world.supervisor():
        await world.clock.advance(2)
        server.latency = 60
        await world.clock.advance(3)
        assert server.in_flight == 1
    assert server.in_flight == 0
    assert world.disk.rows["k1"].snapshot.read.ok
    assert {one.method for one in server.requests} == {"tasks/get"}


async def test_quitting_starts_none_of_the_reads_that_wait_for_a_slot() -> None:
    world = World()
    server = world.server()
    server.latency = 60
    names = [f"t{number}" for number in range(30)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(20)
        assert server.in_flight == EngineSettings().max_reads
        late = asyncio.create_task(supervisor.refresh("k30"))
        await world.clock.advance(1)
        asked = len(server.requests)
    await world.clock.advance(120)
    assert late.done()
    assert len(server.requests) == asked
    assert server.in_flight == 0


async def test_what_is_known_at_the_end_is_on_disk() -> None:
    world, _ = await one_server("t1", statusMessage="1/2")
    async with world.supervisor():
        await world.clock.advance(30)
        commits = len(world.store.commits)
        assert commits <= 3
    stored = world.disk.rows["k1"].snapshot
    assert stored.observed_at is not None
    assert world.clock.now() - stored.observed_at < 2

"""The disk: batches, other processes, and days on which it takes nothing."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.errors import DiskFull, StoreLocked
from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.supervise import journalling, roster
from tests.supervise.sim import World, a_question, draft, one_server


async def test_writes_are_batched_and_an_end_is_written_at_once() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(50)]
    server.script = lambda at, _: {"statusMessage": f"{at:.0f} s"}
    await world.saved(server, *names)
    async with world.supervisor():
        await world.clock.advance(20)
        assert len(world.store.commits) <= 21
        assert max(len(writes) for _, writes in world.store.commits) > 10
        server.script = lambda _, name: {"status": "completed", "result": {"of": name}}
        await world.clock.advance(1.5)
        assert world.disk.rows["k1"].result == {"of": "t0"}


async def test_reads_without_news_write_nothing() -> None:
    world, _ = await one_server("t1", lastUpdatedAt="always now")
    async with world.supervisor():
        await world.clock.advance(5)
        before = len(world.store.commits)
        await world.clock.advance(300)
        assert len(world.store.commits) == before


@pytest.mark.parametrize(
    "fault", [DiskFull("no room"), StoreLocked("locked"), ZeroDivisionError("a bug")], ids=str
)
async def test_a_disk_that_takes_nothing_is_one_notice_and_loses_nothing(fault: Exception) -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        world.store.fault = fault
        server.put("t1", status="completed", statusMessage="all done", result={"n": 42})
        await world.clock.advance(120)
        assert len([line for line in world.notices() if str(fault) in line]) == 1
        assert await supervisor.result("k1") == {"n": 42}
        assert (Event.STATUS, "all done") in [
            (line.event, line.text.raw if line.text else "")
            for line in await supervisor.journal("k1")
        ]
        world.store.fault = None
        await world.clock.advance(60)
        assert world.disk.rows["k1"].result == {"n": 42}
        assert any("works again" in line for line in world.notices())
    assert world.journal("k1").count((Event.STATUS, "all done")) == 1


async def test_of_a_long_time_without_a_disk_the_first_and_the_last_lines_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roster, "MOST_LINES", 20)
    world, server = await one_server("t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        await supervisor.hold(["k2"], True)
        world.store.fault = DiskFull("no room")
        for _ in range(20):
            for held in (False, True):
                await supervisor.hold(["k2"], held)
            server.fault = Unreachable("refused")
            await world.clock.advance(60)
            server.fault = None
            await world.clock.advance(60)
        lines = [line.event for line in await supervisor.journal("k2")]
        for of_one_kind in ((Event.SERVER_LOST, Event.SERVER_BACK), (Event.HELD, Event.RESUMED)):
            assert sum(event in of_one_kind for event in lines) == 19
        gaps = [line for line in await supervisor.journal("k2") if line.event is Event.LEFT_OUT]
        assert [gap.data for gap in gaps] == [{"others": 21}, {"others": 22}]
        world.store.fault = None
    assert [event for event, _ in world.journal("k2")].count(Event.SERVER_LOST) == 9


async def test_what_another_process_saves_is_seen_within_a_second() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as first, world.supervisor(poll=False) as second:
        await world.clock.advance(2)
        await second.save(draft(server.url, "t2", label="from outside"))
        await second.archive(["k1"])
        await world.clock.advance(1)
        seen = first.view("k2")
        assert seen is not None
        assert seen.handle.label == "from outside"
        archived = first.view("k1")
        assert archived is not None
        assert archived.archived


async def test_two_processes_tell_each_change_once() -> None:
    world, server = await one_server("t1", pollIntervalMs=700)
    async with world.supervisor(seed=1) as first, world.supervisor(seed=2) as second:
        await world.clock.advance(3)
        server.put("t1", status="input_required", inputRequests={"a": a_question()})
        await world.clock.advance(5)
        server.put("t1", status="working", statusMessage="on")
        await world.clock.advance(20)
        server.put("t1", status="completed", result={"n": 1})
        await world.clock.advance(5)
        views = [supervisor.view("k1") for supervisor in (first, second)]
        assert [view.state for view in views if view] == [State.COMPLETED] * 2
        assert await second.result("k1") == {"n": 1}
    told = [event for event, _ in world.journal("k1")]
    assert told.count(Event.STATUS) == 4
    assert told.count(Event.INPUT_ASKED) == 1


async def test_a_lost_race_keeps_both_what_was_saved_and_what_was_wished() -> None:
    world, server = await one_server("t1", pollIntervalMs=60_000)
    async with world.supervisor() as first:
        await world.clock.advance(6)
        async with world.supervisor(poll=False) as second:
            await second.cancel("k1")
            server.put("t1", pollIntervalMs=60_000, statusMessage="stopping")
            await first.refresh("k1")
            await first.hold(["k1"], True)
        await world.clock.advance(3)
    stored = world.disk.rows["k1"].snapshot
    assert stored.cancel_requested_at is not None
    assert stored.held
    assert str(stored.status_message) == "stopping"


async def test_a_message_that_was_overtaken_elsewhere_is_not_told_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journalling, "AT_ONCE", 1.0)
    world = World()
    server = world.server()
    await world.saved(server, "t1")
    async with world.supervisor(keys=()) as first, world.supervisor(keys=()) as second:
        for step, passed in ((1, 2), (2, 0.2), (3, 2)):
            server.put("t1", statusMessage=f"{step}/9")
            await first.refresh("k1")
            await world.clock.advance(passed)
        server.put("t1", statusMessage="5/9")
        await second.refresh("k1")
        await world.clock.advance(2)
        server.put("t1", status="completed", result={})
        await first.refresh("k1")
    told = [text for event, text in world.journal("k1") if event is Event.MESSAGE]
    assert told == ["2/9", "5/9"]


async def test_what_the_disk_has_to_say_reaches_the_person_once() -> None:
    world = World()
    async with world.supervisor() as supervisor:
        store = world.store
        async with world.supervisor(poll=False) as other:
            await world.clock.advance(1)
            store.notices.append("a damaged file was moved aside")
            for task_id in ("t1", "t2"):
                await other.save(draft("http://one.test/mcp", task_id))
                await world.clock.advance(2)
        assert len(supervisor.views()) == 2
    assert world.notices().count("a damaged file was moved aside") == 1

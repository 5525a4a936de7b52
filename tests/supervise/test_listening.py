"""Push: what a stream covers, and that polling carries everything it does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import Snapshot, State
from mcp_tasks_tui.protocol.errors import RequestError, Unreachable
from mcp_tasks_tui.protocol.messages import TaskReply
from mcp_tasks_tui.supervise import listener, observing, reducer, streams
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage
from tests.supervise.sim import SimServer, World, a_question, draft

Acknowledge = Callable[[Sequence[str]], Sequence[str]]


def all_of(task_ids: Sequence[str]) -> Sequence[str]:
    return task_ids


@asynccontextmanager
async def watching(
    acknowledge: Acknowledge | None = all_of, tasks: int = 2, poll_interval: float = 1
) -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """A running engine whose server pushes; long enough that the stream is open."""
    world = World()
    server = world.server()
    server.acknowledges = acknowledge
    names = [f"t{number + 1}" for number in range(tasks)]
    for name in names:
        server.put(name, pollIntervalMs=1000 * poll_interval)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(15)
        yield world, server, supervisor


def coverage(supervisor: Supervisor) -> list[Coverage]:
    return [view.coverage for view in supervisor.views()]


async def test_pushed_tasks_are_read_rarely_and_shown_at_once() -> None:
    async with watching() as (world, server, supervisor):
        assert coverage(supervisor) == [Coverage.PUSHED] * 2
        assert supervisor.servers()[0].pushed
        before = len(server.reads())
        server.push("t1", statusMessage="1/2")
        await world.clock.advance(0.1)
        view = supervisor.view("k1")
        assert view is not None
        assert str(view.message) == "1/2"
        await world.clock.advance(300)
        assert 4 <= len(server.reads()) - before <= 12
        server.push("t1", status="completed", result={"n": 1})
        await world.clock.advance(1)
        assert world.disk.rows["k1"].result == {"n": 1}
    assert server.open_streams == 0


async def test_only_acknowledged_tasks_are_covered() -> None:
    async with watching(lambda ids: [one for one in ids if one == "t1"]) as (world, server, engine):
        assert coverage(engine) == [Coverage.PUSHED, Coverage.POLLED]
        before = len(server.reads("t2"))
        await world.clock.advance(60)
        assert len(server.reads("t2")) - before > 50
        assert len(server.listens) == 1


async def test_what_is_not_acknowledged_any_more_is_polled_again_at_once() -> None:
    async with watching() as (world, server, supervisor):
        before = len(server.reads("t2"))
        server.push("t2", statusMessage="1/2")
        server.push("t2", statusMessage="2/2")
        server.acknowledge("t1")
        await world.clock.advance(0.5)
        assert coverage(supervisor) == [Coverage.PUSHED, Coverage.POLLED]
        assert str(supervisor.views()[1].message) == "2/2"
        await world.clock.advance(60)
        assert len(server.reads("t2")) - before > 50
        server.acknowledge("t1", "t2")
        await world.clock.advance(1)
        assert coverage(supervisor) == [Coverage.PUSHED] * 2
        server.acknowledge()
        await world.clock.advance(1)
        assert coverage(supervisor) == [Coverage.POLLED] * 2
        assert not supervisor.servers()[0].pushed


@pytest.mark.parametrize("refuses", [None, lambda _: []], ids=["method", "all tasks"])
async def test_a_server_that_refuses_is_asked_again_after_a_long_while(
    refuses: Acknowledge | None,
) -> None:
    async with watching(refuses, poll_interval=15) as (world, server, supervisor):
        await world.clock.advance(300)
        assert coverage(supervisor) == [Coverage.POLLED] * 2
        server.put("t3", pollIntervalMs=15_000)
        await supervisor.save(draft(server.url, "t3"))
        await world.clock.advance(3000)
        assert len(server.listens) == 1
        assert server.open_streams == 0
        assert not world.notices()
        server.acknowledges = all_of
        await world.clock.advance(600)
        assert coverage(supervisor) == [Coverage.PUSHED] * 3


async def test_a_lost_stream_leaves_its_tasks_to_polling_at_once() -> None:
    async with watching() as (world, server, supervisor):
        await world.clock.advance(20)
        before = len(server.reads())
        server.end_streams(Unreachable("reset"))
        await world.clock.advance(0.5)
        assert len(server.reads()) - before == 2
        assert coverage(supervisor) == [Coverage.POLLED] * 2
        await world.clock.advance(30)
        assert coverage(supervisor) == [Coverage.PUSHED] * 2
        assert len(server.listens) == 2


async def test_a_stream_that_always_dies_young_is_given_up() -> None:
    async with watching() as (world, server, _):
        for _ in range(200):
            server.end_streams()
            await world.clock.advance(3)
        assert len(server.listens) <= 6


async def test_streams_that_one_incident_ends_all_at_once_are_opened_again_soon() -> None:
    async with watching(tasks=2 * streams.MAX_IDS + 1) as (world, server, supervisor):
        server.end_streams(Unreachable("reset"))
        await world.clock.advance(0.2)
        assert server.open_streams == 0
        while server.open_streams < 3:
            await world.clock.advance(0.2)
        server.end_streams(Unreachable("reset"))  # young, all three
        await world.clock.advance(60)
        assert server.open_streams == 3
        assert set(coverage(supervisor)) == {Coverage.PUSHED}


async def test_a_fault_of_ours_does_not_end_push(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching() as (world, server, supervisor):
        faults = [RuntimeError("a bug")]

        def faulty(missing: int, *, listened: int) -> int:
            if faults:
                raise faults.pop()
            return streams.room_for(missing, listened=listened)

        monkeypatch.setattr(listener, "room_for", faulty)
        server.end_streams(Unreachable("reset"))
        await world.clock.advance(60)
        assert faults == []
        assert coverage(supervisor) == [Coverage.PUSHED] * 2
    assert [line for line in world.notices() if "a bug" in line] == [
        f"internal error in listening to {server.url}: RuntimeError: a bug (it goes on)"
    ]


async def test_new_tasks_are_listened_to_once_they_settle() -> None:
    async with watching() as (world, server, supervisor):
        for number in range(3, 8):
            server.put(f"t{number}")
            await supervisor.save(draft(server.url, f"t{number}"))
            await world.clock.advance(0.1)
        await world.clock.advance(10)
        assert coverage(supervisor) == [Coverage.PUSHED] * 7
        assert len(server.listens) == 2
        assert server.open_streams == 1


async def test_a_new_task_leaves_the_streams_of_others_alone() -> None:
    async with watching(tasks=10) as (world, server, supervisor):
        others = [f"t{number}" for number in range(1, 11)]
        for number in range(11, 14):
            server.put(f"t{number}")
            await supervisor.save(draft(server.url, f"t{number}"))
            await world.clock.advance(10)
            assert set(coverage(supervisor)) == {Coverage.PUSHED}
        assert server.listens == [others, ["t11"], ["t11", "t12"], ["t13"]]
        assert server.open_streams == 3
        server.push("t1", statusMessage="told by the first stream")
        server.push("t13", statusMessage="told by the last one")
        await world.clock.advance(0.1)
        told = [str(view.message) for view in supervisor.views()]
        assert (told[0], told[12]) == ("told by the first stream", "told by the last one")


async def test_a_server_that_allows_one_stream_gets_one_with_all_tasks() -> None:
    async with watching() as (world, server, supervisor):
        server.one_stream = True
        server.put("t3")
        await supervisor.save(draft(server.url, "t3"))
        await world.clock.advance(60)
        assert coverage(supervisor) == [Coverage.PUSHED] * 3
        assert server.listens == [["t1", "t2"], ["t3"], ["t3", "t1", "t2"]]
        assert server.open_streams == 1


async def test_a_late_acknowledgement_takes_nothing_from_a_younger_stream() -> None:
    async with watching() as (world, server, supervisor):
        for number in (3, 4):
            server.put(f"t{number}")
            await supervisor.save(draft(server.url, f"t{number}"))
        server.acknowledges = lambda ids: [one for one in ids if one != "t1"]
        await world.clock.advance(10)
        assert server.open_streams == 2  # the older one has what the younger left out
        assert coverage(supervisor) == [Coverage.PUSHED] * 4
        server.acknowledge("t2", "t3", "t4")
        await world.clock.advance(1)
        assert server.open_streams == 1
        assert coverage(supervisor) == [Coverage.POLLED, *[Coverage.PUSHED] * 3]


async def test_a_stream_is_closed_once_all_that_it_covers_has_ended() -> None:
    async with watching() as (world, server, supervisor):
        server.push("t1", status="completed", result={})
        await world.clock.advance(10)
        assert server.open_streams == 1
        for number in range(3, 8):
            await supervisor.save(draft(server.url, f"t{number}"))
            server.put(f"t{number}")
            await world.clock.advance(10)
            server.push(f"t{number}", status="completed", result={})
            await world.clock.advance(10)
            assert server.open_streams == 1
        server.push("t2", status="cancelled")
        await world.clock.advance(10)
        assert server.open_streams == 0


async def test_what_has_ended_is_not_read_again_when_its_stream_is_lost() -> None:
    async with watching() as (world, server, _):
        server.push("t1", status="completed", result={})
        await world.clock.advance(10)
        before = len(server.reads("t1"))
        server.end_streams(Unreachable("reset"))
        await world.clock.advance(60)
        assert len(server.reads("t1")) == before


async def in_secret(world: World, server: SimServer, seconds: float) -> None:
    """Let every task change each minute, which the server tells those who read only."""
    for _ in range(round(seconds / 60)):
        for task_id in server.tasks:
            said = f"at {world.clock.monotonic():.0f} s"
            server.put(task_id, **{**server.tasks[task_id], "statusMessage": said})
        await world.clock.advance(60)


@pytest.mark.parametrize("tasks", [1, 2])
async def test_a_stream_that_died_unnoticed_is_opened_again(tasks: int) -> None:
    async with watching(tasks=tasks) as (world, server, supervisor):
        await in_secret(world, server, 240)
        assert len(server.listens) == 2
        await world.clock.advance(60)
        assert coverage(supervisor) == [Coverage.PUSHED] * tasks
        server.push("t1", statusMessage="told")
        await world.clock.advance(0.1)
        assert str(supervisor.views()[0].message) == "told"


async def test_a_server_that_keeps_news_back_is_not_trusted_for_a_long_while() -> None:
    async with watching(poll_interval=15) as (world, server, supervisor):
        await in_secret(world, server, 1200)
        assert coverage(supervisor) == [Coverage.POLLED] * 2
        assert server.open_streams == 0
        assert len(server.listens) == 3
        server.put("t1", status="completed", result={})
        await world.clock.advance(20)
        assert supervisor.views()[0].state is State.COMPLETED
        server.put("t3", pollIntervalMs=15_000)
        await supervisor.save(draft(server.url, "t3"))
        await in_secret(world, server, 1800)
        assert len(server.listens) == 3
        await in_secret(world, server, 1800)  # asked once more, and found out at once
        assert coverage(supervisor)[1:] == [Coverage.POLLED] * 2
        assert len(server.listens) == 4
        await world.clock.advance(3600)
        assert coverage(supervisor)[1:] == [Coverage.PUSHED] * 2
        assert len(server.listens) == 5


async def test_a_connection_that_dies_now_and_then_is_opened_again_each_time() -> None:
    async with watching() as (world, server, supervisor):
        for _ in range(4):
            await world.clock.advance(2 * 3600)
            before = len(server.listens)
            await in_secret(world, server, 180)
            await world.clock.advance(60)
            assert len(server.listens) > before
            assert coverage(supervisor) == [Coverage.PUSHED] * 2


async def test_a_stream_that_is_never_acknowledged_is_opened_again() -> None:
    async with watching(tasks=0) as (world, server, supervisor):
        server.silent = True
        server.put("t1")
        await supervisor.save(draft(server.url, "t1"))
        await world.clock.advance(300)
        assert coverage(supervisor) == [Coverage.POLLED]
        assert 2 <= len(server.listens) <= 5
        server.silent = False
        await world.clock.advance(150)
        assert coverage(supervisor) == [Coverage.PUSHED]
        assert server.open_streams == 1


async def test_tasks_that_were_held_are_pushed_again() -> None:
    async with watching(tasks=100) as (world, server, supervisor):
        keys = [view.key for view in supervisor.views()]
        for _ in range(2):
            await supervisor.hold(keys, True)
            await world.clock.advance(10)
            assert server.open_streams == 0
            await supervisor.hold(keys, False)
            await world.clock.advance(60)
            assert set(coverage(supervisor)) == {Coverage.PUSHED}
        before = len(server.reads())
        await world.clock.advance(60)
        assert len(server.reads()) - before <= 120
        assert len(server.listens) == 3


async def test_tasks_that_were_gone_for_a_while_are_pushed_again() -> None:
    async with watching() as (world, server, supervisor):
        tasks = dict(server.tasks)
        server.tasks.clear()
        for _ in range(3):
            await supervisor.refresh("k1")
            await supervisor.refresh("k2")
        await world.clock.advance(10)
        assert {view.state for view in supervisor.views()} == {State.GONE}
        assert server.open_streams == 0
        server.tasks.update(tasks)
        await supervisor.refresh("k1")
        await supervisor.refresh("k2")
        await world.clock.advance(10)
        assert coverage(supervisor) == [Coverage.PUSHED] * 2


async def test_what_was_not_acknowledged_is_no_reason_to_ask_again() -> None:
    async with watching(lambda ids: [one for one in ids if one != "t2"]) as (world, server, engine):
        await engine.hold(["k1"], True)
        await world.clock.advance(10)
        await engine.hold(["k2"], True)
        await engine.hold(["k2"], False)
        await world.clock.advance(10)
        assert len(server.listens) == 1
        await engine.hold(["k1"], False)
        await world.clock.advance(10)
        assert coverage(engine) == [Coverage.PUSHED, Coverage.POLLED]


async def test_many_tasks_are_batched() -> None:
    async with watching(tasks=1200) as (world, server, supervisor):
        await world.clock.advance(15)
        assert [len(ids) for ids in server.listens] == [500, 500, 200]
        assert set(coverage(supervisor)) == {Coverage.PUSHED}


async def test_of_too_many_tasks_others_move_up_in_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_IDS", 3)
    async with watching(tasks=16) as (world, server, supervisor):
        assert coverage(supervisor).count(Coverage.PUSHED) == 12
        for number in range(1, 5):
            assert len(server.listens) == (4 if number < 4 else 5)
            server.push(f"t{number}", status="completed", result={})
            await world.clock.advance(10)
        assert coverage(supervisor).count(Coverage.PUSHED) == 12
        assert server.open_streams == 4


async def test_quitting_between_two_streams_leaves_nothing_running() -> None:
    async with watching() as (world, server, _):
        server.end_streams(Unreachable("reset"))
        await world.clock.advance(0.5)
        assert server.open_streams == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert len(server.listens) == 1


# --- floods -----------------------------------------------------------------------------------


async def test_of_a_flood_of_progress_the_newest_is_taken_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[TaskReply | RequestError] = []

    def apply(
        known: Snapshot, observation: TaskReply | RequestError, *rest: Any, **more: Any
    ) -> Any:
        taken.append(observation)
        return reducer.apply(known, observation, *rest, **more)

    async with watching() as (world, server, supervisor):
        monkeypatch.setattr(observing, "apply", apply)
        for number in range(2000):
            server.push("t1", statusMessage=f"step {number}")
        await world.clock.advance(1)
        assert str(supervisor.views()[0].message) == "step 1999"
    assert len(taken) == 2


async def test_nothing_but_progress_is_left_out_of_a_flood() -> None:
    async with watching() as (world, server, supervisor):
        server.push("t1", statusMessage="step 1")
        server.push("t1", statusMessage="step 2")
        server.push("t1", status="input_required", inputRequests={"a": a_question("a")})
        server.push("t1", status="working", statusMessage="step 3")
        server.push("t1", status="completed", result={"n": 1})
        server.push("t1", status="working", statusMessage="too late")
        await world.clock.advance(1)
        view = supervisor.views()[0]
        assert view.state is State.COMPLETED
        assert str(view.snapshot.last_message) == "step 3"
        told = [str(entry.text) for entry in await supervisor.journal("k1")]
        assert told.index("step 2") < told.index("step 3")
        assert await supervisor.result("k1") == {"n": 1}


async def test_a_read_is_newer_than_progress_that_was_pushed_before_it() -> None:
    async with watching() as (world, server, supervisor):
        server.push("t1", statusMessage="step 1")
        server.push("t1", statusMessage="step 2")
        server.put("t1", statusMessage="step 3")
        await supervisor.refresh("k1")
        await world.clock.advance(1)
        assert str(supervisor.views()[0].message) == "step 3"
        assert coverage(supervisor) == [Coverage.PUSHED] * 2


async def test_what_was_told_just_before_the_end_is_on_disk() -> None:
    async with watching() as (world, server, _):
        server.push("t1", statusMessage="step 1")
        server.push("t1", statusMessage="step 2")
        await world.clock.advance(0.01)
    assert str(world.disk.rows["k1"].snapshot.status_message) == "step 2"

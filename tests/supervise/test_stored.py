"""A result that the disk lost: it is noticed, and read again where a person asks."""

from __future__ import annotations

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Event, Snapshot, State
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import TaskView
from tests.supervise.sim import EPOCH, SimServer, World, no_such_task

_REPORT = {"content": [{"type": "text", "text": "done"}]}
_ENDED = Snapshot(status="completed", has_result=True, observed_at=EPOCH - 86_400)


async def _ended(snapshot: Snapshot = _ENDED) -> tuple[World, SimServer]:
    """A task that ended with a result, as its state says; the disk has none."""
    world = World()
    server = world.server()
    server.put("t1", status="completed", result=_REPORT)
    await world.saved(server, "t1", snapshot=snapshot)
    return world, server


def _view(supervisor: Supervisor) -> TaskView:
    view = supervisor.view("k1")
    assert view is not None
    return view


async def test_polling_an_ended_task_brings_back_the_result_that_the_disk_lost() -> None:
    world, server = await _ended()
    async with world.supervisor() as supervisor:
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        assert await supervisor.result("k1") == _REPORT
        view = _view(supervisor)
    assert len(server.reads()) == 1
    assert view.state is State.COMPLETED
    assert (view.snapshot.has_result, view.snapshot.result_lost) == (True, False)
    assert world.disk.rows["k1"].result == _REPORT
    assert world.disk.rows["k1"].snapshot.has_result


async def test_looking_at_a_result_that_is_not_there_tells_that_it_is_lost() -> None:
    world, server = await _ended()
    async with world.supervisor() as supervisor:
        world.batches.clear()
        assert await supervisor.result("k1") is None
        lost = _view(supervisor).snapshot
        await world.clock.advance(1)
        assert {key for batch in world.batches for key in batch.changed} == {"k1"}
        assert server.reads() == []  # nothing is asked for by itself
        assert (await supervisor.refresh("k1")).snapshot.has_result
        assert await supervisor.result("k1") == _REPORT
    assert (lost.has_result, lost.result_lost) == (False, True)


async def test_a_stale_reply_brings_no_result_and_overrules_no_end() -> None:
    world, server = await _ended()
    server.put("t1", status="working", statusMessage="3/10")
    async with world.supervisor() as supervisor:
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        view = _view(supervisor)
        server.put("t1", status="failed", error={"code": 1, "message": "other"}, result=_REPORT)
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        later = _view(supervisor)
    assert len(server.reads()) == 2
    for each in (view, later):
        assert (each.state, each.snapshot.result_lost) == (State.COMPLETED, True)
    events = [event for event, _ in world.journal("k1")]
    assert events.count(Event.CONTRADICTION) == 2
    assert world.disk.rows["k1"].result is None


async def test_a_server_that_forgot_the_task_leaves_the_result_lost() -> None:
    world, server = await _ended()
    server.fault = no_such_task("t1")
    async with world.supervisor() as supervisor:
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        view = _view(supervisor)
    assert (view.state, view.snapshot.result_lost) == (State.COMPLETED, True)
    assert not view.snapshot.read.ok


async def test_the_end_of_a_task_whose_result_never_came_takes_it_later() -> None:
    world, _ = await _ended(Snapshot(status="completed", observed_at=EPOCH - 60))
    async with world.supervisor() as supervisor:
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        assert await supervisor.result("k1") == _REPORT


async def test_a_disk_that_cannot_be_read_does_not_make_a_result_a_lost_one() -> None:
    world, server = await _ended()
    world.disk.rows["k1"].result = _REPORT
    async with world.supervisor() as supervisor:

        async def fails(key: str) -> None:
            raise StoreError("the disk is away")

        world.store.result = fails  # type: ignore[method-assign]
        supervisor.poll_now(["k1"])
        await world.clock.advance(5)
        view = _view(supervisor)
    assert len(server.reads()) == 1
    assert (view.snapshot.has_result, view.snapshot.result_lost) == (True, False)


async def test_a_result_that_another_program_brought_back_is_not_taken_for_lost() -> None:
    world, _ = await _ended()
    async with world.supervisor() as first:
        assert await first.result("k1") is None
        async with world.supervisor() as second:
            await second.refresh("k1")
        await world.clock.advance(5)
        assert await first.result("k1") == _REPORT
        assert _view(first).snapshot.has_result

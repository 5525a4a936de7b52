"""What a person does to saved tasks; no question of an archived one stays hidden."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

import pytest

from mcp_tasks_tui.handles.errors import NoSuchHandle, StoreError
from mcp_tasks_tui.handles.model import Handle, SnapshotWrite
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.supervise.problems import UnknownKey
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.supervise.sim import MemoryStore, a_question, one_server, settle

ASKS = {"status": "input_required", "inputRequests": {"a": a_question()}}


def is_archived(supervisor: Supervisor, key: str = "k1") -> bool:
    view = supervisor.view(key)
    assert view is not None
    return view.archived


class SlowStore(MemoryStore):
    """Archives at once, and tells it when it is let."""

    told: asyncio.Event

    async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
        handles = await super().archive_all(keys, at)
        if at is not None:
            await self.told.wait()
        return handles


async def test_a_question_that_comes_while_its_task_is_archived_brings_it_back() -> None:
    world, server = await one_server("t1")
    world.store_class = SlowStore
    async with world.supervisor() as supervisor:
        SlowStore.told = asyncio.Event()
        await world.clock.advance(2)
        archiving = asyncio.create_task(supervisor.archive(["k1"]))
        await settle()
        server.put("t1", **ASKS)
        await world.clock.advance(2)
        SlowStore.told.set()
        await archiving
        await world.clock.advance(1)
        assert not is_archived(supervisor)
        assert any("has just asked something" in line for line in world.notices())
        assert world.disk.rows["k1"].handle.archived_at is None
        told = len(world.notices())
        await supervisor.archive(["k1"])  # the question was there to see
        await world.clock.advance(20)
        assert is_archived(supervisor)
        assert len(world.notices()) == told


async def test_a_question_seen_before_another_process_tells_that_it_archived() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as first, world.supervisor(poll=False) as second:
        await world.clock.advance(2)
        await second.archive(["k1"])
        server.put("t1", **ASKS)
        await first.refresh("k1")
        assert not is_archived(first)  # it does not know yet
        await world.clock.advance(3)
        assert not is_archived(first)
        assert world.disk.rows["k1"].handle.archived_at is None
        await second.archive(["k1"])
        await world.clock.advance(20)
        assert is_archived(first)


async def test_what_both_of_two_processes_saw_does_not_undo_an_archive() -> None:
    takes = 1.5

    class Slow(MemoryStore):
        async def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
            await self.clock.sleep(takes)
            return await super().commit(writes)

    world, server = await one_server("t1")
    world.store_class = Slow
    async with world.supervisor(seed=1) as first, world.supervisor(seed=2) as second:
        await world.clock.advance(3)
        server.put("t1", **ASKS)
        await asyncio.gather(first.refresh("k1"), second.refresh("k1"))
        await world.clock.advance(0.1)
        on_disk = world.disk.rows["k1"].snapshot.input_requests
        await first.archive(["k1"])
        await world.clock.advance(20)
        takes = 0
        assert not on_disk, "it was on its way there"
        assert is_archived(first)
        assert is_archived(second)
        server.put("t1", status="input_required", inputRequests={"b": a_question()})
        await world.clock.advance(5)
        assert not is_archived(first)
        assert not is_archived(second)


async def test_a_question_that_could_not_bring_its_task_back_does_so_after_a_restart() -> None:
    class Refusing(MemoryStore):
        async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
            if at is None:
                raise StoreError("the receipts cannot be written")
            return await super().archive_all(keys, at)

    world, server = await one_server("t1", "t2")
    world.store_class = Refusing
    async with world.supervisor() as supervisor:
        server.put("t2", **ASKS)
        await world.clock.advance(2)
        await supervisor.archive(["k1", "k2"])
        await world.clock.advance(1)
        server.put("t1", **ASKS)
        await world.clock.advance(10)
        assert is_archived(supervisor)
    world.store_class = MemoryStore
    server.fault = Unreachable("refused")
    async with world.supervisor() as supervisor:
        await world.clock.advance(1)
        assert not is_archived(supervisor)
        assert is_archived(supervisor, "k2"), "that question was there to see"


async def test_another_question_under_the_same_key_brings_a_task_back() -> None:
    world, server = await one_server("t1", **ASKS)
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        await world.clock.advance(2)
        assert is_archived(supervisor)
        server.put("t1", status="input_required", inputRequests={"a": a_question("Which zone?")})
        await world.clock.advance(2)
        assert not is_archived(supervisor)


async def test_a_question_that_is_asked_once_more_brings_a_task_back() -> None:
    world, server = await one_server("t1", **ASKS)
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        server.put("t1", statusMessage="on it")
        await world.clock.advance(2)
        assert is_archived(supervisor)
        server.put("t1", **ASKS)
        await world.clock.advance(2)
        assert not is_archived(supervisor)


async def test_what_the_disk_does_not_bring_back_is_tried_again_and_told_once() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        world.store.fault = StoreError("the disk is full")
        server.put("t1", **ASKS)
        await world.clock.advance(60)
        assert is_archived(supervisor)
        assert len([line for line in world.notices() if "asks something" in line]) == 1
        world.store.fault = None
        await world.clock.advance(10)
        assert not is_archived(supervisor)


async def test_a_fault_of_ours_does_not_leave_a_question_hidden() -> None:
    faults = [RuntimeError("a bug"), RuntimeError("a bug")]

    class Faulty(MemoryStore):
        async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
            if at is None and faults:
                raise faults.pop()
            return await super().archive_all(keys, at)

    world, server = await one_server("t1")
    world.store_class = Faulty
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        await supervisor.hold(["k1"], True)  # no further read looks again
        server.put("t1", **ASKS)
        await supervisor.refresh("k1")
        await world.clock.advance(11)
        assert not is_archived(supervisor)
    (told,) = [line for line in world.notices() if "a bug" in line]
    assert told.startswith("internal error in bringing back: RuntimeError: a bug")


async def test_a_question_that_came_just_before_the_end_is_not_hidden_at_the_next_start() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        world.store.fault = StoreError("the disk is full")
        server.put("t1", **ASKS)
        await supervisor.refresh("k1")
        await world.clock.advance(1)
        world.store.fault = None
    assert world.disk.rows["k1"].handle.archived_at is None


async def test_of_several_keys_those_of_no_task_are_told_and_the_others_are_changed() -> None:
    world, _ = await one_server("t1", "t2")
    async with world.supervisor(poll=False) as supervisor:
        keys = ["k1", "none", "k2"]
        for failures in (
            await supervisor.tag(keys, ["a", "b"]),
            await supervisor.tag(keys, ["b", "c"]),
            await supervisor.hold(keys, True),
            await supervisor.archive(keys),
        ):
            assert [(key, type(why)) for key, why in failures.items()] == [("none", UnknownKey)]
        del world.disk.rows["k2"]
        left = await supervisor.restore(keys)
        assert {key: type(why) for key, why in left.items()} == {
            "none": UnknownKey,
            "k2": NoSuchHandle,
        }
        views = {view.key: view for view in supervisor.views()}
    assert views["k1"].handle.tags == views["k2"].handle.tags == ("a", "b", "c")
    assert [views[key].snapshot.held for key in ("k1", "k2")] == [True, True]
    assert [views[key].archived for key in ("k1", "k2")] == [False, True]


async def test_where_the_disk_takes_nothing_none_is_changed() -> None:
    world, _ = await one_server("t1", "t2")
    async with world.supervisor(poll=False) as supervisor:
        world.store.fault = StoreError("the disk is full")
        with pytest.raises(StoreError, match="the disk is full"):
            await supervisor.archive(["k1", "k2"])
        assert not any(view.archived for view in supervisor.views())

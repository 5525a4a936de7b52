"""What is on its way when nobody waits for it any more, or when the program ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event
from mcp_tasks_tui.protocol.errors import TimedOut, Unreachable
from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.supervise.sendings import PATIENCE, Outcome, Sending
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.supervise.answering import answer
from tests.supervise.sim import MemoryStore, SimServer, World, a_question, draft, one_server, settle

BOTH = [Sending("answer", "k1"), Sending("cancel", "k2")]
ACCEPT = InputResponse(action="accept", content={"region": "eu"})


@asynccontextmanager
async def sending(latency: float) -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """An engine with an answer to one task and the cancel of another on their way."""
    asked = {"a": a_question()}
    world, server = await one_server("t1", "t2", status="input_required", inputRequests=asked)
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        server.latency = latency
        works = [
            asyncio.create_task(work)
            for work in (answer(supervisor, {"a": ACCEPT}), supervisor.cancel("k2"))
        ]
        await settle()
        for work in works:
            work.cancel()  # whoever waited for it has gone
        await asyncio.wait(works)
        assert supervisor.sendings_under_way() == BOTH
        yield world, server, supervisor


def answered(world: World) -> AnswerState | None:
    record = world.disk.rows["k1"].answers.get("a")
    return None if record is None else record.state


def cancels(world: World) -> list[object]:
    lines = [each for each in world.disk.rows["k2"].journal if each.event is Event.CANCEL_REQUESTED]
    return [line.data for line in lines]


async def test_what_was_sent_goes_on_when_nobody_waits_for_it_any_more() -> None:
    async with sending(latency=10) as (world, _, supervisor):
        settled = asyncio.create_task(supervisor.sendings_settled())
        await world.clock.advance(9)
        assert not settled.done()
        await world.clock.advance(2)
        assert settled.done()
        assert supervisor.sendings_under_way() == []
        assert answered(world) is AnswerState.ACKNOWLEDGED
    assert cancels(world) == [{}]
    assert supervisor.sendings_ended() == []


async def test_the_end_waits_a_moment_for_what_is_on_its_way() -> None:
    async with sending(latency=PATIENCE / 2) as (world, _, supervisor):
        closing = asyncio.create_task(supervisor.close())
        await settle()
        assert not closing.done()
        await world.clock.advance(PATIENCE / 2)
        assert closing.done()
    assert answered(world) is AnswerState.ACKNOWLEDGED
    assert cancels(world) == [{}]
    assert supervisor.sendings_ended() == [Outcome(each, "taken") for each in BOTH]


async def test_what_takes_longer_is_broken_off_and_may_have_arrived() -> None:
    async with sending(latency=100) as (world, server, supervisor):
        closing = asyncio.create_task(supervisor.close())
        await world.clock.advance(PATIENCE)
        assert closing.done()
        assert server.in_flight == 0
    assert supervisor.sendings_ended() == [Outcome(each, "unknown") for each in BOTH]
    assert answered(world) is AnswerState.SENT
    assert cancels(world) == [{"acknowledged": False}]
    assert world.disk.rows["k2"].snapshot.cancel_requested_at is not None


async def test_what_was_sent_long_ago_is_not_waited_for_once_more() -> None:
    async with sending(latency=100) as (world, _, supervisor):
        await world.clock.advance(PATIENCE)
        assert supervisor.send_no_more() == []
        closing = asyncio.create_task(supervisor.close())
        await settle()
        assert closing.done()
    assert supervisor.sendings_ended() == [Outcome(each, "unknown") for each in BOTH]


async def test_what_fails_while_the_end_waits_for_it_is_known_afterwards() -> None:
    async with sending(latency=PATIENCE / 2) as (world, server, supervisor):
        server.update_fault = TimedOut("total", 1.0)
        server.cancel_fault = Unreachable("refused")
        assert supervisor.send_no_more() == BOTH
        closing = asyncio.create_task(supervisor.close())
        await world.clock.advance(PATIENCE / 2)
        assert closing.done()
    answer, cancel = supervisor.sendings_ended()
    assert (answer.sending, answer.what) == (BOTH[0], "unknown")
    assert cancel == Outcome(BOTH[1], "not taken", str(Unreachable("refused")))


@asynccontextmanager
async def claiming(takes: float) -> AsyncIterator[tuple[World, SimServer, Supervisor]]:
    """An engine with an answer whose claim is on the disk, which takes its time to say so."""

    class Slow(MemoryStore):
        async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
            done = await super().claim_answer(key, record, again=again)
            await self.clock.sleep(takes)
            return done

    asked = {"a": a_question()}
    world, server = await one_server("t1", status="input_required", inputRequests=asked)
    world.store_class = Slow
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        answering = asyncio.create_task(answer(supervisor, {"a": ACCEPT}))
        await settle()
        assert answered(world) is AnswerState.INTENDED
        yield world, server, supervisor
        await asyncio.wait([answering])


@pytest.mark.parametrize("takes", [PATIENCE / 2, 100.0])
async def test_what_is_claimed_only_when_the_program_ends_is_not_sent(takes: float) -> None:
    async with claiming(takes) as (world, server, supervisor):
        closing = asyncio.create_task(supervisor.close())
        await settle()
        assert closing.done(), "there is nothing to wait for"
        await world.clock.advance(2 * takes)
    assert answered(world) is None
    assert server.sent("tasks/update") == []
    assert supervisor.sendings_ended() == [Outcome(Sending("answer", "k1"), "not sent")]


async def test_nothing_is_sent_once_nobody_wants_anything_sent_any_more() -> None:
    async with claiming(takes=1) as (world, server, supervisor):
        assert supervisor.send_no_more() == []
        with pytest.raises(asyncio.CancelledError):
            await supervisor.cancel("k1")
        await world.clock.advance(5)
        assert server.sent("tasks/update") == server.sent("tasks/cancel") == []


async def test_handles_and_history_are_saved_before_anything_is_waited_for() -> None:
    async with sending(latency=100) as (world, server, supervisor):
        world.store.fault = StoreError("the disk is full")
        with pytest.raises(StoreError):
            await supervisor.save(draft(server.url, "made"))
        await supervisor.hold(["k1"], True)
        await settle()
        world.store.fault = None
        closing = asyncio.create_task(supervisor.close())
        await settle()
        assert not closing.done()
        assert [row.handle.task_id for row in world.disk.rows.values()] == ["t1", "t2", "made"]
        assert world.disk.rows["k1"].snapshot.held
        await world.clock.advance(PATIENCE)
        assert closing.done()


async def test_a_disk_that_does_not_answer_holds_up_the_end_a_moment_only() -> None:
    class Stuck(MemoryStore):
        async def set_answer(self, key: str, request_key: str, state: AnswerState) -> None:
            await asyncio.Event().wait()

    asked = {"a": a_question()}
    world, server = await one_server("t1", status="input_required", inputRequests=asked)
    world.store_class = Stuck
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        server.latency = 100
        answering = asyncio.create_task(answer(supervisor, {"a": ACCEPT}))
        await settle()
        closing = asyncio.create_task(supervisor.close())
        await world.clock.advance(PATIENCE + 1)
        assert closing.done()
        answering.cancel()
    assert supervisor.sendings_ended() == [Outcome(Sending("answer", "k1"), "unknown")]

"""What is on its way when nobody waits for it any more, or when the program ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event
from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.supervise.sendings import PATIENCE, Sending
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.supervise.answering import answer
from tests.supervise.sim import MemoryStore, SimServer, World, a_question, one_server, settle

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
        assert supervisor.sendings_under_way() == [Sending("answer", "k1"), Sending("cancel", "k2")]
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
    assert supervisor.sendings_broken_off() == []


async def test_the_end_waits_a_moment_for_what_is_on_its_way() -> None:
    async with sending(latency=PATIENCE / 2) as (world, _, supervisor):
        closing = asyncio.create_task(supervisor.close())
        await settle()
        assert not closing.done()
        await world.clock.advance(PATIENCE / 2)
        assert closing.done()
    assert answered(world) is AnswerState.ACKNOWLEDGED
    assert cancels(world) == [{}]
    assert supervisor.sendings_broken_off() == []


async def test_what_takes_longer_is_broken_off_and_may_have_arrived() -> None:
    async with sending(latency=100) as (world, server, supervisor):
        closing = asyncio.create_task(supervisor.close())
        await world.clock.advance(PATIENCE)
        assert closing.done()
        assert server.in_flight == 0
    assert supervisor.sendings_broken_off() == [Sending("answer", "k1"), Sending("cancel", "k2")]
    assert answered(world) is AnswerState.SENT
    assert cancels(world) == [{"acknowledged": False}]
    assert world.disk.rows["k2"].snapshot.cancel_requested_at is not None


async def test_what_is_claimed_only_when_the_program_ends_was_not_sent() -> None:
    class Slow(MemoryStore):
        async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
            done = await super().claim_answer(key, record, again=again)
            await self.clock.sleep(100)
            return done

    asked = {"a": a_question()}
    world, server = await one_server("t1", status="input_required", inputRequests=asked)
    world.store_class = Slow
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        answering = asyncio.create_task(answer(supervisor, {"a": ACCEPT}))
        await world.clock.advance(1)
        assert answered(world) is AnswerState.INTENDED
        closing = asyncio.create_task(supervisor.close())
        await world.clock.advance(PATIENCE)
        assert closing.done()
        await asyncio.wait([answering])
    assert answered(world) is None
    assert server.sent("tasks/update") == []
    assert supervisor.sendings_broken_off() == []

"""Calling tools: nothing is sent twice, no handle is lost."""

from __future__ import annotations

import asyncio

import pytest

from mcp_tasks_tui.handles.errors import DiskFull
from mcp_tasks_tui.handles.model import Event, HandleDraft, Saved, State
from mcp_tasks_tui.protocol.errors import (
    HttpError,
    NotSent,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.protocol.messages import InputNeeded, TaskCreated, ToolResult
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.problems import CallUnanswered, HandleNotSaved
from mcp_tasks_tui.supervise.view import TaskView
from tests.supervise.sim import EPOCH, MemoryStore, World, a_reply, draft


async def test_a_call_that_becomes_a_task_is_on_disk_before_anyone_is_told() -> None:
    world = World()
    server = world.server()
    server.outcome = TaskCreated(a_reply("made", statusMessage="queued"))
    server.put("made", statusMessage="1/2")
    async with world.supervisor() as supervisor:
        view = await supervisor.call(
            server.url, "build", {"n": 1}, label="nightly", tags=["ci"], saved_by="test"
        )
        assert isinstance(view, TaskView)
        row = world.disk.rows[view.key]
        assert row.handle.task_id == "made"
        assert (row.handle.tool, row.handle.arguments) == ("build", {"n": 1})
        assert (row.handle.label, row.handle.tags) == ("nightly", ("ci",))
        assert row.snapshot.status == "working"
        assert world.disk.intents == {}
        await world.clock.advance(10)
        seen = supervisor.view(view.key)
        assert seen is not None
        assert str(seen.message) == "1/2"
        sent = [line.at for line in row.journal if line.event is Event.CALL_SENT]
        assert sent == [EPOCH]
        told = [line.event for line in await supervisor.journal(view.key)]
        assert told[:3] == [Event.CALL_SENT, Event.SAVED, Event.STATUS]
    assert len(server.sent("tools/call")) == 1


@pytest.mark.parametrize(
    "outcome",
    [ToolResult({"content": []}), InputNeeded({"more": {}}, "state")],
    ids=["result", "input"],
)
async def test_a_call_that_ends_at_once_leaves_nothing_behind(
    outcome: ToolResult | InputNeeded,
) -> None:
    world = World()
    server = world.server()
    server.outcome = outcome
    async with world.supervisor() as supervisor:
        assert await supervisor.call(server.url, "quick", {}) == outcome
    assert world.disk.intents == {}
    assert world.disk.rows == {}


@pytest.mark.parametrize(
    "error",
    [
        TimedOut("total", 60),
        Unreachable("closed"),
        HttpError(504, "Gateway Timeout"),
        UnusableReply("an HTML page"),
    ],
    ids=str,
)
async def test_a_call_without_an_answer_may_have_started(error: RequestError) -> None:
    world = World()
    server = world.server()
    server.outcome = error
    async with world.supervisor() as supervisor:
        with pytest.raises(CallUnanswered, match="may have started"):
            await supervisor.call(server.url, "build", {"n": 1})
        assert len(server.sent("tools/call")) == 1
        assert [one.tool for one in supervisor.orphan_intents()] == ["build"]
    async with world.supervisor() as supervisor:
        (orphan,) = supervisor.orphan_intents()
        assert (orphan.tool, orphan.arguments) == ("build", {"n": 1})
        await supervisor.dismiss_intent(orphan.intent_id)
        assert supervisor.orphan_intents() == []
    assert world.disk.intents == {}


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("refused"),
        TimedOut("connect", 10),
        RpcError(-32602, ServerText("bad arguments"), None, 400),
        HttpError(404, "Not Found"),
        NotSent("${TOKEN} is not set"),
    ],
    ids=str,
)
async def test_a_call_that_certainly_started_nothing_says_why(error: RequestError) -> None:
    world = World()
    server = world.server()
    server.outcome = error
    async with world.supervisor() as supervisor:
        with pytest.raises(type(error)) as raised:
            await supervisor.call(server.url, "build", {})
        assert raised.value is error
        assert supervisor.orphan_intents() == []
    assert world.disk.intents == {}


async def test_a_call_under_way_is_no_orphan_and_a_dropped_one_is() -> None:
    world = World()
    server = world.server()
    server.outcome = ToolResult({})
    server.latency = 100
    async with world.supervisor() as supervisor:
        call = asyncio.create_task(supervisor.call(server.url, "slow", {}))
        await world.clock.advance(5)
        assert supervisor.orphan_intents() == []
        assert [one.tool for one in supervisor.calls_under_way()] == ["slow"]
        call.cancel()
        await world.clock.advance(1)
        assert [one.tool for one in supervisor.orphan_intents()] == ["slow"]
        assert supervisor.calls_under_way() == []
    assert [one.tool for one in supervisor.calls_broken_off()] == ["slow"]
    async with world.supervisor() as supervisor:
        assert [one.tool for one in supervisor.orphan_intents()] == ["slow"]


async def test_nothing_is_sent_where_the_intent_cannot_be_journalled() -> None:
    world = World()
    server = world.server()
    server.outcome = ToolResult({})
    async with world.supervisor() as supervisor:
        world.store.fault = DiskFull("no room")
        with pytest.raises(DiskFull):
            await supervisor.call(server.url, "build", {})
        assert server.sent("tools/call") == []


async def test_a_handle_that_cannot_be_saved_is_told_whole_and_saved_later() -> None:
    world = World()
    server = world.server()
    server.outcome = TaskCreated(a_reply("secret-id"))
    server.put("secret-id")
    server.latency = 1
    async with world.supervisor() as supervisor:
        call = asyncio.create_task(supervisor.call(server.url, "build", {}))
        await world.clock.advance(0.5)
        world.store.fault = DiskFull("no room")
        await world.clock.advance(1)
        with pytest.raises(HandleNotSaved) as raised:
            await call
        assert '"taskId": "secret-id"' in str(raised.value)
        assert server.url in str(raised.value)
        (held,) = supervisor.unsaved_handles()
        assert (held.draft, held.why) == (raised.value.draft, "no room")
        world.store.fault = None
        await world.clock.advance(10)
        (view,) = supervisor.views()
        assert (view.handle.task_id, view.state) == ("secret-id", State.WORKING)
        assert world.disk.intents == {}
        assert supervisor.unsaved_handles() == []
    assert any("saved now" in notice for notice in world.notices())


async def test_a_handle_that_never_could_be_saved_is_still_there_when_all_is_closed() -> None:
    world = World()
    server = world.server()
    server.outcome = TaskCreated(a_reply("made"))
    server.latency = 1
    async with world.supervisor() as supervisor:
        call = asyncio.create_task(supervisor.call(server.url, "build", {"n": 1}, label="nightly"))
        await world.clock.advance(0.5)
        world.store.fault = DiskFull("no room")
        await world.clock.advance(1)
        with pytest.raises(HandleNotSaved):
            await call
        with pytest.raises(HandleNotSaved):
            await supervisor.save(draft(server.url, "by hand"))
    first, second = supervisor.unsaved_handles()
    assert (first.draft.task_id, first.draft.arguments) == ("made", {"n": 1})
    assert second.draft == draft(server.url, "by hand")


async def test_a_fault_of_ours_in_saving_one_handle_ends_the_tries_of_none() -> None:
    class Faulty(MemoryStore):
        faulty = True

        async def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
            if self.faulty and draft.task_id == "odd":
                raise ZeroDivisionError("a fault of ours")
            return await super().save(draft, intent_id=intent_id)

    world = World()
    world.store_class = Faulty
    server = world.server()
    async with world.supervisor() as supervisor:
        world.store.fault = DiskFull("no room")
        for task_id in ("odd", "plain"):
            with pytest.raises(HandleNotSaved):
                await supervisor.save(draft(server.url, task_id))
        world.store.fault = None
        await world.clock.advance(10)
        (held,) = supervisor.unsaved_handles()
        assert (held.draft.task_id, held.why) == (
            "odd",
            "not saved: ZeroDivisionError: a fault of ours",
        )
        assert [view.handle.task_id for view in supervisor.views()] == ["plain"]
        assert isinstance(world.store, Faulty)
        world.store.faulty = False
        await world.clock.advance(10)
        assert supervisor.unsaved_handles() == []
    assert {row.handle.task_id for row in world.disk.rows.values()} == {"odd", "plain"}


async def test_a_call_that_is_left_while_its_handle_is_saved_keeps_it() -> None:
    class Slow(MemoryStore):
        async def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
            await self.clock.sleep(10)
            return await super().save(draft, intent_id=intent_id)

    world = World()
    world.store_class = Slow
    server = world.server()
    server.outcome = TaskCreated(a_reply("made"))
    async with world.supervisor() as supervisor:
        call = asyncio.create_task(supervisor.call(server.url, "build", {}))
        await world.clock.advance(1)
        call.cancel()
        await world.clock.advance(1)
        assert [one.draft.task_id for one in supervisor.unsaved_handles()] == ["made"]
        await world.clock.advance(20)
        assert supervisor.unsaved_handles() == []
    assert [row.handle.task_id for row in world.disk.rows.values()] == ["made"]


async def test_a_call_that_another_process_lost_is_found_when_it_is_asked_for() -> None:
    world = World()
    server = world.server()
    server.outcome = Unreachable("closed")
    async with world.supervisor() as here, world.supervisor(poll=False) as there:
        with pytest.raises(CallUnanswered):
            await there.call(server.url, "build", {})
        assert [one.tool for one in await here.find_orphan_intents()] == ["build"]
        assert [one.tool for one in here.orphan_intents()] == ["build"]


async def test_a_called_task_is_watched_where_only_some_are() -> None:
    world = World()
    server = world.server()
    server.put("other")
    server.put("made")
    server.acknowledges = list
    server.outcome = TaskCreated(a_reply("made"))
    await world.saved(server, "other")
    async with world.supervisor(keys=()) as supervisor:
        await supervisor.save(draft(server.url, "saved by hand"))
        await supervisor.call(server.url, "build", {})
        await world.clock.advance(60)
    assert {one.task_id for one in server.sent("tasks/get")} == {"made"}
    assert server.listens == [["made"]]

"""Reads that fail: the last state is kept, and no other task is held up."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    ReplyTooLarge,
    RequestError,
    RpcError,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.alerts import AlertKind
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage, Reason
from tests.supervise.looking import line_of, view_of
from tests.supervise.sim import World, one_server


def state_of(supervisor: Supervisor, key: str) -> State:
    return view_of(supervisor, key).state


async def test_a_failing_read_keeps_the_last_state_and_goes_on() -> None:
    world = World()
    server = world.server()
    server.put("t1", statusMessage="7/9")
    server.put("t2")
    await world.saved(server, "t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        error = RpcError(-32603, ServerText("Internal server error"), None, 200)
        server.script = lambda _, name: error if name == "t1" else {"status": "working"}
        await world.clock.advance(120)
        view = view_of(supervisor, "k1")
        assert view.state is State.WORKING
        assert view.snapshot.read.failures >= 2
        assert [one.reason for one in view.attention] == [Reason.READ_FAILING]
        assert line_of(supervisor).health is Health.OK
        assert len(server.reads("t2")) > 100
        server.script = None
        await world.clock.advance(70)
        assert view_of(supervisor, "k1").snapshot.read.ok


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (AuthFailed(401, "Unauthorized", hint=None, challenge=None), 8),
        (AuthFailed(403, "Forbidden", hint=None, challenge=None), 8),
        (ReplyTooLarge(2**25), 8),
        (UnusableReply("the reply is about another task"), 80),
        (HttpError(500, "Internal Server Error"), 80),
    ],
    ids=str,
)
async def test_what_a_server_answers_about_one_task_holds_no_other(
    error: RequestError, most: int
) -> None:
    world = World()
    server = world.server()
    names = ("t1", "t2", "t3")
    for name in names:
        server.put(name)
    server.script = lambda _, name: error if name == "t1" else {"status": "working"}
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(900)
        assert line_of(supervisor).health is Health.OK
        assert len(server.reads("t2")) > 800
        assert len(server.reads("t1")) <= most
        view = view_of(supervisor, "k1")
        assert [one.reason for one in view.attention] == [Reason.READ_FAILING]
        assert view.coverage is Coverage.POLLED
        server.script = None
        supervisor.poll_now(["k1"])
        await world.clock.advance(1)
        assert view_of(supervisor, "k1").snapshot.read.ok


async def test_a_task_that_is_refused_alone_is_tried_again_with_its_server() -> None:
    world, server = await one_server("t1", "t2")
    error = AuthFailed(401, "Unauthorized", hint=None, challenge=None)
    server.script = lambda _, name: error if name == "t1" else {"status": "working"}
    async with world.supervisor() as supervisor:
        await world.clock.advance(300)
        notices: list[str] = []
        supervisor.subscribe(lambda batch: notices.extend(batch.notices))
        server.script = None
        await supervisor.retry_server(server.url)
        await world.clock.advance(2)
        assert view_of(supervisor, "k1").snapshot.read.ok
        await supervisor.retry_server(server.url)
        await world.clock.advance(1)
    assert [notice.partition(": ")[2] for notice in notices] == [
        "it answers; asked again for 1 task not read lately",
        "it is read as usual, nothing to try again",
    ]


async def test_a_reply_that_is_too_large_is_told_of_its_task_though_it_is_the_only_one() -> None:
    world, server = await one_server("t1")
    server.fault = ReplyTooLarge(2**25)
    async with world.supervisor() as supervisor:
        await world.clock.advance(900)
        assert not line_of(supervisor).retry_at
        (told,) = view_of(supervisor, "k1").attention
        assert "may have ended" in told.text
        assert "max_reply_mib" in told.text
        assert len(server.reads("t1")) <= 6


async def test_a_server_that_refuses_everything_is_not_asked_for_each_of_its_tasks() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(250)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(60)
        server.fault = AuthFailed(401, "Unauthorized", hint=None, challenge=None)
        before = len(server.reads())
        await world.clock.advance(50)
        assert line_of(supervisor).health is Health.AUTH
        assert len(server.reads()) - before <= 2 + EngineSettings().max_reads


async def test_a_bug_in_one_tasks_read_marks_that_task_alone() -> None:
    world = World()
    server = world.server()

    def script(_: float, name: str) -> dict[str, object]:
        if name == "t1":
            raise ZeroDivisionError("oops")
        return {"status": "working"}

    server.script = script
    await world.saved(server, "t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(30)
        assert view_of(supervisor, "k1").snapshot.read.error_kind == "internal"
        assert view_of(supervisor, "k2").snapshot.read.ok
        assert len(server.reads("t2")) > 20
        assert line_of(supervisor).health is Health.OK


async def test_a_vanished_task_is_gone_after_three_reads_and_can_come_back() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        del server.tasks["t1"]
        await world.clock.advance(10)
        assert state_of(supervisor, "k1") is State.GONE
        assert line_of(supervisor).health is Health.OK
        before = len(server.reads("t1"))
        await world.clock.advance(1000)
        assert 2 <= len(server.reads("t1")) - before <= 5
        server.put("t1")
        await world.clock.advance(400)
        assert state_of(supervisor, "k1") is State.WORKING
    alerts = [alert for batch in world.batches for alert in batch.alerts]
    assert [alert.kind for alert in alerts if "k1" in alert.keys] == [AlertKind.BACK]

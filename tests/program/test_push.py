"""Push on real sockets: what the demo server reports, and servers that report nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from mcp_tasks_tui.demo.scenes import ServerSpec
from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from mcp_tasks_tui.handles.model import HandleDraft, State
from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.messages import InputResponse, TaskCreated
from mcp_tasks_tui.protocol.wire import Wire
from mcp_tasks_tui.supervise import listener
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage
from tests.demo import conformance_tools
from tests.program.engine import SETTINGS, Host, engine, line, save, until
from tests.protocol.servers import Reply, Request, Then, error

LISTEN = "subscriptions/listen"
YES = InputResponse(action="accept", content={"confirm": True})


class Counted(DemoServer):
    """The demo server, counting what arrives."""

    def __init__(self) -> None:
        spec = ServerSpec("demo", "Demo server")
        super().__init__(spec, conformance_tools.TOOLS, ServerOptions(speed=100, seed=7))
        self.came: Counter[tuple[str, str]] = Counter()

    def reads(self, task_id: str) -> int:
        return self.came["tasks/get", task_id]

    @property
    def listens(self) -> int:
        return self.came[LISTEN, ""]

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        sent = request.headers
        self.came[sent.get("Mcp-Method", ""), sent.get("Mcp-Name", "")] += 1
        return await super()._handle(request)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "DEBOUNCE", 0.6)


@pytest.fixture
async def server() -> AsyncIterator[Counted]:
    counted = Counted()
    await counted.start()
    yield counted
    await counted.stop()


@pytest.fixture
async def elsewhere(server: Counted) -> AsyncIterator[TaskClient]:
    """Another program that uses the same server."""
    wire = Wire(environ={})
    yield wire.client(server.url)
    await wire.close()


async def asking(client: TaskClient, count: int) -> list[str]:
    """Start tasks that wait for an answer; return their ids."""
    started = [await client.call_tool("confirm_delete", {}) for _ in range(count)]
    return [one.reply.task.task_id for one in started if isinstance(one, TaskCreated)]


def covered(supervisor: Supervisor) -> set[Coverage]:
    return {view.coverage for view in supervisor.views() if not view.state.ended}


async def test_pushed_tasks_are_not_polled_and_polled_at_once_when_the_stream_is_lost(
    home: Path, server: Counted, elsewhere: TaskClient
) -> None:
    first, second, late = await asking(elsewhere, 3)
    key, _ = save(home, server.url, first, second)
    async with engine(home) as supervisor:
        await until(lambda: covered(supervisor) == {Coverage.PUSHED})
        assert supervisor.servers()[0].pushed
        assert server.listens == 1
        before = server.came.copy()
        await elsewhere.update_task(first, {"confirm": YES})
        await until(lambda: supervisor.views()[0].state is State.COMPLETED)
        assert (await supervisor.result(key))["isError"] is False
        reads = server.came - before
        assert reads["tasks/get", first] + reads["tasks/get", second] <= 2

        pushed = server.reads(second)
        server.go_away(0.2)
        await until(lambda: covered(supervisor) == {Coverage.POLLED})
        await until(lambda: server.reads(second) > pushed + 1)
        await until(lambda: covered(supervisor) == {Coverage.PUSHED})
        assert server.listens == 2

        await supervisor.save(HandleDraft(server.url, late))
        await until(lambda: len(supervisor.views()) == 3)
        await until(lambda: covered(supervisor) == {Coverage.PUSHED})
        assert server.listens == 3


def _acknowledges_nothing(_: Request) -> Sequence[Any]:
    message = (
        b'{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",'
        b'"params":{"notifications":{}}}'
    )
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    return (head + b"data: " + message + b"\n\n", Then.HANG)


@pytest.mark.parametrize(
    "refusal",
    [error(-32601, "unknown method", status=404), _acknowledges_nothing],
    ids=["refuses", "acknowledges nothing"],
)
async def test_a_server_that_does_not_push_is_asked_once_and_polled(
    home: Path, refusal: Reply
) -> None:
    host = Host()

    def mood(request: Request) -> Any:
        reply = refusal if request.method == LISTEN else host._well(request)
        return reply(request) if callable(reply) else reply

    host.mood = mood
    async with host.server:
        save(home, host.url, "t1")
        async with engine(home) as supervisor:
            await until(lambda: LISTEN in host.server.methods())
            await supervisor.save(HandleDraft(host.url, "t2"))
            later = time.monotonic() + listener.DEBOUNCE + 0.5
            await until(lambda: len(host.reads("t2", since=later)) > 1)
            assert covered(supervisor) == {Coverage.POLLED}
            assert not line(supervisor, host).pushed
            assert line(supervisor, host).text == ""
            assert host.longest_gap("t1") < SETTINGS.pushed_poll / 10
    assert host.server.methods().count(LISTEN) == 1

"""Where a request may go and what it carries: redirects, cookies, ids, credentials."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.protocol.errors import HttpError, NotSent
from mcp_tasks_tui.protocol.jsonrpc import parse
from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.servers import Reply, ScriptedServer, Then, events, http, result, task
from tests.protocol.wires import CALM, failing_read, failure_after


class _Secret:
    async def headers(self) -> dict[str, str]:
        return {"Authorization": "Bearer s3cr3t"}

    async def refresh(self) -> bool:
        return False


@pytest.mark.parametrize("status", [307, 308])
async def test_redirects_within_the_origin_keep_everything(wire: Wire, status: int) -> None:
    moved = http(status, headers={"Location": "/other/mcp"})
    async with ScriptedServer(moved, result(task())) as server:
        await wire.client(server.url, _Secret()).get_task("t1")
        first, second = server.requests
    assert second.path == "/other/mcp"
    assert first.body == second.body
    assert second.headers["authorization"] == "Bearer s3cr3t"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_nothing_goes_to_another_origin(wire: Wire, status: int) -> None:
    async with ScriptedServer(result(task())) as other:
        moved = http(status, headers={"Location": other.url})
        async with ScriptedServer(moved) as server:
            failure = await failing_read(wire.client(server.url, _Secret()))
        assert other.connections == 0
    assert isinstance(failure, HttpError)
    assert other.url in str(failure)


@pytest.mark.parametrize(
    "location", ["", "file:///etc/passwd", "http://u:p@127.0.0.1/", "http://[::", "//evil.example/"]
)
async def test_redirects_to_nowhere(wire: Wire, location: str) -> None:
    failure = await failure_after(wire, http(307, headers={"Location": location}))
    assert isinstance(failure, HttpError)
    assert failure.status == 307


async def test_redirects_in_a_circle_end(wire: Wire) -> None:
    async with ScriptedServer(http(307, headers={"Location": "/mcp"})) as server:
        failure = await failing_read(wire.client(server.url))
        assert len(server.requests) == 4
    assert "circle" in str(failure)


async def test_cookies_are_not_given_back(wire: Wire) -> None:
    cookie = {"Set-Cookie": "session=1; Path=/"}
    async with ScriptedServer(result(task(), headers=cookie)) as server:
        client = wire.client(server.url)
        await client.get_task("t1")
        await client.get_task("t1")
        assert all("cookie" not in request.headers for request in server.requests)


async def test_a_task_id_of_any_text_arrives_unharmed(wire: Wire) -> None:
    task_id = "täsk-タスク\r\nX-Evil: 1"
    async with ScriptedServer(result(task(task_id))) as server:
        await wire.client(server.url).get_task(task_id)
        assert server.requests[0].message["params"]["taskId"] == task_id
        assert server.requests[0].headers["mcp-name"].startswith("=?base64?")
        assert "x-evil" not in server.requests[0].headers


@pytest.mark.parametrize("value", ["Bearer x\n", "Bearer ä", "Bearer x\r\nX-Evil: 1"])
async def test_credentials_that_http_cannot_carry_are_not_sent(wire: Wire, value: str) -> None:
    class Bad(_Secret):
        async def headers(self) -> dict[str, str]:
            return {"Authorization": value}

    async with ScriptedServer(result(task())) as server:
        failure = await failing_read(wire.client(server.url, Bad()))
        assert server.connections == 0
    assert isinstance(failure, NotSent)
    assert "Bearer" not in str(failure)


@pytest.mark.parametrize(
    "url", ["ftp://x/", "http://u:p@x/", "not a url", "http://", "http://x/" + "a" * 70_000]
)
def test_urls_that_cannot_be_spoken_to(url: str) -> None:
    with pytest.raises(NotSent):
        Wire(environ={}).client(url)


async def test_a_closed_wire_sends_nothing(wire: Wire) -> None:
    async with ScriptedServer(result(task())) as server:
        client = wire.client(server.url)
        await client.get_task("t1")
        await wire.close()
        assert isinstance(await failing_read(client), NotSent)
        assert len(server.requests) == 1


async def test_a_cancelled_poll_hangs_up(wire: Wire) -> None:
    async with ScriptedServer([Then.HANG]) as server:
        poll = asyncio.ensure_future(wire.client(server.url).get_task("t1"))
        while not server.requests:
            await asyncio.sleep(0)
        poll.cancel()
        await asyncio.wait_for(server.hung_up.wait(), 20)
        with pytest.raises(asyncio.CancelledError):
            await poll


@pytest.mark.parametrize("answer", [result, lambda value: events({"id": ..., "result": value})])
@pytest.mark.parametrize("size", [1_000, 1_000_000])
async def test_a_large_reply_is_read_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[Any], Reply], size: int
) -> None:
    readers = []

    def recorded(body: bytes) -> Any:
        readers.append(threading.current_thread())
        return parse(body)

    monkeypatch.setattr("mcp_tasks_tui.protocol.transport.answer.parse", recorded)
    wire = Wire(replace(CALM, reply_bytes=2_000_000), environ={})
    said = {"structuredContent": {"text": "x" * size}}
    async with ScriptedServer(answer(task(status="completed", result=said))) as server:
        reply = await wire.client(server.url).get_task("t1")
    await wire.close()
    assert reply.task.result == said
    assert [reader is threading.main_thread() for reader in readers] == [size < 100_000]

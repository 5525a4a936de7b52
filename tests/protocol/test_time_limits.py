"""How long an answer may take, and connections that are used again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.protocol.errors import HttpError, TimedOut, Unreachable
from mcp_tasks_tui.protocol.messages import TaskCreated, ToolResult
from mcp_tasks_tui.protocol.transport import answer
from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.servers import (
    Request,
    ScriptedServer,
    Then,
    chunked,
    http,
    raw_server,
    read_request,
    result,
    task,
)
from tests.protocol.wires import CALM, failing_read, failure_after

HASTY = replace(CALM, silence=0.15)


@pytest.fixture
async def hasty() -> AsyncIterator[Wire]:
    wire = Wire(HASTY, environ={})
    yield wire
    await wire.close()


async def test_a_reason_phrase_of_any_bytes_is_no_trouble(wire: Wire) -> None:
    failure = await failure_after(wire, http(404).replace(b"Whatever", b"Nicht m\xf6glich \x1b[2J"))
    assert isinstance(failure, HttpError)
    assert "\x1b" not in str(failure)


async def test_large_but_plausible_headers_are_read(wire: Wire) -> None:
    policy = {"Content-Security-Policy": "x" * 20_000}
    async with ScriptedServer(result(task(), headers=policy)) as server:
        assert (await wire.client(server.url).get_task("t1")).task.status == "working"


@pytest.mark.parametrize(
    "steps",
    [
        [Then.HANG],
        [b"HTTP/1.1 200 OK\r\n", Then.HANG],
        [http(body=b'{"jsonrpc"')[:-3], Then.HANG],
        [b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n", Then.HANG],
    ],
)
async def test_silence_is_a_time_out_and_the_connection_is_given_up(
    hasty: Wire, steps: list[Any]
) -> None:
    async with ScriptedServer(steps) as server:
        failure = await failing_read(hasty.client(server.url))
        await asyncio.wait_for(server.hung_up.wait(), 20)
    assert isinstance(failure, TimedOut)
    assert (failure.phase, failure.seconds) == ("silence", HASTY.silence)


async def test_a_dripping_answer_ends_at_the_total_time() -> None:
    """Each byte resets the silence; only the total ends it."""
    drops = 0

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal drops
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            drops += 1
            await asyncio.sleep(0.02)

    wire = Wire(replace(CALM, total=0.3), environ={})
    async with raw_server(drip) as url:
        failure = await failing_read(wire.client(url))
    await wire.close()
    assert drops > 1
    assert isinstance(failure, TimedOut)
    assert (failure.phase, failure.seconds) == ("total", 0.3)


async def test_a_call_may_take_longer_than_any_read_limit() -> None:
    limits = replace(CALM, silence=0.1, total=0.2)

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        if request.method == "tools/call":
            await asyncio.sleep(limits.total + 0.2)
        body = {"id": request.message["id"], "result": {"content": [], "tools": []}}
        writer.write(http(body=json.dumps(body).encode()))

    wire = Wire(limits, environ={})
    async with raw_server(slow) as url:
        assert isinstance(await wire.client(url).call_tool("slow", {}), ToolResult)
    await wire.close()


async def test_the_user_s_own_time_limit_ends_a_call(wire: Wire) -> None:
    async with ScriptedServer(result({"tools": []}), [Then.HANG]) as server:
        with pytest.raises(TimedOut) as caught:
            await wire.client(server.url).call_tool("slow", {}, timeout=0.3)
        await asyncio.wait_for(server.hung_up.wait(), 20)
        assert server.methods() == ["tools/list", "tools/call"]
    assert caught.value.seconds == 0.3


async def test_polls_share_a_connection(wire: Wire) -> None:
    async with ScriptedServer(result(task())) as server:
        client = wire.client(server.url)
        for _ in range(3):
            await client.get_task("t1")
        assert server.connections == 1


async def test_a_poll_on_a_connection_found_dead_is_repeated_once(wire: Wire) -> None:
    async with ScriptedServer(result(task()), [Then.CLOSE], result(task())) as server:
        client = wire.client(server.url)
        await client.get_task("t1")
        assert (await client.get_task("t1")).task.status == "working"
        assert [request.connection for request in server.requests] == [0, 0, 1]


async def test_a_connection_that_the_server_closed_meanwhile_is_no_fault(wire: Wire) -> None:
    def once(request: Request) -> list[bytes | Then]:
        body = json.dumps({"id": request.message["id"], "result": task()}).encode()
        return [http(body=body), Then.CLOSE]

    async with ScriptedServer(once) as server:
        client = wire.client(server.url)
        for _ in range(5):
            await client.get_task("t1")
        assert server.connections == 5


async def test_a_poll_is_not_repeated_twice(wire: Wire) -> None:
    async with ScriptedServer(result(task()), [Then.CLOSE]) as server:
        client = wire.client(server.url)
        await client.get_task("t1")
        assert isinstance(await failing_read(client), Unreachable)
        assert len(server.requests) == 3


@pytest.mark.parametrize("method", ["tasks/cancel", "tasks/update", "tools/call"])
async def test_nothing_but_a_poll_is_ever_repeated_or_sent_on_a_used_connection(
    wire: Wire, method: str
) -> None:
    script = [result(task()), result({"tools": []}), [Then.CLOSE]]
    async with ScriptedServer(*script) as server:
        client = wire.client(server.url)
        await client.get_task("t1")
        await client.list_tools()
        sends: dict[str, Callable[[], Awaitable[object]]] = {
            "tasks/cancel": lambda: client.cancel_task("t1"),
            "tasks/update": lambda: client.update_task("t1", {}),
            "tools/call": lambda: client.call_tool("x", {}),
        }
        with pytest.raises(Unreachable):
            await sends[method]()
        assert server.methods() == ["tasks/get", "tools/list", method]
        assert [request.connection for request in server.requests] == [0, 0, 1]


async def test_at_most_so_many_polls_at_once(wire: Wire) -> None:
    at_once = 0
    most = 0
    release = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal at_once, most
        request = await read_request(reader)
        at_once += 1
        most = max(most, at_once)
        if at_once == CALM.polls:
            release.set()
        await release.wait()
        at_once -= 1
        body = {"id": request.message["id"], "result": task()}
        writer.write(http(body=json.dumps(body).encode(), headers={"Connection": "close"}))

    async with raw_server(hold) as url:
        client = wire.client(url)
        replies = await asyncio.gather(*(client.get_task("t1") for _ in range(30)))
    assert len(replies) == 30
    assert most == CALM.polls


def _polls_hang(request: Request) -> list[bytes | Then]:
    if request.method == "tasks/get":
        return [Then.HANG]
    body = {"id": request.message["id"], "result": {"resultType": "complete"}}
    return [http(body=json.dumps(body).encode())]


async def test_what_a_person_asks_for_does_not_wait_for_polls(wire: Wire) -> None:
    async with ScriptedServer(_polls_hang) as server:
        client = wire.client(server.url)
        polls = [asyncio.ensure_future(client.get_task(f"t{number}")) for number in range(30)]
        while len(server.requests) < CALM.polls:
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await client.cancel_task("t1")
            await client.update_task("t1", {})
        assert server.methods() == [*["tasks/get"] * CALM.polls, "tasks/cancel", "tasks/update"]
        assert server.most_in_flight == CALM.in_flight
        for poll in polls:
            poll.cancel()
        await asyncio.gather(*polls, return_exceptions=True)


async def test_polls_that_wait_let_pass_what_a_person_asks_for() -> None:
    wire = Wire(replace(CALM, in_flight=2, polls=1), environ={})
    order: list[str] = []
    answers = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await read_request(reader)
            order.append(request.method)
            await answers.wait()
            body = {"id": request.message["id"], "result": task()}
            writer.write(http(body=json.dumps(body).encode()))

    async with raw_server(talk) as url:
        client = wire.client(url)
        polls = [asyncio.ensure_future(client.get_task("t1")) for _ in range(3)]
        acts = [asyncio.ensure_future(client.update_task("t1", {}))]
        while len(order) < 2:
            await asyncio.sleep(0)
        acts += [asyncio.ensure_future(client.cancel_task("t1")) for _ in range(2)]
        await asyncio.sleep(0)
        answers.set()
        await asyncio.gather(*polls, *acts)
    await wire.close()
    assert order[2:4] == ["tasks/cancel"] * 2


def _held_open(request: Request) -> list[bytes | Then]:
    """An event stream with the reply, which is not ended."""
    made = {**task("made"), "resultType": "task"}
    value = made if request.method == "tools/call" else task()
    body = json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": value})
    return [chunked(f"data: {body}\n\n".encode()).removesuffix(b"0\r\n\r\n"), Then.HANG]


async def test_a_handle_is_returned_when_it_is_there_whatever_becomes_of_its_stream(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "_DRAIN_SECONDS", 3600.0)
    async with ScriptedServer(result({"tools": []}), _held_open) as server:
        made = await wire.client(server.url).call_tool("build", {}, timeout=10)
        assert isinstance(made, TaskCreated)
        await asyncio.wait_for(server.hung_up.wait(), 20)


async def test_a_reply_that_is_there_is_safe_from_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer, "_DRAIN_SECONDS", 0.7)
    wire = Wire(replace(CALM, total=0.6), environ={})
    async with ScriptedServer(_held_open) as server:
        assert (await wire.client(server.url).get_task("t1")).task.status == "working"
    await wire.close()

"""Every way a request can end, on real sockets. Time limits are shortened, never waited out."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import ssl
import threading
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    MissingCapability,
    NoSuchTask,
    NotSent,
    RateLimited,
    ReplyTooLarge,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.protocol.jsonrpc import parse
from mcp_tasks_tui.protocol.messages import TaskCreated, ToolResult
from mcp_tasks_tui.protocol.transport import answer
from mcp_tasks_tui.protocol.transport.connections import Connections, Limits
from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.servers import (
    Reply,
    Request,
    ScriptedServer,
    Then,
    chunked,
    error,
    events,
    http,
    raw_server,
    read_request,
    result,
    task,
)

#: Far longer than any answer takes, so that a busy machine fails no test.
CALM = Limits(connect=20.0, silence=20.0, total=40.0, reply_bytes=100_000)
HASTY = replace(CALM, silence=0.15)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire(CALM, environ={})
    yield wire
    await wire.close()


@pytest.fixture
async def hasty() -> AsyncIterator[Wire]:
    wire = Wire(HASTY, environ={})
    yield wire
    await wire.close()


async def _failure(client: TaskClient) -> RequestError:
    with pytest.raises(RequestError) as caught:
        await client.get_task("t1")
    return caught.value


async def _failure_of(wire: Wire, *replies: Reply) -> RequestError:
    async with ScriptedServer(*replies) as server:
        return await _failure(wire.client(server.url))


async def _free_port() -> int:
    server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


# --- no connection ---------------------------------------------------------------------------


async def test_refused(wire: Wire) -> None:
    failure = await _failure(wire.client(f"http://127.0.0.1:{await _free_port()}/mcp"))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "refused"


async def test_a_host_name_that_does_not_exist(wire: Wire) -> None:
    failure = await _failure(wire.client("http://no-such-host.invalid/mcp"))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "dns"


async def test_a_certificate_that_nobody_vouches_for(wire: Wire) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    async with ScriptedServer(result(task()), tls=context) as server:
        failure = await _failure(wire.client(server.url))
        assert server.requests == []
    assert isinstance(failure, Unreachable)
    assert failure.cause == "tls"
    assert "self-signed certificate" in str(failure)


async def test_https_to_a_server_that_speaks_http(wire: Wire) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(http(400))

    async with raw_server(plain) as url:
        failure = await _failure(wire.client(url.replace("http:", "https:")))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "tls"


async def test_a_connection_that_is_never_made() -> None:
    """The handshake is part of connecting; here the other side never takes part in it."""
    wire = Wire(replace(CALM, connect=0.2), environ={})
    async with ScriptedServer(result(task())) as server:
        failure = await _failure(wire.client(server.url.replace("http:", "https:")))
        assert server.connections == 1
    await wire.close()
    assert isinstance(failure, TimedOut)
    assert (failure.phase, failure.seconds) == ("connect", 0.2)


async def test_a_proxy_that_cannot_be_reached_is_named_as_the_cause() -> None:
    wire = Wire(CALM, environ={"HTTP_PROXY": f"http://127.0.0.1:{await _free_port()}"})
    failure = await _failure(wire.client("http://server.example/mcp"))
    await wire.close()
    assert isinstance(failure, Unreachable)
    assert failure.cause == "proxy"
    assert "cannot be reached" in str(failure)


async def test_a_socks_proxy_is_refused_in_words() -> None:
    wire = Wire(CALM, environ={"ALL_PROXY": "socks5://127.0.0.1:1080"})
    failure = await _failure(wire.client("http://server.example/mcp"))
    await wire.close()
    assert "SOCKS is not supported" in str(failure)


class CountedEnvironment(dict[str, str]):
    looked_up = 0

    def get(self, name: str, default: Any = None) -> Any:
        self.looked_up += 1
        return super().get(name, default)


async def test_the_proxy_of_a_server_is_looked_up_once() -> None:
    environ = CountedEnvironment(HTTP_PROXY="http://proxy.example:3128", NO_PROXY="10.0.0.0/8")
    connections = Connections(Limits(), environ)
    try:
        one = connections.carrier("http://one.example/mcp", pooled=True)
        looked_up = environ.looked_up
        assert looked_up > 0
        for _ in range(3):
            assert connections.carrier("http://one.example/mcp", pooled=True) is one
        assert environ.looked_up == looked_up
        assert connections.carrier("http://one.example/mcp", pooled=False) is not one
        assert connections.carrier("http://10.1.2.3/mcp", pooled=True) is not one
    finally:
        await connections.close()
    with pytest.raises(NotSent):
        connections.carrier("http://one.example/mcp", pooled=True)


async def test_a_proxy_carries_what_is_not_on_this_machine() -> None:
    async with ScriptedServer(result(task())) as proxy:
        origin = proxy.url.removesuffix("/mcp")
        wire = Wire(CALM, environ={"HTTP_PROXY": origin})
        await wire.client("http://server.example/mcp").get_task("t1")
        async with ScriptedServer(result(task())) as local:
            await wire.client(local.url).get_task("t1")
            assert len(local.requests) == 1
        await wire.close()
        assert [request.path for request in proxy.requests] == ["http://server.example/mcp"]


# --- a connection, but no answer -------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "cause"),
    [
        ([Then.CLOSE], "closed"),
        ([Then.RESET], "reset"),
        ([b"HTTP/1.1 200 OK\r\nContent-", Then.CLOSE], "closed"),
        ([http(body=b"12345")[:-2], Then.CLOSE], "closed"),
        ([chunked(b"data: x\n\n")[:-5], Then.CLOSE], "closed"),
        ([b"SSH-2.0-OpenSSH_9.6\r\n\r\n", Then.CLOSE], "not-http"),
        ([b"\x15\x03\x01\x00\x02\x02\x0a\r\n\r\n", Then.CLOSE], "not-http"),
        ([http(headers={"X-Huge": "x" * 200_000})], "not-http"),
    ],
)
async def test_connections_that_end_badly(wire: Wire, steps: list[Any], cause: str) -> None:
    async with ScriptedServer(steps) as server:
        failure = await _failure(wire.client(server.url))
        assert len(server.requests) == 1
    assert isinstance(failure, Unreachable)
    assert failure.cause == cause


async def test_a_reason_phrase_of_any_bytes_is_no_trouble(wire: Wire) -> None:
    failure = await _failure_of(wire, http(404).replace(b"Whatever", b"Nicht m\xf6glich \x1b[2J"))
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
        failure = await _failure(hasty.client(server.url))
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
        failure = await _failure(wire.client(url))
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


# --- kept-alive connections ------------------------------------------------------------------


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
        assert isinstance(await _failure(client), Unreachable)
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


# --- answers that are no replies -------------------------------------------------------------


async def test_a_login_page_with_200(wire: Wire) -> None:
    page = b"<!doctype html><title>Sign in</title>"
    failure = await _failure_of(wire, http(200, page, "text/html"))
    assert isinstance(failure, UnusableReply)
    assert "Sign in" in str(failure)


async def test_a_gateway_page_with_502(wire: Wire) -> None:
    failure = await _failure_of(wire, http(502, b"<html><title>502</title>", "text/html"))
    assert type(failure) is HttpError
    assert failure.status == 502


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (http(200), "empty body"),
        (http(202), "empty body"),
        (http(200, b"[]"), "not an MCP reply"),
        (http(200, b"null"), "not an MCP reply"),
        (http(200, b'{"error":"invalid_token"}'), "invalid_token"),
        (http(200, b'{"jsonrpc":"2.0","id":1,"resu'), "not usable JSON"),
        (http(200, b'{"jsonrpc":"2.0","id":99,"result":{}}'), "another request"),
        (
            http(200, b'{"jsonrpc":"2.0","id":1,"result":{"taskId":"other","status":"x"}}'),
            "another task",
        ),
        (http(200, b'{"id":1,"result":' + b"[" * 9_000 + b"]" * 8_999 + b"}"), "not usable JSON"),
        (http(200, b'{"id":1,"result":{"a":nan}}'), "not usable JSON"),
        (http(200, b'{"id":1,"result":"' + b"x" * 100_000 + b'"}'), "larger than 100000 bytes"),
        (http(200, b"{}", headers={"Content-Encoding": "br"}), "compressed with br"),
        (http(200, b"{}", headers={"Content-Encoding": "gzip"}), "damaged"),
        (
            http(
                200, gzip.compress(b"{}" * 500, mtime=0)[:-12], headers={"Content-Encoding": "gzip"}
            ),
            "breaks off",
        ),
    ],
)
async def test_bodies_that_are_no_reply(wire: Wire, reply: bytes, words: str) -> None:
    failure = await _failure_of(wire, reply)
    assert isinstance(failure, UnusableReply)
    assert words in str(failure)


async def test_a_gzip_bomb_is_stopped_at_the_limit(wire: Wire) -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    failure = await _failure_of(wire, http(200, bomb, headers={"Content-Encoding": "gzip"}))
    assert isinstance(failure, UnusableReply)
    assert "larger than 100000 bytes" in str(failure)


def _two_members(body: bytes) -> bytes:
    return gzip.compress(body[:50]) + gzip.compress(body[50:])


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("GZIP", _two_members),
        ("identity", bytes),
    ],
)
async def test_compressed_replies(wire: Wire, coding: str, pack: Callable[[bytes], bytes]) -> None:
    def packed(request: Request) -> bytes:
        body = json.dumps({"id": request.message["id"], "result": task(statusMessage="m" * 500)})
        return http(200, pack(body.encode()), headers={"Content-Encoding": coding})

    async with ScriptedServer(packed) as server:
        assert (await wire.client(server.url).get_task("t1")).task.status == "working"


async def test_401_and_403(wire: Wire) -> None:
    challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    failure = await _failure_of(wire, http(401, b'{"error":"invalid_token"}', headers=challenge))
    assert isinstance(failure, AuthFailed)
    assert failure.challenge is not None
    assert failure.challenge.raw == 'Bearer error="invalid_token"'
    assert "invalid_token" in str(failure)
    assert isinstance(await _failure_of(wire, http(403)), AuthFailed)
    assert isinstance(await _failure_of(wire, error(-32001, "who", status=401)), AuthFailed)
    assert isinstance(
        await _failure_of(wire, error(-32000, "origin", status=403, own_id=False)), AuthFailed
    )


async def test_a_403_about_our_own_request_is_the_json_rpc_error(wire: Wire) -> None:
    assert type(await _failure_of(wire, error(-32050, "not yours", status=403))) is RpcError


async def test_429_and_503_with_retry_after(wire: Wire) -> None:
    wait = {"Retry-After": "30"}
    failure = await _failure_of(wire, http(429, b"slow down", "text/plain", wait))
    assert isinstance(failure, RateLimited)
    assert failure.retry_after == 30.0
    dated = {
        "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT",
        "Date": "Wed, 21 Oct 2026 07:27:30 GMT",
    }
    failure = await _failure_of(wire, http(503, b"", headers=dated))
    assert isinstance(failure, RateLimited)
    assert failure.retry_after == 30.0


async def test_a_json_rpc_error_in_a_4xx_is_the_answer(wire: Wire) -> None:
    failure = await _failure_of(wire, error(-32602, "Task t1 not found", status=404))
    assert isinstance(failure, NoSuchTask)
    assert failure.http_status == 404
    assert isinstance(await _failure_of(wire, error(-32021, own_id=False)), MissingCapability)
    assert type(await _failure_of(wire, error(-32603, "boom", status=200))) is RpcError


async def test_the_server_s_clock_comes_with_the_reply(wire: Wire) -> None:
    dated = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}
    async with ScriptedServer(result(task(), headers=dated)) as server:
        assert (await wire.client(server.url).get_task("t1")).server_time == 1792567680.0


_SOUND = (
    http(200, b'{"jsonrpc":"2.0","id":1,"result":{"taskId":"t1","status":"working"}}'),
    chunked(b'data: {"jsonrpc":"2.0","id":1,"result":{"taskId":"t1","status":"\xc3\xa9"}}\n\n'),
    http(
        200, gzip.compress(b'{"id":1,"result":{}}', mtime=0), headers={"Content-Encoding": "gzip"}
    ),
    http(429, b"x", headers={"Retry-After": "3", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}),
    http(307, headers={"Location": "/x"}),
    http(401, headers={"WWW-Authenticate": "Bearer x"}),
)
_SHARDS = (b"\r\n", b"\r", b"\0", b"-1", b":", b"99999999999999999999", b"\xff", b"{", b"chunked")


def _damaged(random: Random) -> bytes:
    answer = bytearray(random.choice(_SOUND))
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(answer))
        answer[at : at + random.randrange(3)] = random.choice((*_SHARDS, b"", random.randbytes(1)))
    return bytes(answer[: random.choice((len(answer), at + 1))])


async def test_whatever_bytes_come_nothing_but_our_own_errors_comes_out(wire: Wire) -> None:
    random = Random(20260728)
    async with ScriptedServer(lambda _: [_damaged(random), Then.CLOSE]) as server:
        for _ in range(300):
            with contextlib.suppress(RequestError):
                await wire.client(server.url).get_task("t1")
        assert len(server.requests) >= 300


# --- event streams ---------------------------------------------------------------------------

_NOTE = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}


@pytest.mark.parametrize("status", [200, 400])
async def test_a_reply_on_an_event_stream(wire: Wire, status: int) -> None:
    reply = {"jsonrpc": "2.0", "id": ..., "result": task()}
    foreign = {"jsonrpc": "2.0", "id": 12345, "result": {}}
    async with ScriptedServer(events(_NOTE, foreign, {"beat": 1}, reply, status=status)) as server:
        client = wire.client(server.url)
        for _ in range(2):
            assert (await client.get_task("t1")).task.status == "working"
        assert server.connections == 1


async def test_an_event_stream_in_every_odd_form(wire: Wire) -> None:
    def odd(request: Request) -> bytes:
        reply = {"jsonrpc": "2.0", "id": request.message["id"], "result": task(statusMessage="é→")}
        body = json.dumps(reply, indent=1, ensure_ascii=False).encode()
        lines = b"".join(b"data: " + line + b"\r\n" for line in body.splitlines())
        stream = b": ping\r\n\r\ndata:\n\nevent: other\ndata: {}\n\ndata: not json\n\n" + lines
        return chunked(*(stream[i : i + 1] for i in range(len(stream))))

    async with ScriptedServer(odd) as server:
        read = (await wire.client(server.url).get_task("t1")).task
        assert read.status_message is not None
        assert read.status_message.raw == "é→"


async def test_an_error_on_an_event_stream(wire: Wire) -> None:
    said = {"jsonrpc": "2.0", "id": ..., "error": {"code": -32602, "message": "gone"}}
    assert isinstance(await _failure_of(wire, events(_NOTE, said, status=400)), NoSuchTask)


async def test_a_reply_before_the_stream_ends_is_not_waited_for(wire: Wire) -> None:
    def open_end(request: Request) -> list[bytes | Then]:
        reply = {"jsonrpc": "2.0", "id": request.message["id"], "result": task()}
        whole = chunked(b"data: " + json.dumps(reply).encode() + b"\n\n")
        return [whole.removesuffix(b"0\r\n\r\n"), Then.HANG]

    async with ScriptedServer(open_end) as server:
        assert (await wire.client(server.url).get_task("t1")).task.status == "working"
        await asyncio.wait_for(server.hung_up.wait(), 20)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (events(_NOTE), Unreachable),
        (events(), Unreachable),
        (events({"id": 99, "result": {}}), UnusableReply),
        (events(_NOTE, status=500), HttpError),
        (events(_NOTE, status=401), AuthFailed),
        (chunked(*[b"data: " + b"x" * 5_000 + b"\n"] * 30), ReplyTooLarge),
        (chunked(*[b": " + b"x" * 5_000 + b"\n\n"] * 30), ReplyTooLarge),
    ],
)
async def test_event_streams_without_a_reply(
    wire: Wire, reply: Reply, kind: type[RequestError]
) -> None:
    assert type(await _failure_of(wire, reply)) is kind


_LARGE_RESULT = {"content": [{"type": "text", "text": "x" * 200_000}]}


@pytest.mark.parametrize("as_stream", [False, True], ids=["json", "events"])
async def test_a_reply_that_is_too_large_still_tells_that_its_task_ended(
    wire: Wire, as_stream: bool
) -> None:
    def reply(request: Request) -> bytes:
        ended = task(status="completed", result=_LARGE_RESULT)
        body = json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": ended}).encode()
        if not as_stream:
            return http(200, body)
        whole = b"data: " + body + b"\n\n"
        return chunked(*(whole[i : i + 5_000] for i in range(0, len(whole), 5_000)))

    async with ScriptedServer(reply) as server:
        read = (await wire.client(server.url).get_task("t1")).task
    assert (read.status, read.has_result) == ("completed", False)
    assert read.notes == ("the reply is larger than 100000 bytes: its result was not read",)


async def test_a_reply_too_large_of_a_task_that_goes_on_is_a_failed_read(wire: Wire) -> None:
    def reply(request: Request) -> bytes:
        asks = task(status="input_required", inputRequests={"q": "x" * 200_000})
        return http(200, json.dumps({"id": request.message["id"], "result": asks}).encode())

    failure = await _failure_of(wire, reply)
    assert isinstance(failure, ReplyTooLarge)
    assert "`max_reply_mib` in the settings" in str(failure)


async def test_a_result_that_cannot_be_held_leaves_the_state_of_its_task(wire: Wire) -> None:
    def reply(request: Request) -> bytes:
        deep = '{"deep":' + "[" * 400 + "]" * 400 + ',"n":' + "9" * 5_000 + "}"
        ended = json.dumps(task(status="completed", result="HERE")).replace('"HERE"', deep)
        return http(200, f'{{"id":{request.message["id"]},"result":{ended}}}'.encode())

    async with ScriptedServer(reply) as server:
        read = (await wire.client(server.url).get_task("t1")).task
    assert read.status == "completed"
    assert read.result["n"] == "9" * 5_000
    assert len(read.notes) == 2


# --- redirects, cookies, headers -------------------------------------------------------------


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
            failure = await _failure(wire.client(server.url, _Secret()))
        assert other.connections == 0
    assert isinstance(failure, HttpError)
    assert other.url in str(failure)


@pytest.mark.parametrize(
    "location", ["", "file:///etc/passwd", "http://u:p@127.0.0.1/", "http://[::", "//evil.example/"]
)
async def test_redirects_to_nowhere(wire: Wire, location: str) -> None:
    failure = await _failure_of(wire, http(307, headers={"Location": location}))
    assert isinstance(failure, HttpError)
    assert failure.status == 307


async def test_redirects_in_a_circle_end(wire: Wire) -> None:
    async with ScriptedServer(http(307, headers={"Location": "/mcp"})) as server:
        failure = await _failure(wire.client(server.url))
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
        failure = await _failure(wire.client(server.url, Bad()))
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
        assert isinstance(await _failure(client), NotSent)
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

"""Bodies of every kind, and bodies that are no reply."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import zlib
from collections.abc import Callable
from random import Random

import pytest

from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    MissingCapability,
    NoSuchTask,
    RateLimited,
    ReplyTooLarge,
    RequestError,
    RpcError,
    Unreachable,
    UnusableReply,
)
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
    result,
    task,
)
from tests.protocol.wires import failure_after


async def test_a_login_page_with_200(wire: Wire) -> None:
    page = b"<!doctype html><title>Sign in</title>"
    failure = await failure_after(wire, http(200, page, "text/html"))
    assert isinstance(failure, UnusableReply)
    assert "Sign in" in str(failure)


async def test_a_gateway_page_with_502(wire: Wire) -> None:
    failure = await failure_after(wire, http(502, b"<html><title>502</title>", "text/html"))
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
    failure = await failure_after(wire, reply)
    assert isinstance(failure, UnusableReply)
    assert words in str(failure)


async def test_a_gzip_bomb_is_stopped_at_the_limit(wire: Wire) -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    failure = await failure_after(wire, http(200, bomb, headers={"Content-Encoding": "gzip"}))
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
    failure = await failure_after(wire, http(401, b'{"error":"invalid_token"}', headers=challenge))
    assert isinstance(failure, AuthFailed)
    assert failure.challenge is not None
    assert failure.challenge.raw == 'Bearer error="invalid_token"'
    assert "invalid_token" in str(failure)
    assert isinstance(await failure_after(wire, http(403)), AuthFailed)
    assert isinstance(await failure_after(wire, error(-32001, "who", status=401)), AuthFailed)
    assert isinstance(
        await failure_after(wire, error(-32000, "origin", status=403, own_id=False)), AuthFailed
    )


async def test_a_403_about_our_own_request_is_the_json_rpc_error(wire: Wire) -> None:
    assert type(await failure_after(wire, error(-32050, "not yours", status=403))) is RpcError


async def test_429_and_503_with_retry_after(wire: Wire) -> None:
    wait = {"Retry-After": "30"}
    failure = await failure_after(wire, http(429, b"slow down", "text/plain", wait))
    assert isinstance(failure, RateLimited)
    assert failure.retry_after == 30.0
    dated = {
        "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT",
        "Date": "Wed, 21 Oct 2026 07:27:30 GMT",
    }
    failure = await failure_after(wire, http(503, b"", headers=dated))
    assert isinstance(failure, RateLimited)
    assert failure.retry_after == 30.0


async def test_a_json_rpc_error_in_a_4xx_is_the_answer(wire: Wire) -> None:
    failure = await failure_after(wire, error(-32602, "Task t1 not found", status=404))
    assert isinstance(failure, NoSuchTask)
    assert failure.http_status == 404
    assert isinstance(await failure_after(wire, error(-32021, own_id=False)), MissingCapability)
    assert type(await failure_after(wire, error(-32603, "boom", status=200))) is RpcError


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
    assert isinstance(await failure_after(wire, events(_NOTE, said, status=400)), NoSuchTask)


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
    assert type(await failure_after(wire, reply)) is kind


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

    failure = await failure_after(wire, reply)
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

"""Servers that cannot be reached: each cause has its own words."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.protocol.errors import NotSent, TimedOut, Unreachable
from mcp_tasks_tui.protocol.transport.connections import Connections, Limits
from mcp_tasks_tui.protocol.wire import Wire
from tests.protocol.servers import ScriptedServer, Then, chunked, http, raw_server, result, task
from tests.protocol.wires import CALM, failing_read


@contextmanager
def _nobody_at_home() -> Iterator[str]:
    """A URL whose port is taken, so that nobody else gets it, and that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


async def test_refused(wire: Wire) -> None:
    with _nobody_at_home() as url:
        failure = await failing_read(wire.client(f"{url}/mcp"))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "refused"


async def test_a_host_name_that_does_not_exist(wire: Wire) -> None:
    failure = await failing_read(wire.client("http://no-such-host.invalid/mcp"))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "dns"


async def test_a_certificate_that_nobody_vouches_for(wire: Wire) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    async with ScriptedServer(result(task()), tls=context) as server:
        failure = await failing_read(wire.client(server.url))
        assert server.requests == []
    assert isinstance(failure, Unreachable)
    assert failure.cause == "tls"
    assert "self-signed certificate" in str(failure)


async def test_https_to_a_server_that_speaks_http(wire: Wire) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(http(400))

    async with raw_server(plain) as url:
        failure = await failing_read(wire.client(url.replace("http:", "https:")))
    assert isinstance(failure, Unreachable)
    assert failure.cause == "tls"


async def test_a_connection_that_is_never_made() -> None:
    """The handshake is part of connecting; here the other side never takes part in it."""
    wire = Wire(replace(CALM, connect=0.2), environ={})
    async with ScriptedServer(result(task())) as server:
        failure = await failing_read(wire.client(server.url.replace("http:", "https:")))
        assert server.connections == 1
    await wire.close()
    assert isinstance(failure, TimedOut)
    assert (failure.phase, failure.seconds) == ("connect", 0.2)


async def test_a_proxy_that_cannot_be_reached_is_named_as_the_cause() -> None:
    with _nobody_at_home() as url:
        wire = Wire(CALM, environ={"HTTP_PROXY": url})
        failure = await failing_read(wire.client("http://server.example/mcp"))
        await wire.close()
    assert isinstance(failure, Unreachable)
    assert failure.cause == "proxy"
    assert "cannot be reached" in str(failure)


async def test_a_socks_proxy_is_refused_in_words() -> None:
    wire = Wire(CALM, environ={"ALL_PROXY": "socks5://127.0.0.1:1080"})
    failure = await failing_read(wire.client("http://server.example/mcp"))
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
        failure = await failing_read(wire.client(server.url))
        assert len(server.requests) == 1
    assert isinstance(failure, Unreachable)
    assert failure.cause == cause

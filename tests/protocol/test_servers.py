"""The scripted server's own measure: what counts as a request in flight."""

from __future__ import annotations

import asyncio
import socket

from tests.protocol.servers import ScriptedServer, Then

_REQUEST = b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"


def _connected(server: ScriptedServer) -> socket.socket:
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    return socket.create_connection(("127.0.0.1", port))


async def _received(server: ScriptedServer, requests: int) -> None:
    async with asyncio.timeout(10):
        while len(server.requests) < requests:
            await asyncio.sleep(0)


async def test_requests_of_clients_that_are_still_there_are_in_flight_together() -> None:
    async with ScriptedServer((Then.HANG,)) as server:
        with _connected(server) as first, _connected(server) as second:
            for number, client in enumerate((first, second), 1):
                client.sendall(_REQUEST)
                await _received(server, number)
        assert server.most_in_flight == 2


async def test_who_has_hung_up_unnoticed_is_not_in_flight() -> None:
    async with ScriptedServer((Then.HANG,)) as server:
        with _connected(server) as first, _connected(server) as second:
            first.sendall(_REQUEST)
            await _received(server, 1)
            second.sendall(_REQUEST)
            first.close()
            await _received(server, 2)
        assert server.most_in_flight == 1


async def test_a_listen_stream_is_not_in_flight() -> None:
    listen = _REQUEST.replace(b"Host: x", b"Mcp-Method: subscriptions/listen")
    async with ScriptedServer((Then.HANG,)) as server:
        with _connected(server) as first, _connected(server) as second:
            first.sendall(listen)
            await _received(server, 1)
            second.sendall(_REQUEST)
            await _received(server, 2)
        assert server.most_in_flight == 1

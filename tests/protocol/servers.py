"""A scripted server on a real socket: it answers as told and records what it was sent.

::

    async with ScriptedServer(result({"taskId": "t1", "status": "working"})) as server:
        ...  # server.url, server.requests

Replies are taken in order, one per request; the last one is repeated for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import ssl


class Then(Enum):
    """What a server can do besides writing bytes."""

    CLOSE = auto()
    RESET = auto()
    #: Say nothing more until the client hangs up.
    HANG = auto()


Step = bytes | Then


@dataclass(frozen=True, slots=True)
class Request:
    """What one request carried. `connection` numbers the connections from 0."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    @property
    def message(self) -> Any:
        return json.loads(self.body)

    @property
    def method(self) -> str:
        return str(self.message["method"])


Reply = bytes | Sequence[Step] | Callable[[Request], "bytes | Sequence[Step]"]


def http(
    status: int = 200,
    body: bytes = b"",
    kind: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return a whole HTTP answer."""
    fields = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode("latin-1") + body


def chunked(*pieces: bytes, kind: str = "text/event-stream", status: int = 200) -> bytes:
    """Return an HTTP answer in chunks."""
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
    return head.encode() + body + b"0\r\n\r\n"


def result(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Answer with a JSON-RPC result under the request's id."""

    def reply(request: Request) -> bytes:
        body = {"jsonrpc": "2.0", "id": request.message["id"], "result": value}
        return http(status, json.dumps(body).encode(), headers=headers)

    return reply


def error(
    code: int, message: str = "no", *, status: int = 400, data: Any = None, own_id: bool = True
) -> Reply:
    """Answer with a JSON-RPC error, under the request's id or under null."""

    def reply(request: Request) -> bytes:
        said = {"code": code, "message": message} | ({} if data is None else {"data": data})
        body = {"jsonrpc": "2.0", "id": request.message["id"] if own_id else None, "error": said}
        return http(status, json.dumps(body).encode())

    return reply


def events(*messages: Any, status: int = 200) -> Reply:
    """Answer with an event stream; the id `...` in a message stands for the request's id."""

    def reply(request: Request) -> bytes:
        pieces = []
        for message in messages:
            if isinstance(message, dict) and message.get("id") is ...:
                message = {**message, "id": request.message["id"]}  # noqa: PLW2901 - filled in
            pieces.append(b"data: " + json.dumps(message).encode() + b"\n\n")
        return chunked(*pieces, status=status)

    return reply


def task(task_id: str = "t1", status: str = "working", **more: Any) -> dict[str, Any]:
    """Return a task's wire form with everything that the specification wants."""
    return {
        "resultType": "complete",
        "taskId": task_id,
        "status": status,
        "createdAt": "2026-09-01T10:00:00Z",
        "lastUpdatedAt": "2026-09-01T10:00:00Z",
        "ttlMs": 3_600_000,
        "pollIntervalMs": 1000,
        **more,
    }


class ScriptedServer:
    """Listens on 127.0.0.1 while it is entered; entered again, on the same port."""

    def __init__(self, *replies: Reply, tls: ssl.SSLContext | None = None) -> None:
        self._replies = list(replies)
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()
        self.requests: list[Request] = []
        self.connections = 0
        #: Most requests at once that a client waited for: not of one that has hung up, and no
        #: listen stream, which is open for as long as it lasts.
        self.most_in_flight = 0
        self._awaited: set[asyncio.StreamWriter] = set()
        #: How many connections the client ended itself while the server was hanging.
        self.hang_ups = 0
        self.hung_up = asyncio.Event()
        self.url = ""
        self._port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", self._port, ssl=self._tls
        )
        self._port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}/mcp"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    def methods(self) -> list[str]:
        return [request.method for request in self.requests]

    def headers_of(self, method: str) -> list[Mapping[str, str]]:
        return [request.headers for request in self.requests if request.method == method]

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.ensure_future(self._serve(reader, writer, self.connections))
        self.connections += 1
        self._handlers.add(handler)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int
    ) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._answer_one(reader, writer, connection):
                    pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, OSError):
                await writer.wait_closed()

    async def _answer_one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int
    ) -> bool:
        request = await read_request(reader, connection)
        if request.headers.get("mcp-method") != "subscriptions/listen":
            self._awaited.add(writer)
            in_flight = sum(1 for each in self._awaited if not _has_hung_up(each))
            self.most_in_flight = max(self.most_in_flight, in_flight)
        try:
            return await self._reply_to(request, reader, writer)
        finally:
            self._awaited.discard(writer)

    async def _reply_to(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        index = min(len(self.requests), len(self._replies) - 1)
        self.requests.append(request)
        reply = self._replies[index]
        if callable(reply):
            reply = reply(request)
        steps: Iterable[Step] = (reply,) if isinstance(reply, bytes) else reply
        for step in steps:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            else:
                await self._do(step, reader, writer)
                return False
        return True

    async def _do(
        self, step: Then, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if step is Then.HANG:
            await reader.read()
            self.hang_ups += 1
            self.hung_up.set()
        elif step is Then.RESET:
            sock: socket.socket = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@contextlib.asynccontextmanager
async def raw_server(
    talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """Give each connection to `talk`; yields the server's URL. Connections are closed after it."""
    talks: set[asyncio.Task[None]] = set()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await talk(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, OSError):
                await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks.add(asyncio.ensure_future(one(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()
        for task_ in talks:
            task_.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        await server.wait_closed()


def _has_hung_up(writer: asyncio.StreamWriter) -> bool:
    """Whether the client has closed the connection, also where the event loop has yet to see it."""
    try:
        with writer.get_extra_info("socket").dup() as connection:
            return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


async def read_request(reader: asyncio.StreamReader, connection: int = 0) -> Request:
    """Read one request.

    Raises:
        asyncio.IncompleteReadError: the client hung up.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").splitlines()
    headers = {}
    for line in head[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(head[0].split()[1], headers, body, connection)

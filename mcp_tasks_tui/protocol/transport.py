"""One POST in -> one JSON-RPC reply or one typed error out.

The only module that speaks HTTP. The httpx transport of `httpx-aiohttp` is called directly:
httpx's client around it doubles the CPU cost of a poll, and its own connection pool grows slow
with the number of connections.

Polls use kept-alive connections. Everything that must not be sent twice (`tools/call`, answers,
cancels) and everything that stays open gets a fresh connection, because on a kept-alive one
nobody can tell whether the server closed it before or after it read the request.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from mcp_tasks_tui.protocol.errors import (
    HttpError,
    NotSent,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.protocol.http_answers import answer_error, epoch
from mcp_tasks_tui.protocol.http_faults import fault
from mcp_tasks_tui.protocol.inflate import decoder
from mcp_tasks_tui.protocol.jsonrpc import RpcReply, parse, reply_in
from mcp_tasks_tui.protocol.proxies import proxy_for
from mcp_tasks_tui.protocol.sse import EventStreamParser, EventTooLarge
from mcp_tasks_tui.urls import UrlError, normal_url, origin

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from mcp_tasks_tui.protocol.sse import Event

_MAX_REDIRECTS = 3
#: After a reply on an event stream, how long its end may take before the connection is given up.
_DRAIN_SECONDS = 0.05
#: Whatever the body says, these say something about the server and not about the request.
_STATUS_SPEAKS = frozenset({401, 429})


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes; the defaults are what the program uses."""

    connect: float = 10.0
    #: For everything but tools/call and the listen stream: nothing heard, and in all.
    silence: float = 30.0
    total: float = 60.0
    keep_alive: float = 75.0
    #: After decompression.
    reply_bytes: int = 32 * 1024 * 1024
    #: Requests at once to one server; calls, which may stay open for minutes, count by themselves.
    in_flight: int = 8


@dataclass(frozen=True, slots=True)
class Post:
    """One request, ready to be sent.

    Attributes:
        patient: the answer may take as long as it likes (`tools/call`, the listen stream).
        pooled: may go over a kept-alive connection.
        repeatable: may be sent again, once, if that connection turns out to be dead.
    """

    request_id: int
    method: str
    headers: dict[str, str]
    body: bytes
    patient: bool = False
    pooled: bool = False
    repeatable: bool = False


class Connections:
    """The sessions and the TLS context that all servers share. Use on one event loop."""

    def __init__(self, limits: Limits, environ: Mapping[str, str]) -> None:
        self.limits = limits
        self._environ = environ
        self._sessions: dict[tuple[str, bool], aiohttp.ClientSession] = {}
        self._carriers: dict[tuple[str, bool, str | None], AiohttpTransport] = {}
        self._tls: ssl.SSLContext | None = None
        self._closed = False

    def carrier(self, url: str, *, pooled: bool) -> AiohttpTransport:
        """Return the transport for a server.

        Raises:
            Unreachable: the proxy setting cannot be used.
            NotSent: after `close`.
        """
        if self._closed:
            raise NotSent("the program is closing its connections")
        scheme = url.partition(":")[0]
        proxy = proxy_for(url, self._environ)
        found = self._carriers.get((scheme, pooled, proxy))
        if found is None:
            found = AiohttpTransport(
                # Not used: the session brings its own. Without one, httpx would load another.
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
                client=self._session(scheme, pooled=pooled),
                proxy=httpx.Proxy(proxy) if proxy else None,
            )
            self._carriers[scheme, pooled, proxy] = found
        return found

    async def close(self) -> None:
        self._closed = True
        self._carriers.clear()
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, scheme: str, *, pooled: bool) -> aiohttp.ClientSession:
        found = self._sessions.get((scheme, pooled))
        if found is None:
            tls: ssl.SSLContext | bool = self._tls_context() if scheme == "https" else True
            connector = (
                aiohttp.TCPConnector(limit=0, ssl=tls, keepalive_timeout=self.limits.keep_alive)
                if pooled
                else aiohttp.TCPConnector(limit=0, ssl=tls, force_close=True)
            )
            found = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                max_line_size=16 * 1024,
                max_field_size=64 * 1024,
            )
            self._sessions[scheme, pooled] = found
        return found

    def _tls_context(self) -> ssl.SSLContext:
        """Trust what ships with httpx (or SSL_CERT_FILE / SSL_CERT_DIR) and what the system trusts.

        Made once, and only when a server needs it: it costs some 60 ms.
        """
        if self._tls is None:
            self._tls = httpx.create_ssl_context()
            self._tls.load_default_certs()
        return self._tls


class Endpoint:
    """One server's URL: keeps its requests few, and turns answers into replies or errors."""

    def __init__(self, url: str, connections: Connections) -> None:
        self.url = url
        self._connections = connections
        self._limits = connections.limits
        self._short = asyncio.Semaphore(self._limits.in_flight)
        self._long = asyncio.Semaphore(self._limits.in_flight)
        self._url = httpx.URL(url)
        self._last_answer = float("-inf")

    async def ask(self, post: Post) -> RpcReply:
        """Send one request and return its result.

        Waiting for a free slot does not count towards the time limits.

        Raises:
            RequestError: any of its kinds; nothing else.
        """
        if post.patient:
            async with self._long:
                return await self._exchange(post)
        async with self._short:
            try:
                async with asyncio.timeout(self._limits.total):
                    return await self._exchange(post)
            except TimeoutError:
                raise TimedOut("total", self._limits.total) from None

    async def open_stream(self, post: Post) -> MessageStream:
        """Send a request that is answered by a stream of notifications.

        Raises:
            RequestError: the server refused, in whatever way.
        """
        answer = await self._send(post)
        if answer.is_stream and answer.status < 300:
            return MessageStream(answer, post)
        try:
            async with asyncio.timeout(self._limits.total):
                await answer.reply(post)
        except TimeoutError:
            raise TimedOut("total", self._limits.total) from None
        finally:
            await answer.close()
        return MessageStream(None, post)

    async def _exchange(self, post: Post) -> RpcReply:
        answer = await self._send(post)
        try:
            reply = await answer.reply(post)
        finally:
            self._last_answer = time.monotonic()
            await answer.close()
        return RpcReply(reply.result, answer.server_time, reply.notes)

    async def _send(self, post: Post) -> Answer:
        """Send, following redirects that stay within the server's origin and keep the method."""
        url = self._url
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._connect(url, post)
            answer = Answer(response, self._limits)
            if answer.status not in (307, 308):
                return answer
            target = _same_origin_target(self.url, str(url), answer.headers.get("location", ""))
            if target is None:
                return answer
            await answer.close()
            url = httpx.URL(target)
        raise HttpError(answer.status, "redirects in a circle")

    async def _connect(self, url: httpx.URL, post: Post) -> httpx.Response:
        try:
            return await self._post(url, post)
        except Unreachable as error:
            found_dead = error.cause in ("closed", "reset")
            idle = time.monotonic() - self._last_answer
            if not (post.repeatable and found_dead and idle < self._limits.keep_alive):
                raise
        return await self._post(url, post)

    async def _post(self, url: httpx.URL, post: Post) -> httpx.Response:
        limits = self._limits
        carrier = self._connections.carrier(self.url, pooled=post.pooled)
        silence = None if post.patient else limits.silence
        timeout = {"pool": limits.connect, "connect": limits.connect, "read": silence}
        try:
            request = httpx.Request(
                "POST",
                url,
                headers=post.headers,
                content=post.body,
                extensions={"timeout": timeout},
            )
            return await carrier.handle_async_request(request)
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError, ValueError) as e:
            raise fault(e, connect=limits.connect, silence=limits.silence) from e


class Answer:
    """An HTTP answer whose body has not been read yet. Must be closed."""

    def __init__(self, response: httpx.Response, limits: Limits) -> None:
        self.status = response.status_code
        self.headers = {
            name.lower().decode("latin-1"): value.decode("latin-1")
            for name, value in response.headers.raw
        }
        self.is_stream = (
            self.headers.get("content-type", "").strip().lower().startswith("text/event-stream")
        )
        self.server_time = epoch(self.headers.get("date"))
        self._response = response
        self._limits = limits

    async def close(self) -> None:
        try:
            await self._response.aclose()
        except (httpx.HTTPError, aiohttp.ClientError, OSError):
            # What matters has been read; a connection that cannot be put back is just dropped.
            return

    async def reply(self, post: Post) -> RpcReply:
        """Read the body as far as needed and return the result in it.

        Raises:
            RequestError: it holds an error, or no reply to `post`.
        """
        if self.is_stream and self.status not in _STATUS_SPEAKS:
            return await self._reply_on_stream(post)
        pieces = [piece async for piece in self.pieces()]
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        value = self._value(body)
        if self.status not in _STATUS_SPEAKS and not self._gateway_speaks(value):
            reply = reply_in(
                value, request_id=post.request_id, method=post.method, status=self.status
            )
            if reply is not None:
                return reply
        raise answer_error(self.status, self.headers, body, value, now=time.time())

    async def pieces(self, *, limit: bool = True) -> AsyncGenerator[bytes, None]:
        """Yield the decompressed body; with `limit`, at most `Limits.reply_bytes` of it.

        Raises:
            RequestError: the body breaks off, is damaged or too large.
        """
        undo = decoder(self.headers.get("content-encoding", ""))
        size = 0
        limits = self._limits
        stream = cast("AsyncGenerator[bytes, None]", aiter(cast("Any", self._response.stream)))
        try:
            async with aclosing(stream):
                async for chunk in stream:
                    for piece in undo.feed(chunk):
                        size += len(piece)
                        if limit and size > limits.reply_bytes:
                            raise UnusableReply(_too_large(limits.reply_bytes))
                        yield piece
        except (httpx.HTTPError, aiohttp.ClientError, OSError) as error:
            raise fault(error, connect=limits.connect, silence=limits.silence) from error
        rest = undo.finish()
        if rest:
            yield rest

    async def messages(self, *, limit: bool) -> AsyncGenerator[Any, None]:
        """Yield the JSON values on an event stream; whatever is none is skipped."""
        parser = EventStreamParser(self._limits.reply_bytes)
        pieces = self.pieces(limit=limit)
        async with aclosing(pieces):
            async for piece in pieces:
                try:
                    events = parser.feed(piece)
                except EventTooLarge:
                    raise UnusableReply(_too_large(self._limits.reply_bytes)) from None
                for value in _values(events):
                    yield value
        for value in _values(parser.finish()):
            yield value

    async def _reply_on_stream(self, post: Post) -> RpcReply:
        foreign: UnusableReply | None = None
        messages = self.messages(limit=True)
        async with aclosing(messages):
            async for message in messages:
                try:
                    reply = reply_in(
                        message,
                        request_id=post.request_id,
                        method=post.method,
                        status=self.status,
                    )
                except UnusableReply as error:
                    foreign = error
                    continue
                if reply is not None:
                    await _drain(messages)
                    return reply
        if foreign is not None:
            raise foreign
        if self.status >= 300:
            raise answer_error(self.status, self.headers, b"", None, now=time.time())
        raise Unreachable("closed", "the event stream ended before the answer")

    def _value(self, body: bytes) -> Any:
        """Return the body as JSON, None where it does not even look like it."""
        if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            return None
        try:
            return parse(body)
        except UnusableReply:
            if self.status < 300:
                raise
            return None

    def _gateway_speaks(self, value: Any) -> bool:
        """A 403 that does not name our request, or a 503 that says when to come back."""
        if self.status == 503:
            return "retry-after" in self.headers
        return self.status == 403 and not (isinstance(value, dict) and value.get("id") is not None)


class MessageStream:
    """The notifications of one long-lived request, ended by its reply. Must be closed."""

    def __init__(self, answer: Answer | None, post: Post) -> None:
        self._answer = answer
        self._post = post

    async def messages(self) -> AsyncGenerator[Any, None]:
        """Yield each message until the server ends the stream in good order.

        Raises:
            RequestError: it broke off, or ended with an error.
        """
        if self._answer is None:
            return
        post = self._post
        source = self._answer.messages(limit=False)
        async with aclosing(source):
            async for message in source:
                reply = reply_in(
                    message,
                    request_id=post.request_id,
                    method=post.method,
                    status=self._answer.status,
                )
                if reply is not None:
                    return
                yield message
        raise Unreachable("closed", "the event stream broke off")

    async def aclose(self) -> None:
        if self._answer is not None:
            await self._answer.close()


def _values(events: list[Event]) -> list[Any]:
    values = []
    for event in events:
        if event.kind == "message":
            try:
                values.append(parse(event.data))
            except UnusableReply:
                continue
    return values


async def _drain(rest: AsyncIterator[Any]) -> None:
    """Read a stream to its end if that is near, so that its connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in rest:
                pass
    except (TimeoutError, Unreachable, TimedOut, UnusableReply):
        return


def _same_origin_target(server: str, current: str, location: str) -> str | None:
    """Return where a redirect leads if that is the same origin, else None."""
    if not location:
        return None
    try:
        target = normal_url(urljoin(current, location))
    except UrlError:
        return None
    return target if origin(target) == origin(server) else None


def _too_large(limit: int) -> str:
    size = f"{limit / (1024 * 1024):g} MiB" if limit >= 1024 * 1024 else f"{limit} bytes"
    return f"the reply is larger than {size}"

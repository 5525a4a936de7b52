"""An HTTP answer -> the reply in its body, or a typed error."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack, aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import aiohttp
import httpx

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.protocol.errors import ReplyTooLarge, RequestError, Unreachable, UnusableReply
from mcp_tasks_tui.protocol.http_answers import answer_error, epoch
from mcp_tasks_tui.protocol.inflate import decoder
from mcp_tasks_tui.protocol.jsonrpc import Mended, RpcReply, parse, reply_in
from mcp_tasks_tui.protocol.sse import Event, EventStreamParser, EventTooLarge
from mcp_tasks_tui.protocol.transport.faults import fault

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from mcp_tasks_tui.protocol.transport.connections import Limits
    from mcp_tasks_tui.protocol.transport.post import Post
    from mcp_tasks_tui.redaction import Redaction

#: After a reply on an event stream, how long its end may take before the connection is given up.
_DRAIN_SECONDS = 0.05
#: Bytes from which a body takes so long to read that others would notice.
_LARGE = 256 * 1024
#: Bytes of a reply that is too large which are looked at all the same.
_BEGINNING = 256 * 1024
#: Whatever the body says, these say something about the server and not about the request.
_STATUS_SPEAKS = frozenset({401, 429})


class Answer:
    """The HTTP answer to `post`, whose body has not been read yet. Must be closed.

    A reply is returned as soon as it is there: what is left to do with its connection is done by
    `close`, which nobody who wants the reply needs to wait for.
    """

    def __init__(self, response: httpx.Response, post: Post, limits: Limits) -> None:
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
        self._post = post
        self._limits = limits
        #: The event stream that the reply was on, where more may come.
        self._rest: AsyncGenerator[Any, None] | None = None

    async def close(self) -> None:
        """Put the connection back where it can be used again, else end it."""
        if self._rest is not None:
            async with aclosing(self._rest):
                if self._post.pooled:
                    await _drain(self._rest)
        try:
            await self._response.aclose()
        except (httpx.HTTPError, aiohttp.ClientError, OSError):
            # What matters has been read; a connection that cannot be put back is just dropped.
            return

    async def reply(self) -> RpcReply:
        """Read the body as far as needed and return the result in it.

        Raises:
            RequestError: it holds an error, or no reply to the request.
        """
        if self.is_stream and self.status not in _STATUS_SPEAKS:
            return await self._reply_on_stream()
        body = await self._body()
        value = await self._value(body)
        if self.status not in _STATUS_SPEAKS and not self._gateway_speaks(value):
            reply = self.reply_in(value)
            if reply is not None:
                return reply
        raise self._error(body, value)

    def reply_in(self, message: Any) -> RpcReply | None:
        """Return the reply to the request if `message` is one; None for anything else.

        Raises:
            RequestError: the reply is an error, or none to this request.
        """
        post = self._post
        return reply_in(message, request_id=post.request_id, method=post.method, status=self.status)

    async def _body(self) -> bytes:
        pieces: list[bytes] = []
        try:
            async for piece in self.pieces():
                pieces.append(piece)
        except ReplyTooLarge as error:
            raise self._too_large(b"".join(pieces)[:_BEGINNING]) from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _too_large(self, beginning: bytes) -> ReplyTooLarge:
        return ReplyTooLarge(self._limits.reply_bytes, self._post.redaction.body(beginning))

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
                            raise ReplyTooLarge(limits.reply_bytes)
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
            try:
                async for piece in pieces:
                    for value in await self._values(parser.feed(piece)):
                        yield value
            except (EventTooLarge, ReplyTooLarge) as error:
                raise self._too_large(parser.unfinished()[:_BEGINNING]) from error
        for value in await self._values(parser.finish()):
            yield value

    async def _reply_on_stream(self) -> RpcReply:
        foreign: UnusableReply | None = None
        self._rest = self.messages(limit=True)
        async for message in self._rest:
            try:
                reply = self.reply_in(message)
            except UnusableReply as error:
                foreign = error
                continue
            if reply is not None:
                return reply
        if foreign is not None:
            raise foreign
        if self.status >= 300:
            raise self._error(b"", None)
        raise Unreachable("closed", "the event stream ended before the answer")

    async def _value(self, body: bytes) -> Any:
        """Return the body as JSON, None where it does not even look like it."""
        if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            return None
        try:
            return await self._parsed(body)
        except UnusableReply:
            if self.status < 300:
                raise
            return None

    async def _values(self, events: list[Event]) -> list[Any]:
        values = []
        for event in events:
            if event.kind == "message":
                try:
                    values.append(await self._parsed(event.data))
                except UnusableReply:
                    continue
        return values

    async def _parsed(self, body: bytes) -> Any:
        """Return the JSON value in `body`, without our secrets.

        A large one is read beside the event loop, so that a reply of megabytes holds up neither
        the keyboard nor other servers.
        """
        read = partial(_read, redaction=self._post.redaction)
        if len(body) <= _LARGE:
            return read(body)
        read_large = self._post.read_large
        if read_large is None:
            return await in_daemon_thread(read, body)
        return await in_daemon_thread(read_large, body, read)

    def _error(self, body: bytes, value: Any) -> RequestError:
        """Return what an answer without a reply to the request means."""
        hidden = self._post.redaction
        headers = {name: hidden.text(value) for name, value in self.headers.items()}
        return answer_error(self.status, headers, hidden.body(body), value, now=time.time())

    def _gateway_speaks(self, value: Any) -> bool:
        """A 403 that does not name our request, or a 503 that says when to come back."""
        if self.status == 503:
            return "retry-after" in self.headers
        return self.status == 403 and not (isinstance(value, dict) and value.get("id") is not None)


class MessageStream:
    """The notifications of one long-lived request, ended by its reply. Must be closed."""

    def __init__(self, answer: Answer | None, trace: ExitStack) -> None:
        """`trace` is left when the stream ends, with the error that ended it."""
        self._answer = answer
        self._trace = trace

    async def messages(self) -> AsyncGenerator[Any, None]:
        """Yield each message until the server ends the stream in good order.

        Raises:
            RequestError: it broke off, or ended with an error.
        """
        if self._answer is None:
            return
        source = self._answer.messages(limit=False)
        with self._trace:
            async with aclosing(source):
                async for message in source:
                    if self._answer.reply_in(message) is not None:
                        return
                    yield message
            raise Unreachable("closed", "the event stream broke off")

    async def aclose(self) -> None:
        self._trace.close()
        if self._answer is not None:
            await self._answer.close()


def _read(body: bytes, redaction: Redaction) -> Any:
    value = parse(body)
    hidden = redaction.json(value, body)
    return Mended(hidden, value.notes) if isinstance(value, Mended) else hidden


async def _drain(rest: AsyncIterator[Any]) -> None:
    """Read a stream to its end if that is near, so that its connection can be used again."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in rest:
                pass
    except (TimeoutError, RequestError):
        return

"""One POST in -> one JSON-RPC reply or one typed error out.

Reads use kept-alive connections. Everything that must not be sent twice (`tools/call`, answers,
cancels) and everything that stays open gets a fresh connection, because on a kept-alive one
nobody can tell whether the server closed it before or after it read the request.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import aiohttp
import httpx

from mcp_tasks_tui.protocol.errors import HttpError, NotSent, TimedOut, Unreachable
from mcp_tasks_tui.protocol.jsonrpc import RpcReply
from mcp_tasks_tui.protocol.transport.answer import Answer, MessageStream
from mcp_tasks_tui.protocol.transport.faults import fault
from mcp_tasks_tui.protocol.transport.trace import traced
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.urls import normal_url, origin

if TYPE_CHECKING:
    from mcp_tasks_tui.protocol.transport.connections import Connections
    from mcp_tasks_tui.protocol.transport.post import Post

_MAX_REDIRECTS = 3


class Endpoint:
    """One server's URL: keeps its requests few, and turns answers into replies or errors.

    Raises:
        NotSent: the URL, though in normal form, is none that HTTP can use.
    """

    def __init__(self, url: str, connections: Connections) -> None:
        self.url = url
        self._connections = connections
        self._limits = connections.limits
        self._calls = asyncio.Semaphore(self._limits.in_flight)
        self._short = asyncio.Semaphore(self._limits.in_flight)
        self._polls = asyncio.Semaphore(self._limits.polls)
        self._origin = origin(url)
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise NotSent(f"not a usable URL: {one_line(str(error), 160)}") from None

    async def ask(self, post: Post) -> RpcReply:
        """Send one request and return its result.

        Waiting for a free slot does not count towards the time limits. Polls never take all slots
        of a server: a cancel or an answer of a person finds one. Where others took it before,
        polls that wait let it pass.

        Raises:
            RequestError: any of its kinds; nothing else.
        """
        with traced(self.url, post.method):
            if post.poll:
                async with self._polls, self._short:
                    return await self._exchange(post)
            async with self._calls if post.patient else self._short:
                return await self._exchange(post)

    async def open_stream(self, post: Post) -> MessageStream:
        """Send a request that is answered by a stream of notifications.

        Raises:
            RequestError: the server refused, in whatever way.
        """
        with ExitStack() as trace:
            trace.enter_context(traced(self.url, post.method))
            answer = await self._send(post)
            if answer.is_stream and answer.status < 300:
                return MessageStream(answer, trace.pop_all())
            try:
                async with asyncio.timeout(self._limits.total):
                    await answer.reply()
            except TimeoutError:
                raise TimedOut("total", self._limits.total) from None
            finally:
                await answer.close()
        return MessageStream(None, trace)

    async def _exchange(self, post: Post) -> RpcReply:
        """Send, and return the reply.

        Between having the reply of a call and returning it nothing is awaited, and of the others
        nothing within the time limit: what came in between would lose it, and with it the handle
        of a task.
        """
        answer: Answer | None = None
        try:
            async with asyncio.timeout(None if post.patient else self._limits.total):
                answer = await self._send(post)
                reply = await answer.reply()
        except TimeoutError:
            raise TimedOut("total", self._limits.total) from None
        finally:
            if answer is not None:
                self._connections.answered(self._origin)
                if post.pooled:
                    await answer.close()
                else:
                    self._connections.close_beside(answer)
        return RpcReply(reply.result, answer.server_time, reply.notes)

    async def _send(self, post: Post) -> Answer:
        """Send, following redirects that stay within the server's origin and keep the method."""
        url = self._url
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._connect(url, post)
            answer = Answer(response, post, self._limits)
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
            kept_alive = self._connections.may_be_open(self._origin)
            if not (post.poll and found_dead and kept_alive):
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
                # As a stream: httpx then leaves Host and Content-Length to aiohttp.
                stream=httpx.ByteStream(post.body),
                extensions={"timeout": timeout},
            )
            request.headers.encoding = "ascii"
            request.read()
            return await carrier.handle_async_request(request)
        except (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError, ValueError) as e:
            raise fault(e, connect=limits.connect, silence=limits.silence) from e


def _same_origin_target(server: str, current: str, location: str) -> str | None:
    """Return where a redirect leads if that is the same origin, else None."""
    if not location:
        return None
    try:
        target = normal_url(urljoin(current, location))
    except ValueError:
        return None
    return target if origin(target) == origin(server) else None

"""The sessions that all servers share.

The httpx transport of `httpx-aiohttp` is used without httpx's client around it: the client
doubles the CPU cost of a poll, and its own connection pool grows slow with the number of
connections.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from mcp_tasks_tui.protocol.errors import NotSent
from mcp_tasks_tui.protocol.proxies import proxy_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp.connector import Connection

    from mcp_tasks_tui.protocol.transport.answer import Answer

#: Scheme, host and port.
Origin = tuple[str, str, int]


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
    #: Of these, polls: the rest is kept for what a person asks for.
    polls: int = 7


class _Response(aiohttp.ClientResponse):
    """Drops the reason phrase: nobody shows it, and one that is not UTF-8 stops httpx-aiohttp."""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        await super().start(connection)
        self.reason = None
        return self


class Connections:
    """The sessions and the TLS context that all servers share. Use on one event loop."""

    def __init__(self, limits: Limits, environ: Mapping[str, str]) -> None:
        self.limits = limits
        self._environ = environ
        self._sessions: dict[tuple[str, bool], aiohttp.ClientSession] = {}
        self._carriers: dict[tuple[str, bool, str | None], AiohttpTransport] = {}
        #: The carrier of each server, so that its proxy is looked up once.
        self._chosen: dict[tuple[str, bool], AiohttpTransport] = {}
        self._tls: ssl.SSLContext | None = None
        self._answered: dict[Origin, float] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def answered(self, origin: Origin) -> None:
        """Note that a server has just answered: its connection may be kept open from now."""
        self._answered[origin] = time.monotonic()

    def may_be_open(self, origin: Origin) -> bool:
        """Tell whether a request may have met a kept-alive connection."""
        answered = self._answered.get(origin)
        return answered is not None and time.monotonic() - answered < self.limits.keep_alive

    def close_beside(self, answer: Answer) -> None:
        """Close an answer that has been read, while whoever wanted it goes on."""
        closing = asyncio.create_task(answer.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def carrier(self, url: str, *, pooled: bool) -> AiohttpTransport:
        """Return the transport for a server.

        Raises:
            Unreachable: the proxy setting cannot be used.
            NotSent: after `close`.
        """
        if self._closed:
            raise NotSent("the program is closing its connections")
        found = self._chosen.get((url, pooled))
        if found is None:
            found = self._chosen[url, pooled] = self._choose(url, pooled=pooled)
        return found

    def _choose(self, url: str, *, pooled: bool) -> AiohttpTransport:
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
        self._chosen.clear()
        await asyncio.gather(*self._closing, return_exceptions=True)
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
                response_class=_Response,
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

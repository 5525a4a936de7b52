"""One client per server, made when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_tasks_tui.supervise.ports import Connect, TaskClient


class Clients:
    """`prepare` is awaited before a client is made."""

    def __init__(
        self, connect: Connect, prepare: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._connect = connect
        self._prepare = prepare
        self._clients: dict[str, TaskClient] = {}

    async def of(self, url: str) -> TaskClient:
        """Return the client for a server URL in normal form.

        Raises:
            NotSent: this server's settings cannot be used; the next try reads them again.
        """
        if url not in self._clients and self._prepare is not None:
            await self._prepare()
        client = self._clients.get(url)
        if client is None:
            client = self._clients[url] = self._connect(url)
        return client

    def renew(self, url: str) -> None:
        """Forget the client of a server, so that its settings are read again."""
        self._clients.pop(url, None)

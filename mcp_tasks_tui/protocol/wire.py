"""Where the wire is put together: one set of connections, a client per server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.credentials import FixedHeaders
from mcp_tasks_tui.protocol.errors import NotSent
from mcp_tasks_tui.protocol.transport.connections import Connections, Limits
from mcp_tasks_tui.protocol.transport.endpoint import Endpoint
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.protocol.credentials import Credentials


class Wire:
    """Makes clients that share sessions and TLS context. Belongs to one event loop.

    Args:
        limits: time limits and sizes.
        environ: where proxy settings are read from, each time a server is first spoken to.
    """

    def __init__(
        self, limits: Limits | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        self._connections = Connections(
            limits or Limits(), os.environ if environ is None else environ
        )

    def client(self, url: str, credentials: Credentials | None = None) -> TaskClient:
        """Return a client for a server. Nothing is sent yet.

        Raises:
            NotSent: the URL is none that can be spoken to.
        """
        try:
            endpoint = Endpoint(normal_url(url), self._connections)
        except UrlError as error:
            raise NotSent(str(error)) from None
        return TaskClient(endpoint, credentials or FixedHeaders())

    async def close(self) -> None:
        """Close every connection; requests under way fail."""
        await self._connections.close()

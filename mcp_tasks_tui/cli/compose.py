"""Where the program is put together: the real store, wire and clock for the engine."""

from __future__ import annotations

import asyncio
import importlib
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp_tasks_tui.cli.credentials import ConfiguredCredentials
from mcp_tasks_tui.cli.settings import LiveSettings, ServerNames, engine_settings
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.supervise.clock import SystemClock
from mcp_tasks_tui.supervise.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from mcp_tasks_tui.config.model import Config
    from mcp_tasks_tui.places import Paths
    from mcp_tasks_tui.protocol.client import TaskClient
    from mcp_tasks_tui.protocol.wire import Wire


_MIB = 1024 * 1024
_WIRE = "mcp_tasks_tui.protocol.wire"


class Wiring:
    """Makes a client per server over one shared session, which is opened by the first.

    With `config_file`, settings that are changed there hold for what is connected afterwards.
    HTTP is not imported before `may_begin` is set, where it is given.
    """

    def __init__(
        self,
        config: Config,
        config_file: Path | None = None,
        *,
        may_begin: asyncio.Event | None = None,
    ) -> None:
        self._settings = LiveSettings(config, config_file)
        self.names = ServerNames(self._settings)
        self._connected: set[str] = set()
        self._wire: Wire | None = None
        self._imported = asyncio.Lock()
        self._may_begin = may_begin

    async def prepare(self) -> None:
        """Import HTTP beside the event loop: it takes a while, and the keyboard does not wait."""
        if self._may_begin is not None:
            await self._may_begin.wait()
        async with self._imported:
            if _WIRE not in sys.modules:
                await asyncio.to_thread(importlib.import_module, _WIRE)

    def connect(self, url: str) -> TaskClient:
        """Return a client for the server at `url`.

        Raises:
            NotSent: its settings cannot be used.
        """
        config = self._settings_for(url)
        self._connected.add(url)
        if self._wire is None:
            from mcp_tasks_tui.protocol.transport.connections import Limits
            from mcp_tasks_tui.protocol.wire import Wire

            self._wire = Wire(Limits(reply_bytes=config.wire.max_reply_mib * _MIB))
        entry = config.server(url)
        return self._wire.client(url, ConfiguredCredentials(entry) if entry else None)

    def _settings_for(self, url: str) -> Config:
        """Read the settings; who tries a server again has them right, or is told that they are not.

        Raises:
            NotSent: they were changed, and cannot be used.
        """
        from mcp_tasks_tui.protocol.errors import NotSent

        try:
            return self._settings.read()
        except ConfigError as error:
            if url not in self._connected:
                return self._settings.last
            raise NotSent(str(error)) from None

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()


def supervisor_for(store: StoreWorker, wiring: Wiring, config: Config) -> Supervisor:
    return Supervisor(
        store=store,
        connect=wiring.connect,
        prepare=wiring.prepare,
        clock=SystemClock(),
        settings=engine_settings(config),
        names=wiring.names,
    )


@asynccontextmanager
async def running_supervisor(
    paths: Paths, config: Config, *, watch: Sequence[str] = ()
) -> AsyncIterator[Supervisor]:
    """A started engine for one command; of all saved tasks only `watch` is polled by itself."""
    wiring = Wiring(config, paths.config_file)
    async with StoreWorker(paths.data) as store:
        supervisor = supervisor_for(store, wiring, config)
        try:
            await supervisor.start(keys=frozenset(watch))
            yield supervisor
        finally:
            await supervisor.close()
            await wiring.close()

"""Push from all servers, each by itself."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.listener import Listener

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.roster import Roster, Watched
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.settings import EngineSettings


class Listeners:
    """The streams of all servers; none before `start`, none after `close`."""

    def __init__(
        self,
        *,
        roster: Roster,
        clients: Clients,
        clock: Clock,
        settings: EngineSettings,
        fraction: Callable[[], float],
        pushed: Callable[[Watched, TaskReply], None],
        coverage_changed: Callable[[list[Watched]], None],
        lost: Callable[[list[Watched]], None],
        notice: Callable[[str], None],
    ) -> None:
        self._make = partial(
            Listener,
            roster=roster,
            clients=clients,
            clock=clock,
            settings=settings,
            fraction=fraction,
            pushed=pushed,
            coverage_changed=coverage_changed,
            lost=lost,
            notice=notice,
        )
        self._by_url: dict[str, Listener] = {}
        self._open = False

    def start(self) -> None:
        self._open = True

    async def close(self) -> None:
        self._open = False
        listeners, self._by_url = list(self._by_url.values()), {}
        await asyncio.gather(*(listener.close() for listener in listeners))

    def set_changed(self, line: ServerLine) -> None:
        """The server has other open tasks than before, or answers again."""
        if not self._open:
            return
        listener = self._by_url.get(line.url)
        if listener is None:
            self._by_url[line.url] = self._make(line)
        else:
            listener.set_changed()

    def was_read(self, task: Watched, *, news: bool) -> None:
        listener = self._by_url.get(task.line.url)
        if listener is not None:
            listener.was_read(task, news=news)

"""The engine on real sockets and a real disk, with times short enough for a test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from mcp_tasks_tui.handles.model import Event, HandleDraft
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.credentials import Credentials
from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.protocol.wire import Wire
from mcp_tasks_tui.supervise.clock import SystemClock
from mcp_tasks_tui.supervise.server_view import ServerView
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from tests.protocol.servers import Reply, Request, ScriptedServer, error, result, task
from tests.quick import quickened

SETTINGS = quickened(EngineSettings())
LIMITS = Limits(connect=2.0, silence=1.5, total=3.0)


class Host:
    """A server with any number of working tasks, and a `mood` in place of answers.

    Without a mood every task that is asked for works, at `interval_ms`; other methods are
    unknown, `subscriptions/listen` too.
    """

    def __init__(self, interval_ms: int = 100) -> None:
        self.interval_ms = interval_ms
        self.mood: Reply | None = None
        self.server = ScriptedServer(self._answer)
        self._reads: list[tuple[float, str]] = []

    @property
    def url(self) -> str:
        return self.server.url

    def reads(self, task_id: str | None = None, *, since: float = 0.0) -> list[float]:
        """When reads arrived (monotonic): of one task, or of all."""
        return [at for at, asked in self._reads if at >= since and task_id in (None, asked)]

    def asked_for(self) -> set[str]:
        """The ids of all tasks that were read at all."""
        return {asked for _, asked in self._reads}

    def longest_gap(
        self,
        task_id: str,
        *,
        since: float = 0.0,
        lost: Callable[[float, float], float] = lambda _begin, _end: 0.0,
    ) -> float:
        """Seconds between two reads of the task, at most; less what was `lost` meanwhile."""
        reads = self.reads(task_id, since=since)
        return max(b - a - lost(a, b) for a, b in pairwise(reads))

    def _answer(self, request: Request) -> Any:
        if request.method == "tasks/get":
            self._reads.append((time.monotonic(), request.message["params"]["taskId"]))
        reply = self._well(request) if self.mood is None else self.mood
        return reply(request) if callable(reply) else reply

    def _well(self, request: Request) -> Reply:
        if request.method == "tasks/get":
            task_id = request.message["params"]["taskId"]
            return result(task(task_id, pollIntervalMs=self.interval_ms))
        return error(-32601, "no such method", status=404)


def save(home: Path, url: str, *task_ids: str) -> list[str]:
    """Save handles as another program does, before the engine starts. Returns their keys."""
    with HandleStore.open(home) as store:
        saved = store.save_all([HandleDraft(url, task_id) for task_id in task_ids])
    return [one.handle.key for one in saved]


@asynccontextmanager
async def engine(
    home: Path,
    *,
    credentials: Mapping[str, Callable[[], Credentials]] | None = None,
    settings: EngineSettings = SETTINGS,
    limits: Limits = LIMITS,
) -> AsyncIterator[Supervisor]:
    """A started engine; `credentials` makes those of a server, by its URL in normal form."""
    known = credentials or {}

    def connect(url: str) -> TaskClient:
        return wire.client(url, known[url]() if url in known else None)

    wire = Wire(limits, environ={})
    async with StoreWorker(home) as store:
        supervisor = Supervisor(
            store=store,
            connect=connect,
            clock=SystemClock(),
            settings=settings,
        )
        try:
            await supervisor.start()
            yield supervisor
        finally:
            await supervisor.close()
            await wire.close()


class Pace:
    """How much later than it was to the event loop goes on: what a busy machine takes.

    Use as a context manager. A bound on the time between two events is a bound on that time less
    what was `lost` meanwhile; a machine that is not busy loses next to nothing.
    """

    _STEP = 0.01

    def __init__(self) -> None:
        self._late: list[tuple[float, float]] = []

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ticking.cancel()

    def lost(self, begin: float, end: float) -> float:
        """Seconds lost between two moments (monotonic), and in the step that ends after them."""
        return sum(late for at, late in self._late if begin <= at <= end + late + self._STEP)

    async def _tick(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(self._STEP)
            now = time.monotonic()
            self._late.append((now, max(0.0, now - before - self._STEP)))


async def until(fits: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until `fits`.

    Raises:
        TimeoutError: it did not come to that.
    """
    async with asyncio.timeout(seconds):
        while not fits():
            await asyncio.sleep(0.01)


def line(supervisor: Supervisor, host: Host) -> ServerView:
    return next(one for one in supervisor.servers() if one.url == host.url)


async def until_told(supervisor: Supervisor, key: str, event: Event) -> None:
    """Wait until the task's journal tells of `event`."""
    async with asyncio.timeout(120):
        while event not in [entry.event for entry in await supervisor.journal(key)]:
            await asyncio.sleep(0.02)

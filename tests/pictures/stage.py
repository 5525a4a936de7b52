"""The real program on real demo servers, in a time of its own.

Nothing here is made up for the picture: the servers of the demo answer on sockets, the engine polls
and listens, the store writes, the screen draws. Only time, jitter and names that differ from run to
run (ports) are fixed, so that a picture is the same each time.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from mcp_tasks_tui.config.model import ScreenConfig, ServerEntry
from mcp_tasks_tui.demo.lifecycles import DemoCall
from mcp_tasks_tui.demo.scenes import Scene
from mcp_tasks_tui.demo.server import DemoServer
from mcp_tasks_tui.demo.stage import Staging, raise_stage
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.credentials import FixedHeaders
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.protocol.messages import ListenEvent, TaskReply
from mcp_tasks_tui.protocol.transport.connections import Connections, Limits
from mcp_tasks_tui.protocol.transport.endpoint import Endpoint
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage, TaskView
from mcp_tasks_tui.ui.app import TasksApp
from tests.pictures.clock import STEP, StoryClock

_SEED = 2026
#: The port that a picture shows for the first server; the others follow.
_FIRST_PORT = 8765
#: Rounds of the event loop in which nothing may happen any more.
_QUIET_ROUNDS = 8
#: Seconds of real time in which a step is over, also on a busy machine.
_PATIENCE = 20.0
#: Seconds of real time after which a push of a server's is not waited for any longer.
_PUSH_TAKES = 0.5
#: The screen writes ages once a second of real time.
_REDRAW = 1.1


class Traffic:
    """How many answers of servers are waited for."""

    def __init__(self) -> None:
        self.under_way = 0

    def __enter__(self) -> None:
        self.under_way += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.under_way -= 1


class CountedClient(TaskClient):
    """The real client; what it waits for is counted, so that the picture can wait too."""

    def __init__(self, endpoint: Endpoint, traffic: Traffic) -> None:
        super().__init__(endpoint, FixedHeaders())
        self._traffic = traffic

    async def get_task(self, task_id: str) -> TaskReply:
        with self._traffic:
            return await super().get_task(task_id)

    async def listen(self, task_ids: Sequence[str]) -> AsyncGenerator[ListenEvent, None]:
        async with aclosing(super().listen(task_ids)) as events:
            with self._traffic:
                acknowledged = await anext(events, None)
            if acknowledged is not None:
                yield acknowledged
            async for event in events:
                yield event


@dataclass
class Show:
    """A running program in the middle of a story."""

    pilot: Pilot[None]
    app: TasksApp
    supervisor: Supervisor
    home: Path
    clock: StoryClock
    _store: StoreWorker
    _servers: Mapping[str, DemoServer]
    _traffic: Traffic
    #: Keys of tasks of which no push came that would have been in time.
    _late: set[str] = field(default_factory=set)

    async def play(self, scene: Scene, seconds: float) -> None:
        """Send the scene's calls at their times and let the story run for that long."""
        urls = {server.url: server.name for server in shown_servers(scene)}
        address = {name: url for url, name in urls.items()}
        waiting = list(scene.calls)
        end = self.clock.monotonic() + seconds
        while self.clock.monotonic() < end:
            while waiting and waiting[0].delay <= self.clock.monotonic():
                call = waiting.pop(0)
                await self._call(address[call.server], call)
            await self.clock.advance(STEP, self.settle)
        await self.clock.advance(1.0, self.settle)

    async def _call(self, url: str, call: DemoCall) -> None:
        try:
            await self.supervisor.call(
                url, call.tool, call.arguments, label=call.label, tags=call.tags, saved_by="demo"
            )
        except RequestError:
            return  # a server that is away is part of the story
        await self.settle()

    async def settle(self) -> None:
        """Wait until all that was set off is over: reads, pushes, writes, messages of the app."""
        quiet, began = 0, time.monotonic()
        while quiet < _QUIET_ROUNDS:
            await self._store.data_version()  # the store does one thing after the other
            await asyncio.sleep(0)
            if not self._traffic.under_way and self._pushes_arrived(time.monotonic() - began):
                quiet += 1
            else:
                quiet = 0
                await asyncio.sleep(0.001)
            assert time.monotonic() - began < _PATIENCE, "the program does not come to rest"

    def _pushes_arrived(self, waited: float) -> bool:
        """Whether the screen knows what the servers have pushed, or waited in vain for it.

        What changed before a stream was acknowledged is not pushed: the next read tells it.
        """
        behind = {view.key for view in self.supervisor.views() if self._is_behind(view)}
        self._late &= behind
        if waited > _PUSH_TAKES:
            self._late |= behind
        return behind <= self._late

    def _is_behind(self, view: TaskView) -> bool:
        tasks = self._servers[view.handle.server_url].methods.store
        if view.coverage is not Coverage.PUSHED or not tasks.known(view.handle.task_id):
            return False
        task, known = tasks.find(view.handle.task_id).task, view.snapshot
        message = known.status_message.raw if known.status_message else None
        told = (task.status, task.message, len(task.requests))
        return told != (known.status, message, len(known.input_requests))

    async def come_to_rest(self) -> None:
        """Let the screen draw the last of it."""
        await asyncio.sleep(_REDRAW)
        await self.pilot.pause()
        self.app.clear_notifications()

    def select(self, label: str) -> None:
        """Put the cursor on the task of that label."""
        self.app.main.go_to(self.find(label).key)

    def find(self, label: str) -> TaskView:
        found = (view for view in self.supervisor.views() if view.handle.label == label)
        return next(found)

    def address(self, url: str) -> str:
        """Where the server of that shown URL really listens."""
        return self._servers[url].url

    def task_ids(self) -> list[str]:
        return [view.handle.task_id for view in self.supervisor.views()]

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()
        await self.settle()
        await self.still()

    async def still(self) -> None:
        """Nothing that blinks or passes by is in a picture."""
        for entry in self.app.screen.query(Input):
            entry.cursor_blink = False
        for area in self.app.screen.query(TextArea):
            area.cursor_blink = False
        self.app.clear_notifications()
        for _ in range(3):
            await self.pilot.pause()


def shown_servers(scene: Scene) -> list[ServerEntry]:
    """The servers as a picture names them: with ports that are always the same."""
    return [
        ServerEntry(spec.name, f"http://localhost:{_FIRST_PORT + number}/mcp")
        for number, spec in enumerate(scene.servers)
    ]


@asynccontextmanager
async def showing(
    scene: Scene, *, size: tuple[int, int], config: ScreenConfig | None = None
) -> AsyncIterator[Show]:
    """The program on the scene's servers, before its story begins."""
    clock, traffic = StoryClock(), Traffic()
    entries = shown_servers(scene)
    running = await raise_stage(Staging(scene, clock, speed=1.0, seed=_SEED))
    servers = {entry.url: server for entry, server in zip(entries, running, strict=True)}
    connections = Connections(Limits(), {})

    def connect(url: str) -> TaskClient:
        return CountedClient(Endpoint(servers[url].url, connections), traffic)

    with tempfile.TemporaryDirectory(prefix="mcp-tasks-tui-picture-") as folder:
        home = Path(folder)
        opened = partial(HandleStore.open, clock=clock.now)
        async with StoreWorker(home, open_store=opened) as store:
            supervisor = Supervisor(
                store=store,
                connect=connect,
                clock=clock,
                settings=EngineSettings(),
                names={entry.url: entry.name for entry in entries},
                fraction=lambda: 0.5,
            )
            app = TasksApp(
                supervisor,
                config=config or ScreenConfig(alerts="never", animations=False),
                known_servers=entries,
                now=clock.now,
                environ={},
            )
            async with app.run_test(size=size) as pilot:
                show = Show(pilot, app, supervisor, home, clock, store, servers, traffic)
                await pilot.pause()
                await show.settle()
                yield show
            await connections.close()
    for server in running:
        await server.stop()

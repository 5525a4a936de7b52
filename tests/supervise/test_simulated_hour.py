"""A thousand tasks on seven servers with bad days, in simulated time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import (
    HttpError,
    RateLimited,
    RequestError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from tests.supervise.sim import SimServer, World

SETTINGS = EngineSettings()
Fault = Callable[[], RequestError]
FAULTS: dict[str, Fault | None] = {
    "healthy": None,
    "hangs": lambda: TimedOut("silence", 30),
    "refuses": lambda: Unreachable("refused"),
    "unavailable": lambda: HttpError(503, "Service Unavailable"),
    "limited": lambda: RateLimited(429, "Too Many Requests", hint=None, retry_after=45),
    "login-page": lambda: UnusableReply("an HTML page with status 200, not an MCP reply"),
    "flaps": lambda: Unreachable("reset"),
}


def interval_of(task_id: str) -> float:
    """Seconds; each task has its own: 10, 25, 40, ... 115."""
    return 10.0 + int(task_id[1:]) % 8 * 15.0


class BadDay:
    """The world of one run: every server but one fails in the second third of it."""

    def __init__(self, seconds: float, tasks: int) -> None:
        self.seconds = seconds
        self.world = World(SETTINGS)
        self.names = [f"t{number}" for number in range(tasks)]
        self.servers = {name: self._server(name) for name in FAULTS}
        self.of_server: dict[str, list[str]] = {name: [] for name in FAULTS}

    @property
    def trouble(self) -> tuple[float, float]:
        return self.seconds / 3, self.seconds * 2 / 3

    def _server(self, name: str) -> SimServer:
        server = self.world.server(f"http://{name}.test/mcp")
        make = FAULTS[name]
        begin, end = self.trouble

        def fault(at: float) -> RequestError | None:
            if make is None or not begin <= at < end:
                server.latency = 0.05
                return None
            if name == "flaps" and int(at / 20) % 2:
                return None
            return make()

        def script(at: float, task_id: str) -> dict[str, Any] | RequestError:
            fields: dict[str, Any] = {"pollIntervalMs": int(interval_of(task_id) * 1000)}
            if int(task_id[1:]) % 50 == 0 and at > self.seconds / 2:
                return {**fields, "status": "completed", "result": {"of": task_id}}
            return {**fields, "statusMessage": f"{int(at / self.seconds * 100)}%"}

        server.fault, server.script = fault, script
        return server

    async def run(self) -> None:
        names = list(FAULTS)
        for place, task_id in enumerate(self.names):
            name = names[place % len(names)]
            await self.world.saved(self.servers[name], task_id)
            self.of_server[name].append(task_id)
        begin, end = self.trouble
        async with self.world.supervisor() as supervisor:
            await self.world.clock.advance(begin)
            self.servers["hangs"].latency = 30
            await self.world.clock.advance(end - begin - 20)
            self.health_in_trouble = {
                line.url.split(".")[0].removeprefix("http://"): line.health
                for line in supervisor.servers()
            }
            await self.world.clock.advance(20 + self.seconds - end)
            self.views = {view.handle.task_id: view for view in supervisor.views()}
            self.health_at_end = {line.health for line in supervisor.servers()}

    def journals(self) -> list[list[tuple[object, str]]]:
        return [list(self.world.journal(key)) for key in self.world.disk.rows]


def check_politeness(day: BadDay) -> None:
    for name, server in day.servers.items():
        assert server.most_in_flight <= SETTINGS.max_reads, name
        for task_id in day.of_server[name]:
            gaps = [later - earlier for earlier, later in pairwise(server.reads(task_id))]
            assert all(gap >= interval_of(task_id) for gap in gaps[1:]), (name, task_id, min(gaps))


def check_no_task_starves(day: BadDay) -> None:
    """On the healthy server nothing is late; elsewhere all are read again soon after the end."""
    server = day.servers["healthy"]
    for task_id in day.of_server["healthy"]:
        longest = interval_of(task_id) * (1 + SETTINGS.jitter) + 0.5
        times = [*server.reads(task_id)]
        ended = day.views[task_id].state.terminal
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert max(gaps) <= longest, task_id
        assert ended or day.seconds - times[-1] <= longest
    _, end = day.trouble
    for name, server in day.servers.items():
        for task_id in day.of_server[name]:
            back = end + SETTINGS.backoff_cap + interval_of(task_id) * 1.05 + 45
            view = day.views[task_id]
            assert view.state.terminal or any(end <= at <= back for at in server.reads(task_id))


def check_recovery(day: BadDay) -> None:
    assert day.health_in_trouble["healthy"] is Health.OK
    for name in ("hangs", "refuses", "unavailable"):
        assert day.health_in_trouble[name] is Health.DOWN, name
    assert day.health_in_trouble["limited"] is Health.LIMITED
    assert day.health_in_trouble["login-page"] is Health.BROKEN
    assert day.health_at_end == {Health.OK}
    for task_id, view in day.views.items():
        assert view.snapshot.read.ok, task_id
        finished = int(task_id[1:]) % 50 == 0
        assert view.state is (State.COMPLETED if finished else State.WORKING), task_id
    results = [row.result for row in day.world.disk.rows.values() if row.result is not None]
    assert len(results) == sum(int(task_id[1:]) % 50 == 0 for task_id in day.names)


async def check(seconds: float, tasks: int) -> None:
    day = BadDay(seconds, tasks)
    await day.run()
    check_politeness(day)
    check_no_task_starves(day)
    check_recovery(day)


async def test_twelve_minutes_of_a_bad_day() -> None:
    await check(720, 210)


@pytest.mark.slow
async def test_an_hour_of_a_bad_day() -> None:
    await check(3600, 1000)


async def test_a_run_tells_the_same_story_each_time() -> None:
    first, second = BadDay(300, 70), BadDay(300, 70)
    await first.run()
    await second.run()
    assert first.journals() == second.journals()
    assert [server.requests for server in first.servers.values()] == [
        server.requests for server in second.servers.values()
    ]

"""How politely a server that is not ours is polled, by its own count of what arrived."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.cli.credentials import ConfiguredCredentials
from mcp_tasks_tui.config.model import ServerEntry
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.messages import TaskCreated
from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.protocol.wire import Wire
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage
from tests.peers.conftest import running_peer
from tests.program.engine import engine, save, until

pytestmark = pytest.mark.peer
REAL = EngineSettings()
#: The environment with the token that the server takes.
GOOD = {"TOKEN": "good"}
#: `pollIntervalMs` of the server, in seconds, and what clocks of two processes may differ by.
INTERVAL, SLACK = 0.5, 0.05


class Stats:
    """What the server saw since it was last asked to forget it."""

    def __init__(self, url: str) -> None:
        self._url = url.removesuffix("/mcp") + "/peer/stats"
        self.counts: Mapping[str, int] = {}
        self.reads: dict[str, list[float]] = {}
        self.connections: set[int] = set()

    async def read(self) -> None:
        answer = await asyncio.to_thread(self._ask, urllib.request.Request(self._url))
        self.counts = answer["counts"]
        reads = defaultdict(list)
        for one in answer["last"]:
            if one["method"] == "tasks/get":
                reads[one["name"]].append(one["at"])
                self.connections.add(one["peer"])
        self.reads = dict(reads)

    async def forget(self) -> None:
        request = urllib.request.Request(f"{self._url}/reset", method="POST")
        await asyncio.to_thread(self._ask, request)

    @staticmethod
    def _ask(request: urllib.request.Request) -> Any:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def polite() -> Iterator[str]:
    """The URL of a server that wants a token, and has room for many tasks at a time."""
    with running_peer("--concurrency", "40", "--token", "good=me") as url:
        yield url


def _credentials(url: str, environ: Mapping[str, str]) -> ConfiguredCredentials:
    """What a person has set, with the token of `environ`."""
    entry = ServerEntry("peer", url, headers={"Authorization": "Bearer ${TOKEN}"})
    return ConfiguredCredentials(entry, environ)


async def _started(url: str, tool: str, count: int, **arguments: Any) -> list[str]:
    wire = Wire(environ={})
    client = wire.client(url, _credentials(url, GOOD))
    outcomes = await asyncio.gather(*(client.call_tool(tool, arguments) for _ in range(count)))
    await wire.close()
    return [one.reply.task.task_id for one in outcomes if isinstance(one, TaskCreated)]


def _is_live(supervisor: Supervisor, key: str) -> bool:
    view = supervisor.view(key)
    return view is not None and view.live


def _ended(supervisor: Supervisor, task_ids: Collection[str]) -> bool:
    views = [view for view in supervisor.views() if view.handle.task_id in task_ids]
    return all(view.state is State.COMPLETED for view in views)


async def test_thirty_tasks_are_polled_as_their_server_wishes(polite: str, tmp_path: Path) -> None:
    running = await _started(polite, "slow_build", 26, seconds=60, steps=60)
    short = await _started(polite, "slow_build", 4, seconds=1, steps=2)
    assert (len(running), len(short)) == (26, 4)
    save(tmp_path, polite, *running, *short)
    stats = Stats(polite)
    known = {polite: lambda: _credentials(polite, GOOD)}

    await stats.forget()
    async with engine(tmp_path, credentials=known, settings=REAL, limits=Limits()) as supervisor:
        await until(lambda: _ended(supervisor, short))
        await stats.read()
        at_the_end = {task_id: len(stats.reads[task_id]) for task_id in short}
        while sum(map(len, stats.reads.values())) < 180:
            await asyncio.sleep(0.2)
            await stats.read()
        assert {view.coverage for view in supervisor.views() if not view.state.ended} == {
            Coverage.POLLED
        }
    assert stats.counts["subscriptions/listen"] == 1
    assert {task_id: len(stats.reads[task_id]) for task_id in short} == at_the_end
    gaps = [gap for task_id in running for gap in pairwise(stats.reads[task_id])]
    assert min(end - begin for begin, end in gaps) >= INTERVAL - SLACK
    others = (stats.reads[task_id] for task_id in running)
    assert max(sum(a < at < b for at in other) for other in others for a, b in gaps) <= 4, (
        "each has its turn, on a busy machine too"
    )
    assert len(stats.connections) <= 8

    await stats.forget()
    async with engine(tmp_path, credentials=known, settings=REAL, limits=Limits()) as supervisor:
        open_views = [view.key for view in supervisor.views() if not view.state.ended]
        await until(lambda: all(_is_live(supervisor, key) for key in open_views))
    await stats.read()
    assert stats.reads.keys() == set(running)


async def test_a_wrong_token_holds_the_polls_until_the_right_one_is_there(
    polite: str, tmp_path: Path
) -> None:
    save(tmp_path, polite, *(f"t{number}" for number in range(10)))
    environ = {"TOKEN": "expired"}
    known = {polite: lambda: _credentials(polite, environ)}
    stats = Stats(polite)
    await stats.forget()
    async with engine(tmp_path, credentials=known, settings=REAL, limits=Limits()) as supervisor:
        await until(lambda: supervisor.servers()[0].health is Health.AUTH)
        (said,) = supervisor.servers()
        assert "HTTP 401" in said.text
        assert "invalid_token" in said.text
        assert "renew this server's token or header, then retry" in said.text
        await until(lambda: {v.coverage for v in supervisor.views()} == {Coverage.PAUSED})
        await stats.read()
        assert sum(map(len, stats.reads.values())) <= 8
        environ["TOKEN"] = "good"
        await supervisor.retry_server(polite)
        await until(lambda: all(v.snapshot.read.not_found for v in supervisor.views()))

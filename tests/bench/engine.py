"""What the engine alone costs for one read: ``python -m tests.bench.engine``.

Servers, disk and time are simulated, so that the figure is of applying replies, keeping, planning
and telling what changed, and of nothing else but the simulation itself, which is about a third of
it. Processor time; a task's message changes with every fifth read.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
from tests.supervise.sim import SimServer, World

_SERVERS = 4
_READS_PER_MESSAGE = 5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", type=int, default=500)
    options.add_argument("--interval", type=float, default=1.0, help="seconds between reads")
    options.add_argument("--seconds", type=float, default=20.0, help="simulated seconds")
    asyncio.run(_measure(options.parse_args()))


async def _measure(chosen: argparse.Namespace) -> None:
    world = World()
    servers = [_server(world, number, chosen.interval) for number in range(_SERVERS)]
    for number in range(chosen.tasks):
        await world.saved(servers[number % _SERVERS], f"t{number}")
    async with world.supervisor() as supervisor:
        supervisor.subscribe(lambda batch: _look(supervisor, batch))
        await world.clock.advance(chosen.interval + 3)
        before, begun = _reads(servers), time.process_time()
        await world.clock.advance(chosen.seconds)
        took, reads = time.process_time() - begun, _reads(servers) - before
    print(f"{reads:,} reads, {took / reads * 1e6:.0f} us each")


def _server(world: World, number: int, interval: float) -> SimServer:
    server = world.server(f"http://s{number}.test/mcp")
    server.latency = 0.01
    times: dict[str, int] = {}

    def say(_: float, task_id: str) -> dict[str, Any]:
        read = times[task_id] = times.get(task_id, int(task_id[1:])) + 1
        step = read // _READS_PER_MESSAGE % 200
        return {
            "statusMessage": f"step {step} of 200: compiling the sources",
            "createdAt": "2026-07-28T10:00:00Z",
            "lastUpdatedAt": f"2026-07-28T11:{step // 60:02}:{step % 60:02}Z",
            "ttlMs": 864_000_000,
            "pollIntervalMs": int(interval * 1000),
        }

    server.script = say
    return server


def _look(supervisor: Supervisor, batch: Batch) -> None:
    """Ask for the views of what changed, as the screen does."""
    for key in batch.added | batch.changed:
        supervisor.view(key)


def _reads(servers: list[SimServer]) -> int:
    return sum(len(server.reads()) for server in servers)


if __name__ == "__main__":
    main()

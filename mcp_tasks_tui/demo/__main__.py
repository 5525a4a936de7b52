"""The servers of a scene in a process of their own: `python -m mcp_tasks_tui.demo`.

Prints one line of JSON when all of them listen:
``{"ready": true, "url": URL of the first, "servers": {name: URL}, "pid": N}``.
Stops on SIGTERM, SIGINT and, with ``--parent``, when that process is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mcp_tasks_tui.demo.stage import Staging, raise_stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.demo.tools import Tool


def main(arguments: list[str] | None = None, *, tools: Sequence[Tool] = ()) -> int:
    """Run until told to stop; the servers have these `tools` beside their own."""
    options = _parser().parse_args(arguments)
    try:
        staging = Staging.of(
            scene=options.scene,
            only=tuple(options.only or ()),
            speed=options.speed,
            seed=options.seed,
            freeze=options.freeze,
            now=options.now,
        )
    except ValueError as error:
        print(f"demo: {error}", file=sys.stderr)  # noqa: T201 - this program's own voice
        return 2
    return asyncio.run(_serve(staging, options, tools))


async def _serve(staging: Staging, options: argparse.Namespace, tools: Sequence[Tool]) -> int:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    try:
        servers = await raise_stage(staging, port=options.port, tools=tools)
    except OSError as error:
        print(f"demo: cannot listen: {error.strerror}", file=sys.stderr)  # noqa: T201
        return 1
    urls = {server.spec.name: server.url for server in servers}
    ready = {"ready": True, "url": next(iter(urls.values())), "servers": urls, "pid": os.getpid()}
    print(json.dumps(ready), flush=True)  # noqa: T201
    try:
        await _until_over(over, options.parent)
    finally:
        await asyncio.gather(*(server.stop() for server in servers))
    return 0


async def _until_over(over: asyncio.Event, parent: int | None) -> None:
    while True:
        try:
            async with asyncio.timeout(0.5 if parent is not None else None):
                await over.wait()
                return
        except TimeoutError:
            if os.getppid() != parent:
                return


def _moment(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 10_000:
        raise argparse.ArgumentTypeError("must be more than 0 and at most 10000")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mcp_tasks_tui.demo",
        description="MCP servers whose tools tell the stories of tasks.",
    )
    add = parser.add_argument
    add("--scene", default="tour", help="which scene's servers to start (default: tour)")
    add("--only", nargs="+", metavar="LIFECYCLE", help="these lifecycles instead of a scene")
    add("--port", type=int, default=0, help="port of the first server; 0 takes a free one")
    add("--speed", type=_positive, default=1.0, help="seconds of the story per second")
    add("--seed", type=int, help="the same seed gives the same task ids")
    add("--freeze", type=float, metavar="SECOND", help="let time stand still there in the story")
    add("--now", type=_moment, metavar="ISO8601", help="what time it is when frozen")
    add("--parent", type=int, metavar="PID", help="stop when this parent process is gone")
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""CPU time of one poll: ours, bare aiohttp with json, and the MCP Python SDK where it is there.

Run with ``python -m tests.bench.poll [--polls N]``. The server runs in a process of its own, so
only the client's work is counted. Medians of several rounds; the rounds of the clients alternate,
so that a busy machine disturbs them alike.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp

from mcp_tasks_tui.protocol.wire import Wire

Poll = Callable[[], Awaitable[object]]

ROUNDS = 7
CONCURRENT = (1, 8)
BUDGET_AIOHTTP = 2.5
BUDGET_SDK = 0.35


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU time of one poll")
    parser.add_argument("--polls", type=int, default=1500, help="polls per round")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(_serve())
        return 0
    return asyncio.run(_measure(options.polls))


async def _measure(polls: int) -> int:
    passed = True
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(_server())
        clients = {
            "bare aiohttp + json": await stack.enter_async_context(_bare(url)),
            "mcp-tasks-tui": await stack.enter_async_context(_ours(url)),
        }
        if importlib.util.find_spec("mcp") is None:
            print("MCP Python SDK: not importable here, left out")
        else:
            clients["MCP Python SDK"] = await stack.enter_async_context(_sdk(url))
        for concurrent in CONCURRENT:
            costs = await _costs(clients, polls, concurrent)
            passed &= _report(costs, concurrent)
    return 0 if passed else 1


def _report(costs: dict[str, float], concurrent: int) -> bool:
    print(f"\n{concurrent} at once:")
    for name, micros in costs.items():
        print(f"  {name:22} {micros:8.1f} us CPU per poll")
    ours = costs["mcp-tasks-tui"]
    verdicts = [("aiohttp", ours / costs["bare aiohttp + json"], BUDGET_AIOHTTP)]
    if "MCP Python SDK" in costs:
        verdicts.append(("the SDK", ours / costs["MCP Python SDK"], BUDGET_SDK))
    for name, ratio, budget in verdicts:
        word = "within" if ratio <= budget else "OVER"
        print(f"  {ratio:.2f} x {name}: {word} the budget of {budget} x")
    return all(ratio <= budget for _, ratio, budget in verdicts)


async def _costs(clients: dict[str, Poll], polls: int, concurrent: int) -> dict[str, float]:
    rounds: dict[str, list[float]] = {name: [] for name in clients}
    for _ in range(ROUNDS + 1):
        for name, poll in clients.items():
            start = time.process_time()
            await asyncio.gather(*(_repeat(poll, polls // concurrent) for _ in range(concurrent)))
            rounds[name].append((time.process_time() - start) / polls * 1e6)
    # The first round warms up.
    return {name: statistics.median(costs[1:]) for name, costs in rounds.items()}


async def _repeat(poll: Poll, times: int) -> None:
    for _ in range(times):
        await poll()


@asynccontextmanager
async def _ours(url: str) -> AsyncIterator[Poll]:
    wire = Wire(environ={})
    client = wire.client(url)
    yield lambda: client.get_task("t1")
    await wire.close()


@asynccontextmanager
async def _bare(url: str) -> AsyncIterator[Poll]:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tasks/get",
        "params": {
            "taskId": "t1",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "bare", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {
                    "elicitation": {"form": {}, "url": {}},
                    "extensions": {"io.modelcontextprotocol/tasks": {}},
                },
            },
        },
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tasks/get",
        "Mcp-Name": "t1",
    }
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def poll() -> Any:
            body = json.dumps(message).encode()
            async with session.post(url, data=body, headers=headers) as response:
                return json.loads(await response.read())

        yield poll


@asynccontextmanager
async def _sdk(url: str) -> AsyncIterator[Poll]:
    sdk = importlib.import_module("mcp")
    types = importlib.import_module("mcp_types")

    class GetTask(types.Request[Any, str]):  # type: ignore[misc,name-defined] # imported at run time
        name_param = "taskId"

    request = GetTask(method="tasks/get", params={"taskId": "t1"})
    async with sdk.Client(url, mode="2026-07-28") as client:
        yield lambda: client.session.send_request(request, types.Result)


@asynccontextmanager
async def _server() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.poll",
        "--serve",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    port = (await process.stdout.readline()).decode().strip()
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.stdin.close()
        await process.wait()


async def _serve() -> None:
    """Answer polls until stdin is closed."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    stdin = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    await stdin.read()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    task = {
        "resultType": "complete",
        "taskId": "t1",
        "status": "working",
        "statusMessage": "step 3 of 10: linking",
        "createdAt": "2026-09-01T10:00:00Z",
        "lastUpdatedAt": "2026-09-01T10:00:00Z",
        "ttlMs": 3_600_000,
        "pollIntervalMs": 1000,
    }
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            request = json.loads(await reader.readexactly(length))
            body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": task}).encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                b"Date: Wed, 21 Oct 2026 07:28:00 GMT\r\nContent-Length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


if __name__ == "__main__":
    raise SystemExit(main())

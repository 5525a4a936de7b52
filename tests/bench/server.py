"""A server in a process of its own that answers `tasks/get` for as little as can be.

It keeps when each task was read, so that a benchmark can tell how late the reads came. Run as
``python -m tests.bench.server INTERVAL ADDRESSES``; :class:`BenchServer` does.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from typing import Any, Self

#: A task's message changes with every so many reads of it.
_READS_PER_MESSAGE = 5
_STEPS = 200


class BenchServer:
    """Starts the server, whose tasks are to be read every `interval` seconds.

    It has several addresses: to the program under test each is a server of its own.
    """

    def __init__(self, interval: float, addresses: int = 1) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.server", str(interval), str(addresses)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.urls = [f"http://127.0.0.1:{port}/mcp" for port in self._line().split()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def report(self) -> dict[str, float]:
        """Return what was seen since the last report: see `_Tasks.report`."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        report: dict[str, float] = json.loads(self._line())
        return report

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


class _Tasks:
    """All tasks run for ever; whatever id is asked for is one."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._reads: dict[str, int] = {}
        self._last: dict[str, float] = {}
        self._late: list[float] = []

    def get(self, task_id: str) -> dict[str, Any]:
        now = time.monotonic()
        if task_id in self._last:
            self._late.append(now - self._last[task_id] - self._interval)
        self._last[task_id] = now
        reads = self._reads[task_id] = self._reads.get(task_id, hash(task_id) % 500) + 1
        step = reads // _READS_PER_MESSAGE % _STEPS
        return {
            "resultType": "complete",
            "taskId": task_id,
            "status": "working",
            "statusMessage": f"step {step} of {_STEPS}: compiling the sources",
            "createdAt": "2026-07-28T10:00:00Z",
            "lastUpdatedAt": f"2026-07-28T11:{step // 60:02}:{step % 60:02}Z",
            "ttlMs": 864_000_000,
            "pollIntervalMs": int(self._interval * 1000),
        }

    def report(self) -> dict[str, float]:
        """Return the number of reads, and the median and p99 of seconds that they came after the
        task's interval was over (its jitter is in it)."""
        late, self._late = sorted(self._late), []
        if not late:
            return {"reads": 0, "late": 0.0, "late_p99": 0.0}
        p99 = late[len(late) * 99 // 100]
        return {"reads": len(late), "late": statistics.median(late), "late_p99": p99}


class _Connection(asyncio.Protocol):
    def __init__(self, tasks: _Tasks) -> None:
        self._tasks = tasks
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        while found:
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            if len(rest) < length:
                return
            self._answer(json.loads(rest[:length]))
            self._received = rest[length:]
            head, found, rest = self._received.partition(b"\r\n\r\n")

    def _answer(self, request: dict[str, Any]) -> None:
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "tasks/get":
            answer["result"] = self._tasks.get(request["params"]["taskId"])
        else:
            answer["error"] = {"code": -32601, "message": "only tasks/get"}
        body = json.dumps(answer).encode()
        self._transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        )


async def _serve(interval: float, addresses: int) -> None:
    """Answer until stdin is closed; each line on it asks for a report."""
    tasks = _Tasks(interval)
    loop = asyncio.get_running_loop()
    servers = [
        await loop.create_server(lambda: _Connection(tasks), "127.0.0.1", 0)
        for _ in range(addresses)
    ]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    stdin = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    while await stdin.readline():
        print(json.dumps(tasks.report()), flush=True)


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), int(sys.argv[2])))

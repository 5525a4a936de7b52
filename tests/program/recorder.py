"""An MCP server in threads of the test's process: keeps every message, answers by a few rules."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

#: What a person must have asked for; none of it may go out by itself.
STEERING = frozenset({"tools/call", "tasks/update", "tasks/cancel"})
CONFIRM = {
    "confirm": {
        "method": "elicitation/create",
        "params": {
            "message": "Deploy to production?",
            "requestedSchema": {
                "type": "object",
                "properties": {"reason": {"type": "string", "title": "Reason"}},
                "required": ["reason"],
            },
        },
    }
}


class Recorder:
    """Use as a context manager; the server listens on 127.0.0.1 while it is entered.

    `tasks` are the tasks by id, to be changed while it runs: fields of the wire. A method in
    `silent` is read and never answered. `on_reply` writes each answer: it gets the method, what
    writes to the socket, and the whole HTTP answer.
    """

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.tasks: dict[str, dict[str, Any]] = {}
        self.silent: set[str] = set()
        self.interval_ms = 200
        self.on_reply: Callable[[str, Callable[[bytes], object], bytes], None] = _write_whole
        self.ended = threading.Event()
        self._news = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/mcp"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def add(self, task_id: str, status: str = "working", **more: Any) -> None:
        """Put a task on the server, as if somebody had called a tool."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.tasks[task_id] = {
            "taskId": task_id,
            "status": status,
            "createdAt": stamp,
            "lastUpdatedAt": stamp,
            "ttlMs": 3_600_000,
            "pollIntervalMs": self.interval_ms,
            **more,
        }

    def methods(self) -> list[str]:
        """Return the method of every message, notifications too, in the order of arrival."""
        with self._news:
            return [str(message.get("method")) for message in self.messages]

    def sent(self, *methods: str) -> int:
        """Return how many messages of these methods came in."""
        return sum(method in methods for method in self.methods())

    def wait_for(self, method: str, count: int = 1, timeout: float = 20) -> None:
        """Wait until `count` messages of a method came in.

        Raises:
            AssertionError: they did not come in time.
        """
        with self._news:
            came = self._news.wait_for(lambda: self._count(method) >= count, timeout)
        assert came, f"{count} x {method} wanted, came: {self.methods()}"

    def wait_for_next(self, method: str, timeout: float = 20) -> None:
        """Wait for one more message of a method than came in until now."""
        self.wait_for(method, self.sent(method) + 1, timeout)

    def _count(self, method: str) -> int:
        return sum(message.get("method") == method for message in self.messages)

    def _note(self, message: dict[str, Any]) -> None:
        with self._news:
            self.messages.append(message)
            self._news.notify_all()

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        method, params = message["method"], message.get("params", {})
        if method == "tasks/get" and params["taskId"] in self.tasks:
            return {"result": {"resultType": "complete", **self.tasks[params["taskId"]]}}
        if method == "tools/call":
            self.add(f"task-{len(self.tasks) + 1}", statusMessage="step 1 of 4")
            created = list(self.tasks.values())[-1]
            return {"result": {"resultType": "task", **created}}
        if method == "tools/list":
            tool = {"name": "build", "inputSchema": {"type": "object"}}
            return {"result": {"resultType": "complete", "tools": [tool]}}
        if method in STEERING:
            return {"result": {"resultType": "complete"}}
        if method == "tasks/get":
            return {"error": {"code": -32602, "message": "no such task"}}
        return {"error": {"code": -32601, "message": "no such method"}}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def handle(self) -> None:
                with suppress(ConnectionError):  # the other side was killed
                    super().handle()

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                message = json.loads(self.rfile.read(length))
                recorder._note(message)
                method = str(message.get("method"))
                if method in recorder.silent:
                    recorder.ended.wait(60)
                    self.close_connection = True
                    return
                answer = recorder._answer(message)
                body = {"jsonrpc": "2.0", "id": message.get("id"), **answer}
                text = json.dumps(body).encode()
                head = (
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(text)}\r\n\r\n"
                )
                recorder.on_reply(method, self.wfile.write, head.encode() + text)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _write_whole(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
    write(answer)

"""A client of bare HTTP requests, so that the server is judged by what is on the wire."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from mcp_tasks_tui.demo.server import DemoServer

META = "io.modelcontextprotocol/"
TASKS = f"{META}tasks"
EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "extensions": {TASKS: {}},
}
TERMINAL = {"completed", "failed", "cancelled"}
DEADLINE = 20.0


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def result(self) -> dict[str, Any]:
        assert "result" in self.body, self.body
        result = self.body["result"]
        assert isinstance(result, dict)
        return result

    @property
    def code(self) -> int:
        assert "error" in self.body, self.body
        return int(self.body["error"]["code"])


def meta(capabilities: Any = EVERYTHING, version: str = "2026-07-28") -> dict[str, Any]:
    return {
        f"{META}protocolVersion": version,
        f"{META}clientInfo": {"name": "raw", "version": "1"},
        f"{META}clientCapabilities": capabilities,
    }


def headers(method: str, name: str | None = None) -> dict[str, str]:
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
    }
    return sent if name is None else sent | {"Mcp-Name": name}


def events(text: str) -> list[Any]:
    """The messages of an event stream that has ended."""
    lines = [line for line in text.split("\n") if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


class Raw:
    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url
        self._id = 0

    async def post(self, body: Any, sent: Any) -> Reply:
        """Send exactly this. A `str` body goes as it is."""
        data = body if isinstance(body, str) else json.dumps(body)
        content = io.BytesIO(data.encode())
        async with self.session.post(self.url, data=content, headers=sent) as response:
            text = await response.text()
            kind = response.content_type
            body = text
            if kind == "application/json":
                body = json.loads(text)
            elif kind == "text/event-stream":
                body = events(text)[-1]
            return Reply(response.status, dict(response.headers), body)

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        capabilities: Any = EVERYTHING,
        extra: Mapping[str, str] | None = None,
    ) -> Reply:
        """A proper request."""
        self._id += 1
        given = dict(params or {})
        name = given.get("name", given.get("taskId"))
        body = {
            "jsonrpc": "2.0",
            "id": self._id,
            "method": method,
            "params": given | {"_meta": meta(capabilities)},
        }
        return await self.post(body, headers(method, name) | dict(extra or {}))

    async def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None, **options: Any
    ) -> Reply:
        given = dict(arguments or {})
        params: dict[str, Any] = {"name": tool, "arguments": given, **options.pop("params", {})}
        region = given.get("region") if tool == "fetch_model" else None
        extra = {"Mcp-Param-Region": region} if region else {}
        return await self.ask("tools/call", params, extra=extra, **options)

    async def start(self, tool: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Call a tool that becomes a task; the task's id."""
        created = (await self.call(tool, arguments)).result
        assert created["resultType"] == "task", created
        return str(created["taskId"])

    async def get(self, task_id: str) -> dict[str, Any]:
        return (await self.ask("tasks/get", {"taskId": task_id})).result

    async def update(self, task_id: str, responses: Any) -> Reply:
        return await self.ask("tasks/update", {"taskId": task_id, "inputResponses": responses})

    async def cancel(self, task_id: str) -> Reply:
        return await self.ask("tasks/cancel", {"taskId": task_id})

    @asynccontextmanager
    async def listen(
        self, notifications: Mapping[str, Any], capabilities: Any = EVERYTHING
    ) -> AsyncIterator[AsyncIterator[Any]]:
        """An open stream: its messages, and its comment lines as `str`."""
        body = {
            "jsonrpc": "2.0",
            "id": "listening",
            "method": "subscriptions/listen",
            "params": {"notifications": notifications, "_meta": meta(capabilities)},
        }
        sent = headers("subscriptions/listen")
        timeout = aiohttp.ClientTimeout(total=None)
        async with self.session.post(
            self.url, json=body, headers=sent, timeout=timeout, read_bufsize=2**24
        ) as response:
            assert response.content_type == "text/event-stream", await response.text()
            yield _stream(response)

    async def watch(self, task_id: str) -> AsyncIterator[dict[str, Any]]:
        """The task as it is, and then each time it changes."""
        async with self.listen({"taskIds": [task_id]}) as stream:
            assert (await anext(stream))["params"]["notifications"] == {"taskIds": [task_id]}
            yield await self.get(task_id)
            async for message in stream:
                if isinstance(message, dict) and message.get("method") == "notifications/tasks":
                    yield message["params"]

    async def until(self, task_id: str, *statuses: str) -> dict[str, Any]:
        async with asyncio.timeout(DEADLINE):
            async for task in self.watch(task_id):
                if task["status"] in statuses:
                    return task
        raise AssertionError(f"the stream ended before {statuses}")


async def _stream(response: aiohttp.ClientResponse) -> AsyncIterator[Any]:
    async for line in response.content:
        text = line.decode().rstrip("\r\n")
        if text.startswith(":"):
            yield text
        elif text.startswith("data: "):
            yield json.loads(text.removeprefix("data: "))


@asynccontextmanager
async def connected(*servers: DemoServer) -> AsyncIterator[list[Raw]]:
    """Clients of these servers; all is stopped at the end."""
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=DEADLINE),
        cookie_jar=aiohttp.DummyCookieJar(),
        read_bufsize=2**24,
    ) as session:
        try:
            yield [Raw(session, server.url) for server in servers]
        finally:
            await asyncio.gather(*(server.stop() for server in servers))


def answer_for(request: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that the request's own schema accepts."""
    params = request["params"]
    if params.get("mode") == "url":
        return {"action": "accept"}
    schema = params["requestedSchema"]
    return {
        "action": "accept",
        "content": {name: _value(field) for name, field in schema["properties"].items()},
    }


def _value(field: Mapping[str, Any]) -> Any:
    if "enum" in field:
        return field["enum"][0]
    if "oneOf" in field:
        return field["oneOf"][0]["const"]
    if field["type"] == "array":
        items = field["items"]
        return [items["enum"][0] if "enum" in items else items["anyOf"][0]["const"]]
    by_format = {
        "email": "on-call@example.com",
        "uri": "https://example.com/notes",
        "date": "2026-12-01",
        "date-time": "2026-12-01T08:00:00Z",
    }
    plain = {"boolean": True, "integer": 1, "number": 1, "string": "review-7"}
    return by_format.get(field.get("format", ""), plain[field["type"]])

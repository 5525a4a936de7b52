"""The demo server on its sockets: Streamable HTTP 2026-07-28, stateless, on loopback only."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from mcp_tasks_tui import __version__
from mcp_tasks_tui.demo import wire
from mcp_tasks_tui.demo.clock import Clock, SystemClock
from mcp_tasks_tui.demo.methods import LISTEN, Methods, Plan
from mcp_tasks_tui.demo.request_state import Sealer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_tui.demo.scenes import ServerSpec
    from mcp_tasks_tui.demo.tasks import Task
    from mcp_tasks_tui.demo.tools import Tool

PATH: Final = "/mcp"
_MAX_BODY: Final = 4 * 1024 * 1024
_KEEP_ALIVE: Final = 15.0
_STREAM_HEADERS: Final = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server of the demo behaves; the defaults are what a person watches."""

    clock: Clock = field(default_factory=SystemClock)
    #: Seconds of the story that pass in one second.
    speed: float = 1.0
    seed: int = field(default_factory=lambda: secrets.randbits(64))
    plan: Plan = lambda _tool, _arguments: None
    page_size: int = 100
    #: Answer everything as an event stream, not only what takes long.
    always_stream: bool = False
    keep_alive: float = _KEEP_ALIVE


class DemoServer:
    """One MCP server on one port. `start` and `stop` once each; it may go away in between."""

    def __init__(
        self, spec: ServerSpec, tools: Sequence[Tool], options: ServerOptions | None = None
    ) -> None:
        self.spec = spec
        self.options = options or ServerOptions()
        clock = self.options.clock
        self.methods = Methods(
            info={"name": f"mcp-tasks-{spec.name}", "title": spec.title, "version": __version__},
            tools=tools,
            clock=clock,
            speed=self.options.speed,
            seed=self.options.seed,
            sealer=Sealer(secrets.token_bytes(32), clock),
            plan=self.options.plan,
            leave=self.go_away,
            page_size=self.options.page_size,
        )
        self.port = 0
        self._runner: web.AppRunner | None = None
        self._streams: set[asyncio.Event] = set()
        self._ending = False
        self._graceful = False
        self._calls = 0
        self._refusing = False
        self._absence: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    async def start(self, port: int = 0) -> str:
        """Listen on loopback; port 0 takes a free one. The server's URL."""
        await self._open(port)
        return self.url

    async def stop(self) -> None:
        """End all streams with a proper last word, finish what is being answered, close."""
        if self._absence is not None:
            self._absence.cancel()
            await asyncio.gather(self._absence, return_exceptions=True)
        await self._close(graceful=True)
        await self.methods.close()

    def go_away(self, seconds: float | None) -> None:
        """Close the socket and cut the streams, for that many seconds or for good."""
        if self._absence is None or self._absence.done():
            self._absence = asyncio.create_task(self._be_away(seconds))

    async def _be_away(self, seconds: float | None) -> None:
        await self._close(graceful=False)
        if seconds is None:
            return
        await self.options.clock.wait(asyncio.Event(), seconds)
        await self._open(self.port)

    async def _open(self, port: int) -> None:
        app = web.Application(client_max_size=_MAX_BODY)
        app.router.add_route("*", PATH, self._handle)
        app.on_response_prepare.append(self._stamp)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=2.0
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._runner, self._ending = runner, False

    async def _close(self, *, graceful: bool) -> None:
        runner, self._runner = self._runner, None
        if runner is None:
            return
        self._end_streams(graceful=graceful)
        await runner.cleanup()

    def _end_streams(self, *, graceful: bool) -> None:
        self._ending, self._graceful = True, graceful
        for wake in self._streams:
            wake.set()

    async def _stamp(self, _request: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = formatdate(self.options.clock.now(), usegmt=True)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        refusal = self._refuse(request)
        if refusal is not None:
            return refusal
        request_id: Any = None
        try:
            message = wire.parse(await request.read())
            if "id" not in message:
                return web.Response(status=202)
            request_id = message["id"]
            values = _header_values(request)
            checked = wire.check(message, values, self.methods.names)
            if checked.method == LISTEN:
                return await self._listen(request, checked)
            return await self._answer(request, checked, values)
        except wire.RpcFault as fault:
            known_id = request_id if isinstance(request_id, str | int) else None
            return _json(fault.to_wire(known_id), fault.status)

    def _refuse(self, request: web.Request) -> web.Response | None:
        """What HTTP alone forbids, before the body is read."""
        if not wire.local_host(request.headers.get("Host", "")):
            return web.Response(status=421, text="This server answers on loopback names only\n")
        origin = request.headers.get("Origin")
        if origin is not None and not wire.local_origin(origin):
            return web.Response(status=403, text="Origin not allowed\n")
        if request.method != "POST":
            return web.Response(status=405, headers={"Allow": "POST"}, text="POST only\n")
        if self._refusing:
            challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
            body = {"error": "invalid_token", "error_description": "The token has expired"}
            return web.json_response(body, status=401, headers=challenge)
        if request.content_type != "application/json":
            return web.Response(status=415, text="Content-Type must be application/json\n")
        accepted = request.headers.get("Accept", "")
        if not all(kind in accepted for kind in ("application/json", "text/event-stream")):
            return web.Response(
                status=406, text="Accept must name application/json and text/event-stream\n"
            )
        return None

    async def _answer(
        self, request: web.Request, checked: wire.Request, values: Callable[[str], Sequence[str]]
    ) -> web.StreamResponse:
        if self.options.always_stream or self.methods.streams(checked):
            response = await self._stream_answer(request, checked, values)
        else:
            outcome = await self.methods.answer(checked, values)
            response = _json(wire.result_reply(checked.id, outcome))
        if checked.method == "tools/call":
            await self._count_call(request, response)
        return response

    async def _stream_answer(
        self, request: web.Request, checked: wire.Request, values: Callable[[str], Sequence[str]]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers=_STREAM_HEADERS)
        await response.prepare(request)
        await response.write(b": working\n\n")
        token = checked.params["_meta"].get("progressToken")

        async def report(done: float, total: float, message: str) -> None:
            if token is not None:
                progress = {"progressToken": token, "progress": done, "total": total}
                said = wire.notification("notifications/progress", progress | {"message": message})
                await response.write(wire.sse_event(said))
            await asyncio.sleep(1.0 / self.options.speed)

        try:
            outcome = await self.methods.answer(checked, values, report)
            reply = wire.result_reply(checked.id, outcome)
        except wire.RpcFault as fault:
            reply = fault.to_wire(checked.id)
        await response.write(wire.sse_event(reply))
        return response

    async def _count_call(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let the fault of this server begin once it has answered its share of calls."""
        self._calls += 1
        if self.spec.fault is None or self._calls < self.spec.fault_after:
            return
        if self.spec.fault == "refuses-token":
            self._refusing = True
            self._end_streams(graceful=False)
            return
        if not response.prepared:
            await response.prepare(request)
        await response.write_eof()
        self.go_away(None)

    async def _listen(self, request: web.Request, checked: wire.Request) -> web.StreamResponse:
        covered = self._covered(checked)
        changed: dict[str, Task] = {}
        wake = asyncio.Event()

        def note(task: Task) -> None:
            if task.id in covered:
                changed[task.id] = task
                wake.set()

        response = web.StreamResponse(headers=_STREAM_HEADERS)
        self.methods.store.watch(note)
        self._streams.add(wake)
        try:
            await response.prepare(request)
            with contextlib.suppress(ConnectionResetError):
                await self._converse(response, checked, covered, changed, wake)
        finally:
            self._streams.discard(wake)
            self.methods.store.unwatch(note)
        return response

    def _covered(self, checked: wire.Request) -> dict[str, None]:
        """The task ids that a stream will carry, each once, in the order they were asked for."""
        wanted = checked.params.get("notifications")
        if not isinstance(wanted, dict):
            raise wire.invalid_params("notifications must be an object")
        task_ids = wanted.get("taskIds")
        if task_ids is None:
            return {}
        checked.capabilities.need_tasks()
        if not isinstance(task_ids, list) or not all(isinstance(each, str) for each in task_ids):
            raise wire.invalid_params("notifications.taskIds must be an array of strings")
        return {each: None for each in task_ids if self.methods.store.known(each)}

    async def _converse(
        self,
        response: web.StreamResponse,
        checked: wire.Request,
        covered: Mapping[str, None],
        changed: dict[str, Task],
        wake: asyncio.Event,
    ) -> None:
        meta = {wire.SUBSCRIPTION_ID: checked.id}
        agreed = {"taskIds": list(covered)} if covered else {}
        acknowledged = {"_meta": meta, "notifications": agreed}
        await response.write(
            wire.sse_event(
                wire.notification("notifications/subscriptions/acknowledged", acknowledged)
            )
        )
        while not self._ending:
            try:
                async with asyncio.timeout(self.options.keep_alive):
                    await wake.wait()
            except TimeoutError:
                await response.write(b": keep-alive\n\n")
                continue
            wake.clear()
            news = list(changed.values())
            changed.clear()
            for task in news:
                params = {**task.detail(), "_meta": meta}
                await response.write(
                    wire.sse_event(wire.notification("notifications/tasks", params))
                )
        if self._graceful:
            last = {"resultType": "complete", "_meta": meta | self.methods.meta()}
            await response.write(wire.sse_event(wire.result_reply(checked.id, last)))


def _header_values(request: web.Request) -> Callable[[str], Sequence[str]]:
    return lambda name: request.headers.getall(name, [])


def _json(message: Mapping[str, Any], status: int = 200) -> web.Response:
    return web.Response(body=wire.encode(message), status=status, content_type="application/json")

"""One MCP server with the Tasks extension, as the rest of the program speaks to it.

Source: ext-tasks `specification/draft/tasks.md`; 2026-07-28 server/tools, server/discover,
basic/versioning, basic/patterns/mrtr and basic/patterns/subscriptions.
"""

from __future__ import annotations

import asyncio
import itertools
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks_tui import __version__
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HeaderMismatch,
    MethodNotFound,
    NotSent,
    ReplyTooLarge,
    RequestError,
    TimedOut,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.protocol.headers import (
    HeaderError,
    check_extra,
    mirrored,
    param_headers,
    request_headers,
)
from mcp_tasks_tui.protocol.jsonrpc import SESSION_ERA, encode_request, notes_of
from mcp_tasks_tui.protocol.messages import (
    PROTOCOL_VERSION,
    TASKS_EXTENSION,
    CallOutcome,
    ListenEvent,
    ServerInfo,
    TaskPushed,
    TaskReply,
    Tool,
    ToolList,
)
from mcp_tasks_tui.protocol.reading import (
    check_ack,
    read_acknowledged,
    read_call,
    read_ended,
    read_server_info,
    read_task,
    read_tools,
)
from mcp_tasks_tui.protocol.repeated import Repeated
from mcp_tasks_tui.protocol.transport.post import Post
from mcp_tasks_tui.redaction import Redaction

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

    from mcp_tasks_tui.protocol.credentials import Credentials
    from mcp_tasks_tui.protocol.headers import ParamHeader
    from mcp_tasks_tui.protocol.jsonrpc import RpcReply
    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.protocol.transport.endpoint import Endpoint

_T = TypeVar("_T")
_META = "io.modelcontextprotocol/"
_CAPABILITIES: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "extensions": {TASKS_EXTENSION: {}},
}
_CLIENT_INFO = {"name": "mcp-tasks-tui", "version": __version__}
_USER_AGENT = f"mcp-tasks-tui/{__version__}"
_MAX_TOOL_PAGES = 100
#: Methods whose answer may take as long as it likes.
_PATIENT = frozenset({"tools/call", "subscriptions/listen"})
#: Reads, which go over kept-alive connections.
_READS = frozenset({"tasks/get", "tools/list", "server/discover"})


class TaskClient:
    """Speaks to one server. Every method raises :class:`RequestError`\\ s and nothing else.

    `versions` are the protocol versions we speak, preferred first.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        versions: Sequence[str] = (PROTOCOL_VERSION,),
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._versions = tuple(versions)
        self._ids = itertools.count(1)
        self._sent_headers: Mapping[str, str] = {}
        self._redaction = Redaction({})
        self._repeated = Repeated()
        self._refresh_lock = asyncio.Lock()
        self._refreshes = 0
        self._refreshed = False
        self._tools_lock = asyncio.Lock()
        self._tools_seen = False
        self._param_headers: dict[str, tuple[ParamHeader, ...]] = {}
        self._left_out: dict[str, str] = {}
        self._use_version(self._versions[0])

    async def get_task(self, task_id: str) -> TaskReply:
        """Read a task (`tasks/get`). The one request that is repeated on a dead connection.

        Of a reply that is too large, its beginning tells whether the task has ended.
        """
        try:
            reply = await self._ask("tasks/get", {"taskId": task_id})
        except ReplyTooLarge as error:
            return TaskReply(read_ended(error, asked=task_id))
        task = read_task(reply.result, asked=task_id, notes=reply.notes)
        return TaskReply(task, reply.server_time)

    async def update_task(self, task_id: str, responses: Mapping[str, InputResponse]) -> None:
        """Send answers to open input requests (`tasks/update`); the ack promises nothing."""
        answers = {key: response.to_wire() for key, response in responses.items()}
        reply = await self._ask("tasks/update", {"taskId": task_id, "inputResponses": answers})
        check_ack(reply.result)

    async def cancel_task(self, task_id: str) -> None:
        """Ask the server to stop a task (`tasks/cancel`); the ack promises nothing."""
        reply = await self._ask("tasks/cancel", {"taskId": task_id})
        check_ack(reply.result)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> CallOutcome:
        """Call a tool, once.

        It is sent again only after an answer that proves that nothing was run: a 401, an
        unsupported version, or headers that do not fit the tool as it is now.

        Args:
            name: the tool.
            arguments: its arguments.
            input_responses: answers to the questions of an earlier :class:`InputNeeded`.
            request_state: that answer's state, unchanged.
            timeout: seconds for the whole of it; by default it may take as long as it likes.
        """
        params: dict[str, Any] = {"name": name, "arguments": dict(arguments)}
        if input_responses is not None:
            params["inputResponses"] = {k: r.to_wire() for k, r in input_responses.items()}
        if request_state is not None:
            params["requestState"] = request_state
        try:
            async with asyncio.timeout(timeout):
                reply = await self._call(name, params)
        except TimeoutError:
            raise TimedOut("total", timeout or 0.0) from None
        return read_call(reply.result, server_time=reply.server_time, notes=reply.notes)

    async def discover(self) -> ServerInfo:
        """Ask who the server is and what it can do (`server/discover`).

        Raises:
            UnsupportedVersion: it is of the older, session-based era.
        """
        try:
            reply = await self._ask("server/discover", {})
        except MethodNotFound as e:
            words = f"it does not know server/discover: {SESSION_ERA}"
            raise UnsupportedVersion(
                e.code, e.message, e.data, e.http_status, (), words=words
            ) from None
        return read_server_info(reply.result)

    async def list_tools(self) -> ToolList:
        """List what can be called (`tools/list`), all pages.

        Tools whose `x-mcp-header` annotations are invalid are left out, with a warning.
        """
        tools: list[Tool] = []
        left_out: list[tuple[str, str]] = []
        warnings: list[str] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        while True:
            page = read_tools((await self._ask("tools/list", params)).result)
            tools.extend(page.tools)
            left_out.extend(page.left_out)
            if page.cursor is None:
                break
            if page.cursor in cursors or len(cursors) >= _MAX_TOOL_PAGES:
                warnings.append("the server's list of tools does not end; the rest is not shown")
                break
            cursors.add(page.cursor)
            params = {"cursor": page.cursor}
        self._remember(tools, left_out)
        return ToolList(tuple(tools), (*(why for _, why in left_out), *warnings))

    async def listen(self, task_ids: Sequence[str]) -> AsyncGenerator[ListenEvent, None]:
        """Have changes of tasks pushed (`subscriptions/listen`).

        Ends when the server ends the stream in good order. How long silence may last is the
        caller's business: cancel the iteration, or `aclose` the iterator, to stop listening.

        Raises:
            RequestError: the server refuses, or the stream broke off.
        """
        asked = frozenset(task_ids)
        params = {"notifications": {"taskIds": list(task_ids)}}
        stream = await self._with_second_chances(
            lambda: self._post_and("subscriptions/listen", params, {}, self._endpoint.open_stream)
        )
        async with aclosing(stream):
            messages = stream.messages()
            async with aclosing(messages):
                async for message in messages:
                    event = _listen_event(message, asked)
                    if event is not None:
                        yield event

    # --- sending ---------------------------------------------------------------------------

    async def _ask(
        self, method: str, params: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> RpcReply:
        return await self._with_second_chances(
            lambda: self._post_and(method, params, headers or {}, self._endpoint.ask)
        )

    async def _post_and(
        self,
        method: str,
        params: dict[str, Any],
        headers: Mapping[str, str],
        send: Callable[[Post], Awaitable[_T]],
    ) -> _T:
        request_id = next(self._ids)
        extra = await self._credentials.headers()
        try:
            check_extra(extra)
            fixed = request_headers(self._version, method, params)
        except HeaderError as error:
            raise NotSent(str(error)) from None
        redaction = self._redaction_of(extra)
        is_read = method == "tasks/get"
        post = Post(
            request_id,
            method,
            {**_user_agent(extra), **extra, **fixed, **headers},
            encode_request(request_id, method, {**params, "_meta": self._meta}),
            redaction,
            patient=method in _PATIENT,
            pooled=method in _READS,
            poll=is_read,
            read_large=partial(self._repeated.read, params["taskId"]) if is_read else None,
        )
        return await send(post)

    def _redaction_of(self, headers: Mapping[str, str]) -> Redaction:
        """Return what hides the secrets in `headers`, which are the same from poll to poll."""
        if headers != self._sent_headers:
            self._sent_headers, self._redaction = headers, Redaction(headers)
            self._repeated = Repeated()  # other secrets are to be hidden in what is kept
        return self._redaction

    async def _with_second_chances(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Try again, once for each reason, after an answer that says how to do better."""
        mend: dict[type[RequestError], Callable[[Any, int], Awaitable[bool]]] = {
            AuthFailed: self._refresh_credentials,
            UnsupportedVersion: self._choose_version,
        }
        while True:
            refreshes = self._refreshes
            try:
                return await attempt()
            except tuple(mend) as error:
                if not await mend.pop(type(error))(error, refreshes):
                    raise

    async def _refresh_credentials(self, error: AuthFailed, seen: int) -> bool:
        """Renew the credentials once for all the requests that were refused with the old ones."""
        if error.status != 401:
            return False
        async with self._refresh_lock:
            if self._refreshes == seen:
                try:
                    self._refreshed = await self._credentials.refresh()
                except RequestError:
                    self._refreshed = False
                    self._refreshes += 1
                    raise
                self._refreshes += 1
            return self._refreshed

    async def _choose_version(self, error: UnsupportedVersion, _seen: int) -> bool:
        common = [version for version in self._versions if version in error.supported]
        if not common:
            return False
        self._use_version(common[0])
        return True

    def _use_version(self, version: str) -> None:
        self._version = version
        self._meta = {
            f"{_META}protocolVersion": version,
            f"{_META}clientInfo": _CLIENT_INFO,
            f"{_META}clientCapabilities": _CAPABILITIES,
        }

    # --- tools -----------------------------------------------------------------------------

    async def _call(self, name: str, params: dict[str, Any]) -> RpcReply:
        await self._learn_tools(name)
        headers = self._mirrored(name, params["arguments"])
        try:
            return await self._ask("tools/call", params, headers)
        except HeaderMismatch:
            # Refused before it was run: the tool's annotations may have changed since.
            await self.list_tools()
            changed = self._mirrored(name, params["arguments"])
            if changed == headers:
                raise
            return await self._ask("tools/call", params, changed)

    async def _learn_tools(self, name: str) -> None:
        """List the tools once if this one is not known.

        A server that has no list is no fault; one that fails to give it is asked again next time.
        """
        async with self._tools_lock:
            if name in self._param_headers or self._tools_seen:
                return
            try:
                await self.list_tools()
            except MethodNotFound:
                self._tools_seen = True
            except RequestError:
                return

    def _mirrored(self, name: str, arguments: Mapping[str, Any]) -> dict[str, str]:
        if name in self._left_out:
            raise NotSent(self._left_out[name])
        try:
            return mirrored(self._param_headers.get(name, ()), arguments)
        except HeaderError as error:
            raise NotSent(str(error)) from None

    def _remember(self, tools: list[Tool], left_out: list[tuple[str, str]]) -> None:
        self._param_headers = {tool.name: param_headers(tool.input_schema) for tool in tools}
        self._left_out = {name: why for name, why in left_out if name not in self._param_headers}
        self._tools_seen = True


def _user_agent(extra: Mapping[str, str]) -> dict[str, str]:
    """Name ourselves, unless the settings do."""
    return {} if "user-agent" in map(str.lower, extra) else {"User-Agent": _USER_AGENT}


def _listen_event(message: Any, asked: frozenset[str]) -> ListenEvent | None:
    """Return what a pushed message means; None for what we did not ask for or cannot read."""
    if not isinstance(message, dict):
        return None
    params = message.get("params")
    method = message.get("method")
    if method == "notifications/subscriptions/acknowledged":
        return read_acknowledged(params, asked)
    if method != "notifications/tasks" or not isinstance(params, dict):
        return None
    task_id = params.get("taskId")
    if not isinstance(task_id, str) or task_id not in asked:
        return None
    try:
        return TaskPushed(TaskReply(read_task(params, asked=task_id, notes=notes_of(message))))
    except UnusableReply:
        return None

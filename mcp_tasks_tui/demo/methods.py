"""The methods of the demo server: a checked request in, a result out. Knows no HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks_tui.demo import wire
from mcp_tasks_tui.demo.clock import Clock, TaskClock
from mcp_tasks_tui.demo.tasks import (
    CancelRequested,
    GivenAnswer,
    ProtocolFailure,
    Task,
    TaskStore,
    Work,
    check_answer,
)
from mcp_tasks_tui.demo.tools import Report, Result, Story, Tool, result, text

if TYPE_CHECKING:
    from mcp_tasks_tui.demo.request_state import Sealer

LISTEN: Final = "subscriptions/listen"
_LIST_CACHE_MS: Final = 60_000
_log = logging.getLogger(__name__)

HeaderValues = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Planned:
    """What a scene wants of a call: when its task began, and what becomes of a batch job."""

    started: float
    fate: str | None = None


#: (tool, arguments) -> what the scene has planned for that call, if anything.
Plan = Callable[[str, Mapping[str, Any]], Planned | None]


@dataclass(frozen=True, slots=True)
class _Call:
    """A checked call of a tool, with the answers to what the tool asks before it begins."""

    tool: Tool
    arguments: Mapping[str, Any]
    request: wire.Request
    first_answers: Mapping[str, GivenAnswer]


async def _unheard(_done: float, _total: float, _message: str) -> None:
    """Progress that nobody asked for."""


class Methods:
    """One server's answers. Times are in seconds of the clock, stories in seconds of the story."""

    def __init__(
        self,
        *,
        info: Mapping[str, str],
        tools: Sequence[Tool],
        clock: Clock,
        speed: float,
        seed: int,
        sealer: Sealer,
        plan: Plan,
        leave: Callable[[float], None],
        page_size: int,
    ) -> None:
        self.store = TaskStore(clock, seed)
        self._info = info
        self._tools = {tool.name: tool for tool in tools}
        self._clock = clock
        self._speed = speed
        self._sealer = sealer
        self._plan = plan
        self._leave = leave
        self._page_size = page_size
        self._running: set[asyncio.Task[None]] = set()
        self._methods: dict[
            str, Callable[[wire.Request, HeaderValues, Report], Awaitable[Result]]
        ] = {
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "tasks/get": self._get_task,
            "tasks/update": self._update_task,
            "tasks/cancel": self._cancel_task,
        }

    @property
    def names(self) -> frozenset[str]:
        return frozenset({*self._methods, LISTEN})

    def streams(self, request: wire.Request) -> bool:
        """Whether the answer comes as an event stream, since it takes its time."""
        tool = self._tools.get(str(request.params.get("name")))
        return request.method == "tools/call" and tool is not None and tool.streams

    async def answer(
        self, request: wire.Request, headers: HeaderValues, report: Report = _unheard
    ) -> Result:
        """The result of a request, `_meta` included.

        Raises:
            RpcFault: the answer is a JSON-RPC error.
        """
        outcome = await self._methods[request.method](request, headers, report)
        return {"resultType": "complete", **outcome, "_meta": self.meta()}

    def meta(self) -> dict[str, Any]:
        return {wire.SERVER_INFO: dict(self._info)}

    async def close(self) -> None:
        """Drop all work that still runs."""
        running = tuple(self._running)
        for job in running:
            job.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _discover(
        self, _request: wire.Request, _headers: HeaderValues, _report: Report
    ) -> Result:
        return {
            "supportedVersions": [wire.VERSION],
            "capabilities": {"tools": {}, "extensions": {wire.TASKS: {}}},
            "instructions": "A demo server: every tool tells the story of one kind of task.",
            "ttlMs": _LIST_CACHE_MS,
            "cacheScope": "public",
        }

    async def _list_tools(
        self, request: wire.Request, _headers: HeaderValues, _report: Report
    ) -> Result:
        tools = list(self._tools.values())
        start = _read_cursor(request.params.get("cursor"), len(tools))
        end = start + self._page_size
        more = {"nextCursor": _cursor(end)} if end < len(tools) else {}
        return {
            "tools": [tool.listed() for tool in tools[start:end]],
            **more,
            "ttlMs": _LIST_CACHE_MS,
            "cacheScope": "public",
        }

    async def _get_task(
        self, request: wire.Request, _headers: HeaderValues, _report: Report
    ) -> Result:
        return self._find(request).task.detail()

    async def _update_task(
        self, request: wire.Request, _headers: HeaderValues, _report: Report
    ) -> Result:
        work = self._find(request)
        responses = request.params.get("inputResponses")
        if not isinstance(responses, dict):
            raise wire.invalid_params("inputResponses must be an object")
        work.answer(responses)
        return {}

    async def _cancel_task(
        self, request: wire.Request, _headers: HeaderValues, _report: Report
    ) -> Result:
        self._find(request).cancel()
        return {}

    def _find(self, request: wire.Request) -> Work:
        request.capabilities.need_tasks()
        return self.store.find(request.params["taskId"])

    async def _call_tool(
        self, request: wire.Request, headers: HeaderValues, report: Report
    ) -> Result:
        tool = self._tools.get(request.params["name"])
        if tool is None:
            raise wire.invalid_params(f"Unknown tool: {request.params['name']}")
        if tool.needs_task and tool.story is not None:
            request.capabilities.need_tasks()
        for name in tool.needs or ():
            if not request.capabilities.declares(name):
                raise wire.missing_capability(tool.needs or {})
        arguments = request.params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise wire.invalid_params("arguments must be an object")
        wire.check_param_headers(tool.input_schema, arguments, headers)
        fault = _schema_fault(tool, arguments)
        if fault is not None:
            return result(text(fault), is_error=True)
        return await self._start(tool, arguments, request, report)

    async def _start(
        self, tool: Tool, arguments: Mapping[str, Any], request: wire.Request, report: Report
    ) -> Result:
        first: Mapping[str, GivenAnswer] = {}
        if tool.asks_first is not None:
            answers = self._first_answers(tool, arguments, request)
            if answers is None:
                return self._ask_first(tool, arguments, request)
            if not all(answer.accepted for answer in answers.values()):
                return result(text("Nothing was started, as you wished."))
            first = answers
        if tool.inline is not None:
            return await tool.inline(arguments, report)
        if tool.story is None:
            raise RuntimeError(f"tool {tool.name} does nothing")
        call = _Call(tool, arguments, request, first)
        if not request.capabilities.tasks:
            return await self._run_inline(call, tool.story)
        return await self._create_task(call, tool.story)

    def _ask_first(self, tool: Tool, arguments: Mapping[str, Any], request: wire.Request) -> Result:
        questions = dict(tool.asks_first or {})
        for question in questions.values():
            mode = question["params"].get("mode", "form")
            if not request.capabilities.elicits(mode):
                raise wire.missing_capability({"elicitation": {mode: {}}})
        return {
            "resultType": "input_required",
            "inputRequests": questions,
            "requestState": self._sealer.seal(tool.name, arguments),
        }

    def _first_answers(
        self, tool: Tool, arguments: Mapping[str, Any], request: wire.Request
    ) -> dict[str, GivenAnswer] | None:
        """The answers that came with a repeated call; None where one is still missing."""
        if "inputResponses" not in request.params and "requestState" not in request.params:
            return None
        responses = request.params.get("inputResponses", {})
        if not isinstance(responses, dict):
            raise wire.invalid_params("inputResponses must be an object")
        self._sealer.check(request.params.get("requestState"), tool.name, arguments)
        questions = tool.asks_first or {}
        if not questions.keys() <= responses.keys():
            return None
        return {
            name: check_answer(name, responses[name], question)
            for name, question in questions.items()
        }

    async def _create_task(self, call: _Call, story: Story) -> Result:
        named = json.dumps([call.tool.name, dict(call.arguments)], sort_keys=True)
        work = self._work(call, self.store.new_id(named))
        self.store.add(work)
        job = asyncio.create_task(_perform(work, story, call.arguments))
        self._running.add(job)
        job.add_done_callback(self._running.discard)
        await work.clock.caught_up.wait()
        return {**work.task.summary(), "resultType": "task"}

    async def _run_inline(self, call: _Call, story: Story) -> Result:
        """For a client without tasks: it waits. Questions on the way cannot be put to it."""
        work = self._work(call, "")
        try:
            return await story(work, call.arguments)
        except ProtocolFailure as failure:
            error = failure.error
            raise wire.RpcFault(
                error["code"], error["message"], status=500, data=error.get("data")
            ) from failure

    def _work(self, call: _Call, task_id: str) -> Work:
        tool = call.tool
        planned = self._plan(tool.name, call.arguments) or Planned(self._clock.now())
        started = planned.started
        task = Task(
            id=task_id,
            created_at=started,
            updated_at=started,
            ttl=None if tool.ttl is None else tool.ttl / self._speed,
            poll_interval=max(0.001, tool.poll_interval / self._speed),
        )
        return Work(
            task,
            TaskClock(self._clock, started, self._speed),
            capabilities=call.request.capabilities if task_id else wire.Capabilities(),
            obeys_cancel=tool.obeys_cancel,
            changed=self.store.changed,
            leave=self._leave,
            first_answers=call.first_answers,
            fate=planned.fate,
        )


async def _perform(work: Work, story: Story, arguments: Mapping[str, Any]) -> None:
    try:
        outcome = await story(work, arguments)
    except CancelRequested:
        work.finish("cancelled", "Cancelled on request")
    except ProtocolFailure as failure:
        work.finish("failed", failure.error["message"], error=failure.error)
    except Exception as error:  # noqa: BLE001 - whatever went wrong, the task must not hang
        _log.error("a story broke", exc_info=error)
        work.finish(
            "failed",
            "Internal error",
            error={"code": wire.INTERNAL_ERROR, "message": "Internal error"},
        )
    else:
        work.finish("completed", result=outcome)


def _schema_fault(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - 100 ms that a start need not pay

    for fault in Draft202012Validator(tool.input_schema).iter_errors(arguments):
        return f"Invalid arguments for {tool.name}: {fault.message}"
    return None


def _cursor(start: int) -> str:
    return base64.urlsafe_b64encode(f"from:{start}".encode()).decode()


def _read_cursor(cursor: Any, count: int) -> int:
    if cursor is None:
        return 0
    for start in range(1, count):
        if cursor == _cursor(start):
            return start
    raise wire.invalid_params("unknown cursor")

"""What the client asks of a server, and what it makes of the answers; on real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.credentials import FixedHeaders
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HeaderMismatch,
    MethodNotFound,
    MissingCapability,
    NoSuchTask,
    NotSent,
    RequestError,
    Unreachable,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.protocol.messages import (
    Acknowledged,
    InputNeeded,
    InputResponse,
    TaskCreated,
    TaskPushed,
    ToolResult,
)
from mcp_tasks_tui.protocol.transport import trace
from mcp_tasks_tui.protocol.transport.connections import Connections, Limits
from mcp_tasks_tui.protocol.transport.endpoint import Endpoint
from mcp_tasks_tui.protocol.wire import Wire
from mcp_tasks_tui.redaction import MARK
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise import ports
from tests.protocol.servers import (
    Reply,
    Request,
    ScriptedServer,
    Then,
    chunked,
    error,
    events,
    http,
    result,
    task,
)

LIMITS = Limits(connect=20.0, silence=20.0, total=40.0)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire(LIMITS, environ={})
    yield wire
    await wire.close()


def _by_method(**replies: Reply) -> Reply:
    """Answer by what is asked: `tools_list=...` answers `tools/list`."""

    def choose(request: Request) -> Any:
        reply = replies[request.method.replace("/", "_")]
        return reply(request) if callable(reply) else reply

    return choose


def _tool(name: str, header: str | None = None, kind: str = "string") -> dict[str, Any]:
    prop: dict[str, Any] = {"type": kind} | ({"x-mcp-header": header} if header else {})
    return {"name": name, "inputSchema": {"type": "object", "properties": {"p": prop}}}


ACK = result({"resultType": "complete"})
DONE = result({"content": [], "resultType": "complete"})


def test_the_client_is_what_the_engine_asks_for() -> None:
    client: ports.TaskClient = Wire(environ={}).client("http://127.0.0.1:1/")
    assert isinstance(client, TaskClient)


# --- what comes again ------------------------------------------------------------------------


class _Renewed:
    """A token that is another one when it is renewed."""

    def __init__(self) -> None:
        self.token = "first-token-0001"

    async def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def refresh(self) -> bool:
        return False


async def test_questions_that_come_again_are_the_ones_that_were_read(wire: Wire) -> None:
    words = "second-token-0002 " + "x" * 300_000
    asked = {"q": {"method": "elicitation/create", "params": {"message": words}}}
    server = ScriptedServer(result(task(status="input_required", inputRequests=asked)))
    async with server:
        token = _Renewed()
        client = wire.client(server.url, token)
        read = [(await client.get_task("t1")).task.input_requests["q"] for _ in range(4)]
        assert read[1] is not read[0]
        assert read[3] is read[2] is read[1]
        assert read[3] == asked["q"]
        token.token = "second-token-0002"
        for _ in range(4):
            again = (await client.get_task("t1")).task.input_requests["q"]
            assert again["params"]["message"].startswith(f"{MARK} xxx")


# --- what is sent ----------------------------------------------------------------------------


async def test_every_request_says_who_asks_and_what_for(wire: Wire) -> None:
    answers = {"k": InputResponse(action="accept", content={"a": None, "b": [1]})}
    server = ScriptedServer(
        _by_method(
            tasks_get=result(task()),
            tasks_update=ACK,
            tasks_cancel=ACK,
            tools_list=result({"tools": []}),
            tools_call=DONE,
            server_discover=result({}),
        )
    )
    async with server:
        client = wire.client(server.url)
        await client.get_task("t1")
        await client.update_task("t1", answers)
        await client.cancel_task("t1")
        await client.call_tool("build", {"x": 1})
        await client.discover()
        sent = {request.method: request for request in server.requests}
        ids = [request.message["id"] for request in server.requests]
    assert len(set(ids)) == len(ids)
    for method, request in sent.items():
        meta = request.message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "mcp-tasks-tui"
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {
            "elicitation": {"form": {}, "url": {}},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        }
        assert request.headers["mcp-protocol-version"] == "2026-07-28"
        assert request.headers["mcp-method"] == method
        assert request.headers["accept"] == "application/json, text/event-stream"
    assert sent["tasks/update"].message["params"]["inputResponses"] == {
        "k": {"action": "accept", "content": {"a": None, "b": [1]}}
    }
    assert sent["tools/call"].message["params"]["arguments"] == {"x": 1}
    assert "inputResponses" not in sent["tools/call"].message["params"]
    assert "requestState" not in sent["tools/call"].message["params"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_refusal_carries_no_content(wire: Wire, action: Any) -> None:
    async with ScriptedServer(ACK) as server:
        await wire.client(server.url).update_task("t1", {"k": InputResponse(action=action)})
        params = server.requests[0].message["params"]
    assert params["inputResponses"] == {"k": {"action": action}}


async def test_errors_of_tasks_methods_keep_their_type(wire: Wire) -> None:
    async with ScriptedServer(error(-32602, "Task t1 not found")) as server:
        client = wire.client(server.url)
        for attempt in (client.get_task("t1"), client.cancel_task("t1")):
            with pytest.raises(NoSuchTask, match="Task t1 not found"):
                await attempt
        with pytest.raises(NoSuchTask):
            await client.update_task("t1", {})


# --- tools/call ------------------------------------------------------------------------------


async def test_a_call_has_three_answers(wire: Wire) -> None:
    script = [
        result({"tools": []}),
        DONE,
        result(task("new", resultType="task")),
        result({"resultType": "input_required", "inputRequests": {"k": {}}, "requestState": "s"}),
    ]
    async with ScriptedServer(*script) as server:
        client = wire.client(server.url)
        assert isinstance(await client.call_tool("a", {}), ToolResult)
        assert isinstance(await client.call_tool("a", {}), TaskCreated)
        assert await client.call_tool("a", {}) == InputNeeded({"k": {}}, "s")
        assert server.methods().count("tools/list") == 1


async def test_answers_and_state_go_back_unchanged_under_a_new_id(wire: Wire) -> None:
    state = 'v1.opaque "\\u00e9\n'
    async with ScriptedServer(_by_method(tools_list=error(-32601), tools_call=DONE)) as server:
        client = wire.client(server.url)
        await client.call_tool("a", {})
        await client.call_tool(
            "a", {}, input_responses={"k": InputResponse(action="decline")}, request_state=state
        )
        first, second = (r.message for r in server.requests if r.method == "tools/call")
    assert second["params"]["requestState"] == state
    assert second["params"]["inputResponses"] == {"k": {"action": "decline"}}
    assert first["id"] != second["id"]


async def test_annotated_arguments_are_mirrored(wire: Wire) -> None:
    tools = result({"tools": [_tool("a", "Region"), _tool("plain")]})
    async with ScriptedServer(_by_method(tools_list=tools, tools_call=DONE)) as server:
        client = wire.client(server.url)
        await client.call_tool("a", {"p": "Zürich"})
        await client.call_tool("a", {"p": None})
        await client.call_tool("plain", {"p": "x"})
        sent = [headers.get("mcp-param-region") for headers in server.headers_of("tools/call")]
    assert sent == ["=?base64?WsO8cmljaA==?=", None, None]


async def test_a_server_that_cannot_list_its_tools_can_still_be_called(wire: Wire) -> None:
    for refusal in (error(-32601, status=404), http(500), [Then.CLOSE]):
        async with ScriptedServer(refusal, DONE) as server:
            assert isinstance(await wire.client(server.url).call_tool("a", {}), ToolResult)


async def test_a_list_that_failed_once_is_read_at_the_next_call(wire: Wire) -> None:
    tools = result({"tools": [_tool("a", "Region")]})
    async with ScriptedServer(http(500), DONE, tools, DONE, DONE) as server:
        client = wire.client(server.url)
        for _ in range(3):
            await client.call_tool("a", {"p": "eu"})
        sent = [headers.get("mcp-param-region") for headers in server.headers_of("tools/call")]
        assert server.methods().count("tools/list") == 2
    assert sent == [None, "eu", "eu"]


async def test_a_server_that_has_no_list_is_asked_for_it_once(wire: Wire) -> None:
    replies = _by_method(tools_list=error(-32601, status=404), tools_call=DONE)
    async with ScriptedServer(replies) as server:
        client = wire.client(server.url)
        await client.call_tool("a", {})
        await client.call_tool("a", {})
        assert server.methods() == ["tools/list", "tools/call", "tools/call"]


async def test_a_tool_with_invalid_annotations_is_not_called(wire: Wire) -> None:
    tools = result({"tools": [_tool("bad", "P", kind="number")]})
    async with ScriptedServer(_by_method(tools_list=tools, tools_call=DONE)) as server:
        with pytest.raises(NotSent, match="'bad' is left out"):
            await wire.client(server.url).call_tool("bad", {"p": 1})
        assert server.methods() == ["tools/list"]


async def test_changed_annotations_are_learned_and_the_refused_call_sent_again(wire: Wire) -> None:
    script = [
        result({"tools": [_tool("a", "Old")]}),
        error(-32020, "Mcp-Param-New is missing"),
        result({"tools": [_tool("a", "New")]}),
        DONE,
    ]
    async with ScriptedServer(*script) as server:
        await wire.client(server.url).call_tool("a", {"p": "x"})
        assert server.methods() == ["tools/list", "tools/call", "tools/list", "tools/call"]
        assert server.requests[3].headers["mcp-param-new"] == "x"


async def test_a_header_mismatch_that_a_new_list_does_not_explain_is_told(wire: Wire) -> None:
    tools = result({"tools": [_tool("a", "Same")]})
    async with ScriptedServer(_by_method(tools_list=tools, tools_call=error(-32020))) as server:
        with pytest.raises(HeaderMismatch):
            await wire.client(server.url).call_tool("a", {"p": "x"})
        assert server.methods().count("tools/call") == 1


@pytest.mark.parametrize(
    "reply", [http(500), http(503, headers={"Retry-After": "1"}), [Then.CLOSE], error(-32603)]
)
async def test_a_call_that_may_have_been_run_is_never_sent_again(wire: Wire, reply: Reply) -> None:
    listed = result({"tools": []})
    async with ScriptedServer(_by_method(tools_list=listed, tools_call=reply)) as server:
        with pytest.raises(RequestError):
            await wire.client(server.url).call_tool("a", {})
        assert server.methods().count("tools/call") == 1


async def test_arguments_that_json_cannot_say_are_not_sent(wire: Wire) -> None:
    async with ScriptedServer(_by_method(tools_list=result({"tools": []}))) as server:
        with pytest.raises(NotSent):
            await wire.client(server.url).call_tool("a", {"x": float("nan")})
        assert server.methods() == ["tools/list"]


# --- tools/list, server/discover -------------------------------------------------------------


async def test_all_pages_are_read(wire: Wire) -> None:
    script = [
        result({"tools": [_tool("a")], "nextCursor": "c\x1b2"}),
        result({"tools": [_tool("bad", "P", kind="array")], "nextCursor": ""}),
        result({"tools": [_tool("b")]}),
    ]
    async with ScriptedServer(*script) as server:
        tools = await wire.client(server.url).list_tools()
        cursors = [request.message["params"].get("cursor") for request in server.requests]
    assert [tool.name for tool in tools.tools] == ["a", "b"]
    assert len(tools.warnings) == 1
    assert cursors == [None, "c\x1b2", ""]


async def test_cursors_that_go_in_a_circle_end(wire: Wire) -> None:
    async with ScriptedServer(result({"tools": [_tool("a")], "nextCursor": "same"})) as server:
        tools = await wire.client(server.url).list_tools()
        assert len(server.requests) == 2
    assert "does not end" in tools.warnings[-1]


async def test_endless_new_cursors_end_too(wire: Wire) -> None:
    def endless(request: Request) -> Any:
        page = result({"tools": [], "nextCursor": str(request.message["id"])})
        assert callable(page)
        return page(request)

    async with ScriptedServer(endless) as server:
        tools = await wire.client(server.url).list_tools()
        assert len(server.requests) < 200
    assert "does not end" in tools.warnings[-1]


async def test_discover(wire: Wire) -> None:
    said = {
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    }
    async with ScriptedServer(result(said)) as server:
        info = await wire.client(server.url).discover()
    assert info.tasks
    assert info.supported_versions == ("2026-07-28",)


@pytest.mark.parametrize(
    "reply",
    [
        error(-32000, "Bad Request: Server not initialized", own_id=False),
        error(-32600, "Bad Request: Missing session ID", own_id=False),
        error(-32601, "Method not found", status=200),
    ],
)
async def test_a_server_of_the_session_era_is_named_as_such(wire: Wire, reply: Reply) -> None:
    async with ScriptedServer(reply) as server:
        with pytest.raises(UnsupportedVersion, match="2025-11-25 sessions; tasks need 2026-07-28"):
            await wire.client(server.url).discover()


# --- versions --------------------------------------------------------------------------------


async def test_another_version_that_both_speak_is_tried_once() -> None:
    refused = error(-32022, data={"supported": ["2027-01-01", "2025-11-25"]})
    async with ScriptedServer(refused, result(task())) as server:
        connections = Connections(LIMITS, {})
        client = TaskClient(
            Endpoint(server.url, connections), _Token(), versions=("2026-07-28", "2027-01-01")
        )
        await client.get_task("t1")
        await client.get_task("t1")
        await connections.close()
        sent = [request.headers["mcp-protocol-version"] for request in server.requests]
        meta = server.requests[1].message["params"]["_meta"]
    assert sent == ["2026-07-28", "2027-01-01", "2027-01-01"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2027-01-01"


async def test_no_common_version_is_said_without_a_second_try(wire: Wire) -> None:
    async with ScriptedServer(error(-32022, data={"supported": ["2025-11-25"]})) as server:
        with pytest.raises(UnsupportedVersion, match="speaks 2025-11-25; tasks need 2026-07-28"):
            await wire.client(server.url).get_task("t1")
        assert len(server.requests) == 1


async def test_a_server_that_refuses_what_it_offers_is_asked_twice_only(wire: Wire) -> None:
    async with ScriptedServer(error(-32022, data={"supported": ["2026-07-28"]})) as server:
        with pytest.raises(UnsupportedVersion):
            await wire.client(server.url).get_task("t1")
        assert len(server.requests) == 2


# --- credentials -----------------------------------------------------------------------------


class _Token:
    """A token that is renewed on demand; counts how often."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = list(tokens)
        self.refreshes = 0

    async def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._tokens[0]}"} if self._tokens else {}

    async def refresh(self) -> bool:
        self.refreshes += 1
        await asyncio.sleep(0)
        if len(self._tokens) < 2:
            return False
        del self._tokens[0]
        return True


def _needs(token: str, reply: Reply) -> Reply:
    def check(request: Request) -> Any:
        if request.headers.get("authorization") != f"Bearer {token}":
            return http(401, headers={"WWW-Authenticate": "Bearer"})
        return reply(request) if callable(reply) else reply

    return check


async def test_credentials_are_asked_for_with_every_request(wire: Wire) -> None:
    token = _Token("one", "two")
    async with ScriptedServer(result(task())) as server:
        client = wire.client(server.url, token)
        await client.get_task("t1")
        await token.refresh()
        await client.get_task("t1")
        sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize(
    ("configured", "sent"), [({}, "mcp-tasks-tui/"), ({"user-agent": "mine"}, "mine")]
)
async def test_we_name_ourselves_unless_the_settings_do(
    wire: Wire, configured: dict[str, str], sent: str
) -> None:
    async with ScriptedServer(result(task())) as server:
        await wire.client(server.url, FixedHeaders(configured)).get_task("t1")
        agent = server.requests[0].headers["user-agent"]
    assert agent.startswith(sent)
    assert "," not in agent


async def test_thirty_refusals_at_once_lead_to_one_renewal(wire: Wire) -> None:
    token = _Token("old", "new")
    async with ScriptedServer(_needs("new", result(task()))) as server:
        client = wire.client(server.url, token)
        await asyncio.gather(*(client.get_task("t1") for _ in range(30)))
    assert token.refreshes == 1


async def test_a_renewal_that_fails_is_tried_once_for_all(wire: Wire) -> None:
    token = _Token("old")
    async with ScriptedServer(_needs("new", result(task()))) as server:
        client = wire.client(server.url, token)
        outcomes = await asyncio.gather(
            *(client.get_task("t1") for _ in range(30)), return_exceptions=True
        )
        assert len(server.requests) == 30
    assert {type(outcome) for outcome in outcomes} == {AuthFailed}
    assert token.refreshes == 1


async def test_a_renewal_that_raises_is_the_error_and_the_next_poll_may_try_again(
    wire: Wire,
) -> None:
    class Broken(_Token):
        async def refresh(self) -> bool:
            self.refreshes += 1
            raise NotSent("the token command failed")

    token = Broken("old")
    async with ScriptedServer(http(401)) as server:
        client = wire.client(server.url, token)
        for _ in range(2):
            with pytest.raises(NotSent, match="token command"):
                await client.get_task("t1")
    assert token.refreshes == 2


async def test_new_credentials_that_are_refused_too_end_it(wire: Wire) -> None:
    token = _Token("one", "two", "three")
    async with ScriptedServer(http(401)) as server:
        with pytest.raises(AuthFailed):
            await wire.client(server.url, token).get_task("t1")
        assert len(server.requests) == 2
    assert token.refreshes == 1


async def test_a_call_refused_with_401_was_not_run_and_is_sent_again(wire: Wire) -> None:
    token = _Token("old", "new")
    script = [result({"tools": []}), _needs("new", DONE)]
    async with ScriptedServer(*script) as server:
        outcome = await wire.client(server.url, token).call_tool("a", {"x": 1})
        assert server.methods() == ["tools/list", "tools/call", "tools/call"]
    assert isinstance(outcome, ToolResult)


async def test_a_403_is_not_answered_with_new_credentials(wire: Wire) -> None:
    token = _Token("one", "two")
    async with ScriptedServer(http(403)) as server:
        with pytest.raises(AuthFailed):
            await wire.client(server.url, token).get_task("t1")
    assert token.refreshes == 0


# --- subscriptions/listen --------------------------------------------------------------------


def _acknowledged(*ids: str) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": {"taskIds": list(ids)}},
    }


def _pushed(**fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/tasks", "params": fields}


END = {"jsonrpc": "2.0", "id": ..., "result": {"resultType": "complete"}}


async def _listen(client: TaskClient, *ids: str) -> list[Any]:
    return [event async for event in client.listen(ids)]


async def test_pushed_tasks_until_the_server_ends_the_stream(wire: Wire) -> None:
    script = events(
        _acknowledged("a", "stranger"),
        _pushed(**task("a", statusMessage="1/2")),
        _pushed(**task("stranger")),
        _pushed(taskId="a"),
        _pushed(),
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
        ["not", "a", "message"],
        _pushed(**task("b", "completed", result={"content": []})),
        END,
    )
    async with ScriptedServer(script) as server:
        heard = await _listen(wire.client(server.url), "a", "b")
        params = server.requests[0].message["params"]
    assert params["notifications"] == {"taskIds": ["a", "b"]}
    assert heard[0] == Acknowledged(frozenset({"a"}))
    assert [type(event) for event in heard[1:]] == [TaskPushed, TaskPushed]
    assert [event.reply.task.task_id for event in heard[1:]] == ["a", "b"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (error(-32601, status=404), MethodNotFound),
        (error(-32021), MissingCapability),
        (http(401), AuthFailed),
        (http(200, b"<html>", "text/html"), UnusableReply),
        ([Then.CLOSE], Unreachable),
        (events(_acknowledged("a")), Unreachable),
        (events({"id": ..., "error": {"code": -32601, "message": "no"}}), MethodNotFound),
        (
            events({"id": ..., "error": {"code": -32021, "message": "no"}}, status=400),
            MissingCapability,
        ),
    ],
)
async def test_a_stream_that_is_refused_or_breaks_off(
    wire: Wire, reply: Reply, kind: type[Exception]
) -> None:
    async with ScriptedServer(reply) as server:
        with pytest.raises(kind):
            await _listen(wire.client(server.url), "a")


async def test_a_stream_ended_at_once_is_just_empty(wire: Wire) -> None:
    async with ScriptedServer(result({"resultType": "complete"}), events(END)) as server:
        client = wire.client(server.url)
        assert await _listen(client, "a") == []
        assert await _listen(client, "a") == []


async def test_listening_renews_credentials_too(wire: Wire) -> None:
    token = _Token("old", "new")
    async with ScriptedServer(_needs("new", events(_acknowledged("a"), END))) as server:
        heard = await _listen(wire.client(server.url, token), "a")
    assert heard == [Acknowledged(frozenset({"a"}))]


def _open_stream(_request: Request) -> list[bytes | Then]:
    whole = chunked(b": hello\n\n")
    return [whole.removesuffix(b"0\r\n\r\n"), Then.HANG]


async def test_a_silent_stream_can_be_left_and_does_not_hold_up_polls() -> None:
    wire = Wire(replace(LIMITS, in_flight=1), environ={})
    reply = _by_method(subscriptions_listen=_open_stream, tasks_get=result(task()))
    async with ScriptedServer(reply) as server:
        client = wire.client(server.url)
        listening = asyncio.ensure_future(_listen(client, "a"))
        while not server.requests:
            await asyncio.sleep(0)
        assert (await client.get_task("t1")).task.status == "working"
        assert not listening.done()
        listening.cancel()
        await asyncio.wait_for(server.hung_up.wait(), 20)
        with pytest.raises(asyncio.CancelledError):
            await listening
    await wire.close()


async def test_a_stream_may_be_silent_for_longer_than_an_answer() -> None:
    wire = Wire(replace(LIMITS, silence=0.1, total=0.1), environ={})
    async with ScriptedServer(_open_stream) as server:
        listening = asyncio.ensure_future(_listen(wire.client(server.url), "a"))
        _, waiting = await asyncio.wait([listening], timeout=0.5)
        assert waiting == {listening}
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
    await wire.close()


async def test_closing_the_iterator_hangs_up(wire: Wire) -> None:
    opening = chunked(b'data: {"method":"notifications/subscriptions/acknowledged"}\n\n')
    script: list[bytes | Then] = [opening.removesuffix(b"0\r\n\r\n"), Then.HANG]
    async with ScriptedServer(script) as server:
        stream = wire.client(server.url).listen(["a"])
        assert await anext(stream) == Acknowledged(frozenset())
        await stream.aclose()
        await asyncio.wait_for(server.hung_up.wait(), 20)


def _then(*steps: bytes | Then) -> Reply:
    return lambda _request: [chunked(b": hello\n\n").removesuffix(b"0\r\n\r\n"), *steps]


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (error(-32601, status=404), "method-not-found -32601 (HTTP 404)"),
        (events(_acknowledged("a"), END), "answered"),
        (_then(Then.CLOSE), "unreachable"),
        (events(_acknowledged("a")), "unreachable"),
    ],
    ids=["refused", "ended", "cut", "broken off"],
)
async def test_how_a_stream_ended_is_logged(
    wire: Wire, caplog: pytest.LogCaptureFixture, reply: Reply, outcome: str
) -> None:
    caplog.set_level(logging.DEBUG, trace.__name__)
    async with ScriptedServer(reply) as server:
        with contextlib.suppress(RequestError):
            await _listen(wire.client(server.url), "a")
    (line,) = caplog.messages
    assert line.startswith("subscriptions/listen 127.0.0.1")
    assert f": {outcome}, " in line


async def test_that_we_left_a_stream_is_logged(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, trace.__name__)
    said = chunked(b'data: {"method":"notifications/subscriptions/acknowledged"}\n\n')
    async with ScriptedServer([said.removesuffix(b"0\r\n\r\n"), Then.HANG]) as server:
        stream = wire.client(server.url).listen(["a"])
        await anext(stream)
        assert caplog.messages == []
        await stream.aclose()
    (line,) = caplog.messages
    assert ": stopped by us, " in line


TOKEN = "s3cr3t-of-ours"


def _failing(request: Request) -> bytes:
    return http(500, f"<title>no {request.headers['x-api-key']}</title>".encode())


@pytest.mark.parametrize(
    "reply",
    [
        error(-32000, f"bad key {TOKEN}", data={"got": [TOKEN]}),
        error(-32000, f"bad key {TOKEN}", status=400),
        events({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": TOKEN}}),
        http(401, b"{}", headers={"WWW-Authenticate": f'Bearer realm="{TOKEN}"'}),
        http(403, json.dumps({"message": f"not with {TOKEN}"}).encode()),
        http(302, b"", headers={"Location": f"http://elsewhere/{TOKEN}"}),
        http(200, f"what is {TOKEN}?".encode()),
        _failing,
    ],
)
async def test_a_secret_that_a_server_quotes_in_an_error_is_not_repeated(
    wire: Wire, reply: Reply
) -> None:
    async with ScriptedServer(reply) as server:
        client = wire.client(server.url, FixedHeaders({"X-Api-Key": TOKEN}))
        with pytest.raises(RequestError) as caught:
            await client.get_task("t1")
    assert TOKEN not in f"{caught.value} {vars(caught.value)!r}"
    assert server.requests[0].headers["x-api-key"] == TOKEN


async def test_a_secret_that_a_server_quotes_in_a_task_is_not_repeated(wire: Wire) -> None:
    said = task("t1", statusMessage=f"started with {TOKEN}")
    ack = {"notifications": {"taskIds": ["t1"]}}
    pushed = events(
        {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": ack},
        {"jsonrpc": "2.0", "method": "notifications/tasks", "params": said},
        {"jsonrpc": "2.0", "id": ..., "result": {}},
    )
    replies = _by_method(tasks_get=result(said), subscriptions_listen=pushed)
    async with ScriptedServer(replies) as server:
        client = wire.client(server.url, FixedHeaders({"Authorization": f"Bearer {TOKEN}"}))
        read = (await client.get_task("t1")).task
        seen = [event async for event in client.listen(["t1"])]
    assert read.status_message == ServerText(f"started with {MARK}")
    assert TOKEN not in repr((read, seen))
    assert [type(event) for event in seen] == [Acknowledged, TaskPushed]

"""What the server answers over real sockets, request by request."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from multidict import CIMultiDict

from mcp_tasks_tui.demo.clock import FrozenClock
from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from tests.demo.conftest import FAST, SPEC, TOOLS
from tests.demo.raw import META, TASKS, Raw, connected, events, headers, meta

LIST = {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": meta()}}
SENT = headers("tools/list")


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Host": "evil.example.com"}, 421),
        ({"Origin": "https://evil.example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Accept": "application/json"}, 406),
        ({"Content-Type": "text/plain"}, 415),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Mcp-Session-Id": "old", "Last-Event-ID": "1"}, 200),
    ],
)
async def test_what_http_alone_decides(raw: Raw, changed: dict[str, str], status: int) -> None:
    assert (await raw.post(LIST, SENT | changed)).status == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_only_post_is_served(raw: Raw, method: str) -> None:
    async with raw.session.request(method, raw.url) as response:
        assert (response.status, response.headers["Allow"]) == (405, "POST")


async def test_a_notification_is_accepted_without_an_answer(raw: Raw) -> None:
    told = {"jsonrpc": "2.0", "method": "notifications/whatever"}
    reply = await raw.post(told, headers("notifications/whatever"))
    assert (reply.status, reply.body) == (202, "")


async def test_a_body_over_the_limit_is_refused(raw: Raw) -> None:
    assert (await raw.post("x" * (4 * 1024 * 1024 + 1), SENT)).status == 413


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, -32700),
        ([LIST], 400, -32600),
        (LIST | {"id": None}, 400, -32600),
        (LIST | {"params": {}}, 400, -32602),
        (LIST | {"method": "tools/call", "params": {"_meta": meta()}}, 400, -32020),
    ],
)
async def test_faulty_bodies(raw: Raw, body: Any, status: int, code: int) -> None:
    reply = await raw.post(body, SENT)
    assert (reply.status, reply.code) == (status, code)


async def test_an_error_carries_the_id_of_its_request(raw: Raw) -> None:
    reply = await raw.post(LIST | {"id": "mine"}, SENT | {"Mcp-Method": "tools/call"})
    assert (reply.body["id"], reply.code) == ("mine", -32020)


async def test_a_header_sent_twice_is_refused(raw: Raw) -> None:
    twice = CIMultiDict(SENT)
    twice.add("Mcp-Method", "tools/list")
    reply = await raw.post(LIST, twice)
    assert (reply.status, reply.code) == (400, -32020)


@pytest.mark.parametrize("method", ["initialize", "ping", "tasks/list", "tasks/result"])
async def test_methods_of_other_eras_are_not_found(raw: Raw, method: str) -> None:
    reply = await raw.ask(method)
    assert (reply.status, reply.code) == (404, -32601)


async def test_an_initialize_of_an_old_client_is_told_what_is_spoken(raw: Raw) -> None:
    old = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    sent = {"Content-Type": "application/json", "Accept": SENT["Accept"]}
    reply = await raw.post(old, sent)
    assert reply.status == 400
    assert "2026-07-28" in reply.body["error"]["message"]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_the_missing_capability_comes_before_the_unknown_id(raw: Raw, method: str) -> None:
    params = {"taskId": "nobody", "inputResponses": {}}
    reply = await raw.ask(method, params, capabilities={})
    assert (reply.status, reply.code) == (400, -32021)
    required = reply.body["error"]["data"]["requiredCapabilities"]
    assert required == {"extensions": {TASKS: {}}}
    unknown = await raw.ask(method, params)
    assert (unknown.status, unknown.code) == (400, -32602)


async def test_discover_says_who_it_is_and_that_it_has_tasks(raw: Raw) -> None:
    found = (await raw.ask("server/discover", capabilities={})).result
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["capabilities"] == {"tools": {}, "extensions": {TASKS: {}}}
    assert found["_meta"][f"{META}serverInfo"]["name"] == "mcp-tasks-demo"
    assert found["resultType"] == "complete"


async def test_tools_come_in_pages_when_asked_for() -> None:
    server = DemoServer(SPEC, TOOLS, ServerOptions(page_size=10))
    await server.start()
    async with connected(server) as [raw]:
        names: list[str] = []
        params: dict[str, Any] = {}
        while True:
            page = (await raw.ask("tools/list", params)).result
            assert len(page["tools"]) <= 10
            names += [tool["name"] for tool in page["tools"]]
            if "nextCursor" not in page:
                break
            params = {"cursor": page["nextCursor"]}
        assert names == [tool.name for tool in TOOLS]
        assert (await raw.ask("tools/list", {"cursor": "made-up"})).code == -32602


async def test_every_answer_can_be_a_stream() -> None:
    server = DemoServer(SPEC, TOOLS, ServerOptions(always_stream=True))
    await server.start()
    async with connected(server) as [raw]:
        listed = await raw.ask("tools/list")
        assert listed.headers["Content-Type"] == "text/event-stream"
        assert listed.headers["X-Accel-Buffering"] == "no"
        assert listed.result["tools"]
        assert (await raw.ask("tasks/get", {"taskId": "nobody"})).code == -32602


async def test_an_inline_call_reports_progress_on_its_stream(raw: Raw) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 9,
        "method": "tools/call",
        "params": {
            "name": "lint_project",
            "arguments": {},
            "_meta": meta() | {"progressToken": "p"},
        },
    }
    sent = headers("tools/call", "lint_project")
    async with raw.session.post(raw.url, data=json.dumps(body), headers=sent) as response:
        *progress, last = events(await response.text())
    assert [message["params"]["progress"] for message in progress] == [1, 2, 3, 4, 5]
    assert {message["params"]["progressToken"] for message in progress} == {"p"}
    assert (last["id"], last["result"]["resultType"]) == (9, "complete")


async def test_a_client_without_tasks_waits_or_is_refused(raw: Raw) -> None:
    waited = await raw.call("slow_compute", {"seconds": 1}, capabilities={})
    assert waited.result["resultType"] == "complete"
    refused = await raw.call("build_image", {"service": "x"}, capabilities={})
    assert (refused.status, refused.code) == (400, -32021)


async def test_a_question_is_not_put_to_a_client_that_cannot_be_asked(raw: Raw) -> None:
    tasks_only: dict[str, Any] = {"extensions": {TASKS: {}}}
    refused = await raw.call("create_environment", capabilities=tasks_only)
    assert refused.code == -32021
    assert refused.body["error"]["data"]["requiredCapabilities"] == {"elicitation": {"form": {}}}
    created = (await raw.call("link_calendar", capabilities=tasks_only)).result
    failed = await raw.until(created["taskId"], "failed")
    assert failed["error"]["data"]["requiredCapabilities"] == {"elicitation": {"url": {}}}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("build_image", {}),
        ("build_image", {"service": 7}),
        ("import_catalog", {"rows": 0}),
        ("build_image", {"service": "x", "unheard_of": 1}),
    ],
)
async def test_arguments_against_the_schema_are_a_tool_error(
    raw: Raw, tool: str, arguments: dict[str, Any]
) -> None:
    outcome = (await raw.call(tool, arguments)).result
    assert (outcome["isError"], "taskId" in outcome) == (True, False)


async def test_an_unknown_tool_is_a_protocol_error(raw: Raw) -> None:
    reply = await raw.call("no_such_tool")
    assert (reply.status, reply.code) == (400, -32602)


async def test_a_mirrored_argument_needs_its_header(raw: Raw) -> None:
    params = {"name": "fetch_model", "arguments": {"model": "m", "region": "eu-north"}}
    assert (await raw.ask("tools/call", params)).code == -32020
    started = await raw.ask("tools/call", params, extra={"Mcp-Param-Region": "eu-north"})
    assert started.result["resultType"] == "task"


async def test_the_date_is_the_servers_own() -> None:
    server = DemoServer(SPEC, TOOLS, ServerOptions(clock=FrozenClock(1_800_000_000.0), speed=FAST))
    await server.start()
    async with connected(server) as [raw]:
        reply = await raw.ask("tools/list")
        assert parsedate_to_datetime(reply.headers["Date"]).timestamp() == 1_800_000_000

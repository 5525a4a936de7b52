"""Every lifecycle of the demo, from its call to its end, over real sockets at high speed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from mcp_tasks_tui.demo.lifecycles import EDGE, LIFECYCLES, DemoCall
from mcp_tasks_tui.demo.scenes import only
from mcp_tasks_tui.demo.stage import STORIES, Staging, raise_stage
from mcp_tasks_tui.demo.stories.results import HOSTILE_LINES, LARGE_BYTES
from tests.demo.conftest import FAST
from tests.demo.raw import DEADLINE, TERMINAL, Raw, answer_for, connected


@asynccontextmanager
async def stage(name: str) -> AsyncIterator[dict[str, Raw]]:
    servers = await raise_stage(Staging.of(only=(name,), speed=2 * FAST, seed=1))
    async with connected(*servers) as clients:
        yield {server.spec.name: raw for server, raw in zip(servers, clients, strict=True)}


async def begin(raw: Raw, call: DemoCall) -> str:
    """Send a call as a demo does, with the answers to what it asks first."""
    outcome = (await raw.call(call.tool, call.arguments)).result
    if outcome["resultType"] == "input_required":
        again = {"inputResponses": call.answers, "requestState": outcome["requestState"]}
        outcome = (await raw.call(call.tool, call.arguments, params=again)).result
    assert outcome["resultType"] == "task", outcome
    return str(outcome["taskId"])


async def live(raw: Raw, task_id: str) -> list[dict[str, Any]]:
    """Watch a task to its end, answering whatever it asks; every state that was seen."""
    seen: list[dict[str, Any]] = []
    async with asyncio.timeout(DEADLINE):
        async for task in raw.watch(task_id):
            seen.append(task)
            for key, request in task.get("inputRequests", {}).items():
                reply = await raw.update(task_id, {key: answer_for(request)})
                assert reply.status == 200, reply.body
            if task["status"] in TERMINAL:
                break
    return seen


def messages(seen: list[dict[str, Any]]) -> list[str]:
    return [task["statusMessage"] for task in seen if "statusMessage" in task]


ENDS = {
    "progress": ("completed", False),
    "count": ("completed", False),
    "download": ("completed", False),
    "form": ("completed", False),
    "two-questions": ("completed", False),
    "chain": ("completed", False),
    "link": ("completed", False),
    "asks-first": ("completed", False),
    "tool-error": ("completed", True),
    "failure": ("failed", None),
    "large": ("completed", False),
    "mixed": ("completed", False),
    "hostile": ("completed", False),
    "cancel-ignored": ("completed", False),
}
#: Lifecycles whose end is not a state to wait for; each has a test of its own below.
SPECIAL = {"cancel", "stuck", "expires", "away", "flood"}


def test_every_lifecycle_is_tested() -> None:
    assert LIFECYCLES.keys() == ENDS.keys() | SPECIAL


@pytest.mark.parametrize("name", ENDS)
async def test_a_lifecycle_comes_to_its_end(name: str) -> None:
    [call] = LIFECYCLES[name].calls
    async with stage(name) as servers:
        raw = servers[call.server]
        task_id = await begin(raw, call)
        if name == "cancel-ignored":
            assert (await raw.cancel(task_id)).status == 200
        seen = await live(raw, task_id)
    status, is_error = ENDS[name]
    last = seen[-1]
    assert (last["status"], last.get("result", {}).get("isError")) == (status, is_error)


async def test_a_cancel_is_obeyed_after_tidying_up() -> None:
    [call] = LIFECYCLES["cancel"].calls
    async with stage("cancel") as servers:
        raw = servers[call.server]
        task_id = await begin(raw, call)
        seen: list[dict[str, Any]] = []
        async with asyncio.timeout(DEADLINE):
            async for task in raw.watch(task_id):
                seen.append(task)
                if task.get("statusMessage", "").startswith("Updated"):
                    await raw.cancel(task_id)
                if task["status"] in TERMINAL:
                    break
    assert seen[-1]["status"] == "cancelled"
    assert any("rolling back" in message for message in messages(seen))


async def test_the_stuck_one_moves_to_62_percent_and_stops() -> None:
    [call] = LIFECYCLES["stuck"].calls
    async with stage("stuck") as servers:
        raw = servers[call.server]
        task_id = await begin(raw, call)
        async with asyncio.timeout(DEADLINE):
            async for task in raw.watch(task_id):
                if task["statusMessage"].endswith("62%"):
                    break
        assert await raw.get(task_id) == (await raw.get(task_id)) | {"status": "working"}
        assert (await raw.get(task_id))["lastUpdatedAt"] == task["lastUpdatedAt"]


async def test_the_unanswered_one_is_not_found_in_the_end() -> None:
    [call] = LIFECYCLES["expires"].calls
    async with stage("expires") as servers:
        raw = servers[call.server]
        task_id = await begin(raw, call)
        await raw.until(task_id, "input_required")
        async with asyncio.timeout(DEADLINE):
            reply = await raw.ask("tasks/get", {"taskId": task_id})
            while "result" in reply.body:
                assert reply.result["status"] == "input_required"
                reply = await raw.ask("tasks/get", {"taskId": task_id})
    assert reply.code == -32602


async def test_the_server_that_goes_away_cannot_be_reached_and_then_has_its_task_still() -> None:
    [call] = LIFECYCLES["away"].calls
    assert call.server == EDGE
    refusals, status = 0, "working"
    async with stage("away") as servers, asyncio.timeout(DEADLINE):
        raw = servers[call.server]
        task_id = await begin(raw, call)
        while status == "working":
            try:
                status = (await raw.get(task_id))["status"]
            except aiohttp.ClientError:
                refusals += 1
                assert (await servers["demo"].ask("server/discover")).status == 200
    assert refusals > 0
    assert status == "completed"


async def test_the_flood_is_two_hundred_tasks_that_all_end() -> None:
    lifecycle = LIFECYCLES["flood"]
    assert len(lifecycle.calls) == 200
    async with stage("flood") as servers:
        raw = servers["demo"]
        task_ids = [await begin(raw, call) for call in lifecycle.calls]
        open_ids = set(task_ids)
        errors = 0
        async with asyncio.timeout(DEADLINE), raw.listen({"taskIds": task_ids}) as stream:
            assert len((await anext(stream))["params"]["notifications"]["taskIds"]) == 200
            for task_id in task_ids:
                if (await raw.get(task_id))["status"] in TERMINAL:
                    open_ids.discard(task_id)
            async for message in stream:
                if message["params"]["status"] in TERMINAL:
                    open_ids.discard(message["params"]["taskId"])
                if not open_ids:
                    break
        for task_id in task_ids:
            errors += (await raw.get(task_id))["result"]["isError"]
    assert errors == 4


async def test_the_form_has_every_kind_of_field() -> None:
    [call] = LIFECYCLES["form"].calls
    async with stage("form") as servers:
        raw = servers[call.server]
        task = await raw.until(await begin(raw, call), "input_required")
    [request] = task["inputRequests"].values()
    fields = request["params"]["requestedSchema"]["properties"].values()
    kinds = {
        (field["type"], field.get("format", ""), *sorted(field.keys() & {"enum", "oneOf", "items"}))
        for field in fields
    }
    assert kinds == {
        ("string", ""),
        ("string", "email"),
        ("string", "uri"),
        ("string", "date"),
        ("string", "date-time"),
        ("integer", ""),
        ("number", ""),
        ("boolean", ""),
        ("string", "", "enum"),
        ("string", "", "oneOf"),
        ("array", "", "items"),
    }
    assert {tuple(f["items"].keys() - {"type"}) for f in fields if "items" in f} == {
        ("enum",),
        ("anyOf",),
    }


async def test_the_large_result_is_five_megabytes_and_the_mixed_one_of_every_kind() -> None:
    async with stage("large") as servers:
        raw = servers["demo"]
        large = (await live(raw, await begin(raw, LIFECYCLES["large"].calls[0])))[-1]["result"]
        mixed = (await live(raw, await begin(raw, LIFECYCLES["mixed"].calls[0])))[-1]["result"]
    assert LARGE_BYTES <= len(large["content"][0]["text"]) < LARGE_BYTES * 1.01
    kinds = [block["type"] for block in mixed["content"]]
    assert kinds == ["text", "image", "audio", "resource_link", "resource"]
    assert mixed["structuredContent"]["week"] == 48


async def test_hostile_text_arrives_raw() -> None:
    [call] = LIFECYCLES["hostile"].calls
    async with stage("hostile") as servers:
        raw = servers[call.server]
        seen = await live(raw, await begin(raw, call))
    asked = [request for task in seen for request in task.get("inputRequests", {}).items()]
    assert asked[0][0] == "hostile\x1b[31m[bold]"
    assert asked[0][1]["params"]["message"].startswith("\x1b[2JReply to \u202e")
    assert seen[-1]["result"]["content"][0]["text"] == "\n".join(HOSTILE_LINES)


def test_every_lifecycle_explains_itself_and_calls_a_tool_that_takes_its_arguments() -> None:
    tools = {tool.name: tool for tool in STORIES}
    for name, lifecycle in LIFECYCLES.items():
        assert lifecycle.name == name
        assert 20 < len(lifecycle.help) < 80
        for call in lifecycle.calls:
            Draft202012Validator(tools[call.tool].input_schema).validate(dict(call.arguments))
            assert call.label


def test_the_tools_can_be_listed_as_json_and_their_schemas_are_sound() -> None:
    for tool in STORIES:
        json.dumps(tool.listed())
        Draft202012Validator.check_schema(dict(tool.input_schema))


def test_chosen_lifecycles_start_one_after_the_other() -> None:
    scene = only(["stuck", "progress"])
    assert [(call.tool, call.delay) for call in scene.calls] == [
        ("migrate_users", 0.0),
        ("build_image", 2.0),
    ]
    with pytest.raises(ValueError, match=r"no lifecycle is called nope, no; there are: progress,"):
        only(["nope", "progress", "no"])

"""The program's own client against this server: two implementations that know nothing of each
other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from mcp_tasks_tui.demo.server import DemoServer, ServerOptions
from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.errors import NoSuchTask
from mcp_tasks_tui.protocol.messages import (
    Acknowledged,
    InputNeeded,
    InputResponse,
    TaskCreated,
    TaskPushed,
    ToolResult,
)
from mcp_tasks_tui.protocol.wire import Wire
from tests.demo.conftest import FAST, SPEC, TOOLS
from tests.demo.raw import DEADLINE


@pytest.fixture(params=[False, True], ids=["json", "stream"])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[TaskClient]:
    options = ServerOptions(speed=FAST, page_size=7, always_stream=request.param)
    server = DemoServer(SPEC, TOOLS, options)
    wire = Wire(environ={})
    try:
        yield wire.client(await server.start())
    finally:
        await wire.close()
        await server.stop()


async def test_it_learns_what_the_server_is_and_has(client: TaskClient) -> None:
    info = await client.discover()
    assert (info.tasks, info.supported_versions) == (True, ("2026-07-28",))
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    assert listed.warnings == ()


async def test_it_gets_each_of_the_three_answers_of_a_call(client: TaskClient) -> None:
    assert isinstance(await client.call_tool("lint_project", {}), ToolResult)
    arguments = {"model": "mödel", "region": "eu-north"}
    assert isinstance(await client.call_tool("fetch_model", arguments), TaskCreated)
    asked = await client.call_tool("create_environment", {})
    assert isinstance(asked, InputNeeded)
    name = InputResponse(action="accept", content={"name": "review-7"})
    created = await client.call_tool(
        "create_environment",
        {},
        input_responses=dict.fromkeys(asked.input_requests, name),
        request_state=asked.request_state,
    )
    assert isinstance(created, TaskCreated)


async def test_it_reads_answers_cancels_and_listens(client: TaskClient) -> None:
    created = await client.call_tool("multi_input", {})
    assert isinstance(created, TaskCreated)
    task_id = created.reply.task.task_id
    open_keys = (await client.get_task(task_id)).task.input_requests
    async with asyncio.timeout(DEADLINE):
        stream = client.listen([task_id])
        assert await anext(stream) == Acknowledged(frozenset({task_id}))
        decline = InputResponse(action="decline")
        await client.update_task(task_id, dict.fromkeys(open_keys, decline))
        async for event in stream:
            assert isinstance(event, TaskPushed)
            if event.reply.task.status == "completed":
                break
        await stream.aclose()
    await client.cancel_task(task_id)
    assert (await client.get_task(task_id)).task.notes == ()
    with pytest.raises(NoSuchTask):
        await client.get_task("nobody")

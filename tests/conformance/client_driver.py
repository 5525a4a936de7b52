"""What the client scenarios of the conformance suite make our client do.

The suite runs it as ``python -m tests.conformance.client_driver URL`` with the scenario's name
and its context (JSON) in the environment.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse
from mcp_tasks_tui.protocol.wire import Wire

Context = Mapping[str, Any]

_ANY_ARGUMENTS = {"region": "us-west1"}
_FOCAL_TOOL = "json_schema_2020_12_tool"


async def call_tool(client: TaskClient, _context: Context) -> None:
    await client.list_tools()
    await client.call_tool("add_numbers", {"a": 2, "b": 3})


async def discover_and_list(client: TaskClient, _context: Context) -> None:
    await client.discover()
    await client.list_tools()


async def call_every_tool(client: TaskClient, _context: Context) -> None:
    for tool in (await client.list_tools()).tools:
        await client.call_tool(tool.name, _ANY_ARGUMENTS)


async def make_the_given_calls(client: TaskClient, context: Context) -> None:
    await client.list_tools()
    for call in context["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


async def answer_before_the_result(client: TaskClient, _context: Context) -> None:
    for name in ("test_mrtr_echo_state", "test_mrtr_no_state"):
        outcome = await client.call_tool(name, {})
        if not isinstance(outcome, InputNeeded):
            raise AssertionError(f"{name} did not ask")
        await client.call_tool("test_mrtr_unrelated", {})
        confirmed = InputResponse(action="accept", content={"confirmed": True})
        await client.call_tool(
            name,
            {},
            input_responses=dict.fromkeys(outcome.input_requests, confirmed),
            request_state=outcome.request_state,
        )
    await client.call_tool("test_mrtr_no_result_type", {})


async def send_a_schema_back(client: TaskClient, _context: Context) -> None:
    schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    [echo] = schemas.keys() - {_FOCAL_TOOL}
    await client.call_tool(echo, {"schema": schemas[_FOCAL_TOOL]})


SCENARIOS: dict[str, Callable[[TaskClient, Context], Awaitable[None]]] = {
    "tools_call": call_tool,
    "request-metadata": discover_and_list,
    "http-standard-headers": call_every_tool,
    "http-custom-headers": make_the_given_calls,
    "http-invalid-tool-headers": call_every_tool,
    "sep-2322-client-request-state": answer_before_the_result,
    "json-schema-ref-no-deref": discover_and_list,
    "json-schema-2020-12-preservation": send_a_schema_back,
}


async def drive(scenario: str, context: Context, url: str) -> None:
    wire = Wire()
    try:
        await SCENARIOS[scenario](wire.client(url), context)
    finally:
        await wire.close()


if __name__ == "__main__":
    asyncio.run(
        drive(
            os.environ["MCP_CONFORMANCE_SCENARIO"],
            json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")),
            sys.argv[1],
        )
    )

"""A driver for the client scenarios of the official MCP conformance suite.

The suite starts ``python -m tests.protocol.conformance_client URL`` with
``MCP_CONFORMANCE_SCENARIO`` and sometimes ``MCP_CONFORMANCE_CONTEXT`` (JSON) in the environment,
plays a server at URL, and judges what it is sent. An exit status of 0 says the driver did its
part; refusals by the scripted server are part of the scenarios.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse, Tool
from mcp_tasks_tui.protocol.wire import Wire

_MOST_QUESTIONS = 5
_ECHO = "json_schema_echo"


async def drive(url: str, context: dict[str, Any]) -> None:
    wire = Wire()
    try:
        client = wire.client(url)
        try:
            await client.discover()
        except RequestError as error:
            _say(f"discover: {error}")
        tools = await client.list_tools()
        for warning in tools.warnings:
            _say(warning)
        for name, arguments in _calls(tools.tools, context):
            try:
                await _call(client, name, arguments)
            except RequestError as error:
                _say(f"{name}: {error}")
    finally:
        await wire.close()


def _calls(tools: tuple[Tool, ...], context: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if "toolCalls" in context:
        for call in context["toolCalls"]:
            yield call["name"], call.get("arguments") or {}
        return
    for tool in tools:
        if tool.name == _ECHO:
            # The echo is asked to give back the schemas of the other tools, as we received them.
            yield from (
                (_ECHO, {"schema": other.input_schema}) for other in tools if other is not tool
            )
        else:
            yield tool.name, {"a": 1, "b": 2}


async def _call(client: TaskClient, name: str, arguments: dict[str, Any]) -> None:
    outcome = await client.call_tool(name, arguments)
    for _ in range(_MOST_QUESTIONS):
        if not isinstance(outcome, InputNeeded):
            return
        answer = InputResponse(action="accept", content={"confirmed": True})
        outcome = await client.call_tool(
            name,
            arguments,
            input_responses=dict.fromkeys(outcome.input_requests, answer),
            request_state=outcome.request_state,
        )


def _say(line: str) -> None:
    print(line, file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(drive(sys.argv[1], json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")))

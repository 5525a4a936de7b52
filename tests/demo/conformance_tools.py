"""The tools that the official conformance suite calls.

``python -m tests.demo.conformance_tools`` is the demo server with them; it has its options.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks_tui.demo.__main__ import main
from mcp_tasks_tui.demo.tasks import ProtocolFailure
from mcp_tasks_tui.demo.tools import Result, Tool, arguments_schema, form, result, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.tasks import Work
    from mcp_tasks_tui.demo.tools import Report

_TEXT: Final = {"type": "string"}
_CONFIRM: Final = {"confirm": {"type": "boolean", "title": "Confirm"}}
_ASK_NAME: Final = form("What is your name?", {"name": _TEXT}, ("name",))


async def _greet(arguments: Mapping[str, Any], _report: Report) -> Result:
    return result(text(f"Hello, {arguments.get('name', 'stranger')}!"))


async def _slow_compute(work: Work, arguments: Mapping[str, Any]) -> Result:
    seconds = float(arguments.get("seconds", 1))
    work.say("Computing")
    await work.sleep(seconds)
    return result(text(f"{arguments.get('label', 'computation')}: done after {seconds:g} s"))


async def _failing_job(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await work.sleep(1)
    return result(text("The job ran and reports an error."), is_error=True)


async def _protocol_error_job(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await work.sleep(0.2)
    raise ProtocolFailure(-32603, "The job broke down")


async def _confirm_delete(work: Work, arguments: Mapping[str, Any]) -> Result:
    filename = arguments.get("filename", "file.txt")
    question = form(f"Delete {filename}?", _CONFIRM, ("confirm",))
    answer = await work.ask_one("confirm", question, "Waiting for confirmation")
    deleted = answer.accepted and answer.content["confirm"] is True
    return result(text(f"{filename} {'deleted' if deleted else 'kept'}."))


async def _multi_input(work: Work, _arguments: Mapping[str, Any]) -> Result:
    answers = await work.ask(
        {"name": _ASK_NAME, "confirm": form("Go on?", _CONFIRM, ("confirm",))},
        "Waiting for two answers",
    )
    return result(text(f"{sum(answer.accepted for answer in answers.values())} of 2 accepted."))


async def _tool_with_task(work: Work, _arguments: Mapping[str, Any]) -> Result:
    await work.sleep(0.2)
    return result(text(f"Hello, {work.first_answers['user_name'].content['name']}!"))


async def _never_reached(_arguments: Mapping[str, Any], _report: Report) -> Result:
    return result(text("The client can sample, so the call was allowed."))


async def _quiet(_arguments: Mapping[str, Any], _report: Report) -> Result:
    return result(text("No log message was sent."))


async def _route(arguments: Mapping[str, Any], _report: Report) -> Result:
    return result(text(f"Routed to {arguments.get('region', 'anywhere')}."))


TOOLS: Final = (
    Tool(
        "greet",
        "Greet",
        "Greets; never a task.",
        {"type": "object", "properties": {"name": _TEXT}},
        inline=_greet,
    ),
    Tool(
        "slow_compute",
        "Slow compute",
        "Takes that many seconds.",
        arguments_schema({"seconds": {"type": "number", "minimum": 0}, "label": _TEXT}),
        _slow_compute,
        needs_task=False,
    ),
    Tool("failing_job", "Failing job", "Ends in a tool error.", arguments_schema(), _failing_job),
    Tool(
        "protocol_error_job",
        "Protocol error job",
        "Ends in a protocol error.",
        arguments_schema(),
        _protocol_error_job,
        needs_task=False,
    ),
    Tool(
        "confirm_delete",
        "Confirm delete",
        "Asks before it deletes.",
        arguments_schema({"filename": _TEXT}),
        _confirm_delete,
        needs_task=False,
    ),
    Tool(
        "multi_input",
        "Multi input",
        "Asks two things at once.",
        arguments_schema(),
        _multi_input,
        needs_task=False,
    ),
    Tool(
        "test_tool_with_task",
        "Tool with task",
        "Asks first, then becomes a task.",
        arguments_schema(),
        _tool_with_task,
        asks_first={"user_name": _ASK_NAME},
    ),
    Tool(
        "test_missing_capability",
        "Missing capability",
        "Needs a client that can sample.",
        arguments_schema(),
        inline=_never_reached,
        needs={"sampling": {}},
    ),
    Tool(
        "test_streaming_elicitation",
        "Streaming elicitation",
        "Asks on an event stream.",
        arguments_schema(),
        inline=_quiet,
        streams=True,
        asks_first={"user_name": _ASK_NAME},
    ),
    Tool(
        "test_logging_tool",
        "Logging tool",
        "Runs without log messages.",
        arguments_schema(),
        inline=_quiet,
        streams=True,
    ),
    Tool(
        "test_routed",
        "Routed",
        "Its region travels in a header.",
        arguments_schema({"region": {"type": "string", "x-mcp-header": "Region"}}),
        inline=_route,
    ),
)


if __name__ == "__main__":
    sys.exit(main(tools=TOOLS))

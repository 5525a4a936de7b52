"""A server whose tools and tasks end in every way there is, at once."""

from __future__ import annotations

from typing import Any

from tests.program.recorder import CONFIRM, Recorder

RESULT = {"content": [{"type": "text", "text": "all is built"}], "isError": False}
TOOL_ERROR = {"content": [{"type": "text", "text": "disk quota exceeded"}], "isError": True}
PROTOCOL_ERROR = {"code": -32603, "message": "the worker died"}

#: How a task stands, as the fields of the wire: the name is its id, and the tool that makes it.
TASKS: dict[str, dict[str, Any]] = {
    "working": {"status": "working", "statusMessage": "step 1 of 4"},
    "asks": {"status": "input_required", "inputRequests": CONFIRM},
    "done": {"status": "completed", "result": RESULT},
    "tool-error": {"status": "completed", "result": TOOL_ERROR},
    "failed": {"status": "failed", "error": PROTOCOL_ERROR},
    "cancelled": {"status": "cancelled"},
}


#: Tools that say nothing of their arguments.
PLAIN = ("build", *TASKS, "silent", "asks-first", "asks-twice", "inline", "inline-error")
TOOLS: list[dict[str, Any]] = [
    *({"name": name, "inputSchema": {"type": "object"}} for name in PLAIN),
    {
        "name": "strict",
        "inputSchema": {
            "type": "object",
            "properties": {"seconds": {"type": "integer", "maximum": 60}},
            "required": ["seconds"],
            "additionalProperties": False,
        },
    },
    {
        "name": "strange",
        "inputSchema": {
            "type": "object",
            "properties": {"n": {"$ref": "https://elsewhere.example/n.json"}},
            "x-of-its-own": {"required": 5},
        },
    },
]


class Scripted(Recorder):
    """`call` a tool named as one of `TASKS` to get such a task; there are some others, too."""

    def __init__(self) -> None:
        super().__init__()
        for name, fields in TASKS.items():
            self.add(name, **fields)

    def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if message["method"] == "server/discover":
            return _complete(
                supportedVersions=["2026-07-28"],
                capabilities={"extensions": {"io.modelcontextprotocol/tasks": {}}},
                serverInfo={"name": "scripted", "version": "1"},
            )
        if message["method"] == "tools/list":
            return _complete(tools=TOOLS)
        if message["method"] == "tasks/cancel" and message["params"]["taskId"] not in self.tasks:
            return {"error": {"code": -32602, "message": "no such task"}}
        if message["method"] != "tools/call":
            return super()._answer(message)
        return self._call(message["params"])

    def _call(self, params: dict[str, Any]) -> dict[str, Any]:
        tool = params["name"]
        if tool in TASKS:
            return {"result": {"resultType": "task", **self.tasks[tool]}}
        if tool == "silent":
            self.ended.wait(60)
        state = params.get("requestState")
        if tool in ("asks-first", "asks-twice") and state is None:
            return _asked("state-1")
        if tool == "asks-twice" and state == "state-1":
            return _asked("state-2")
        if tool in ("inline", "asks-first", "asks-twice", "strict", "strange"):
            return _complete(**RESULT)
        if tool == "inline-error":
            return _complete(**TOOL_ERROR)
        return {"error": {"code": -32602, "message": f"no tool {tool}"}}


def _asked(state: str) -> dict[str, Any]:
    asked = {"resultType": "input_required", "inputRequests": CONFIRM}
    return {"result": {**asked, "requestState": state}}


def _complete(**fields: Any) -> dict[str, Any]:
    return {"result": {"resultType": "complete", **fields}}

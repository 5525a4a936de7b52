"""Plain batch jobs, whose fate a scene decides: the many tasks of a busy place."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from mcp_tasks_tui.demo.tasks import CancelRequested, ProtocolFailure
from mcp_tasks_tui.demo.tools import Result, Tool, arguments_schema, form, result, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.demo.tasks import Work

#: A job is this many steps; a step takes a few seconds.
STEPS: Final = 100

#: What may become of a job.
RUNNING: Final = "running"
DONE: Final = "done"
STUCK: Final = "stuck"
WAITING: Final = "waiting"
TOOL_ERROR: Final = "tool-error"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"

_MESSAGES: Final = {
    "build_package": "Step {part}/14: {percent}%",
    "export_table": "Exported {rows:,} of {total:,} rows",
    "train_model": "Epoch {epoch} of 40, loss {loss:.3f}",
    "transcode_video": "Transcoding: {percent}%",
    "reconcile_ledger": "Reconciled {rows:,} of {total:,} entries",
}
_CONTINUE = form(
    "The target already exists and differs in 312 places. What shall be done?",
    {
        "choice": {
            "type": "string",
            "title": "Existing target",
            "oneOf": [
                {"const": "overwrite", "title": "Overwrite it"},
                {"const": "keep", "title": "Keep it and stop"},
            ],
            "default": "keep",
        }
    },
    ("choice",),
)


def _message(tool: str, step: int, total: int) -> str:
    return _MESSAGES[tool].format(
        percent=step,
        part=1 + step * 13 // STEPS,
        rows=total * step // STEPS,
        total=total,
        epoch=max(1, step * 40 // STEPS),
        loss=2.4 / (1 + step / 8),
    )


def batch_tool(name: str, title: str, description: str) -> Tool:
    async def story(work: Work, arguments: Mapping[str, Any]) -> Result:
        return await _run(name, work, str(arguments["job"]))

    job = {"type": "string", "title": "Job", "minLength": 1}
    return Tool(
        name,
        title,
        description,
        arguments_schema({"job": job}, ("job",)),
        story,
        ttl=24 * 3600.0,
        poll_interval=2.0,
    )


async def _run(tool: str, work: Work, job: str) -> Result:
    nature = random.Random(job)  # noqa: S311 - the same job behaves alike in each run
    total = nature.randrange(20_000, 900_000)
    pace = nature.uniform(5, 9) if work.fate == RUNNING else nature.uniform(1.5, 3)
    turning_point = STEPS if work.fate in {None, RUNNING, DONE} else nature.randrange(20, 90)
    for step in range(turning_point + 1):
        work.say(_message(tool, step, total))
        await work.sleep(pace)
    return await _ENDINGS.get(work.fate or DONE, _done)(work, job)


async def _done(_work: Work, job: str) -> Result:
    return result(text(f"{job}: done."))


async def _stuck(work: Work, _job: str) -> Result:
    while True:
        await work.sleep(24 * 3600)


async def _waiting(work: Work, job: str) -> Result:
    answer = await work.ask_one("existing-target", _CONTINUE, "Waiting for a decision")
    kept = not answer.accepted or answer.content["choice"] == "keep"
    return result(text(f"{job}: stopped, target kept." if kept else f"{job}: target overwritten."))


async def _tool_error(_work: Work, job: str) -> Result:
    return result(
        text(f"{job}: quota of 500 GB is used up; 1 file was not written."), is_error=True
    )


async def _failed(_work: Work, job: str) -> Result:
    raise ProtocolFailure(-32603, "Worker lost: no heartbeat for 30 s", {"job": job})


async def _cancelled(_work: Work, _job: str) -> Result:
    raise CancelRequested


_ENDINGS: Final = {
    RUNNING: _done,
    DONE: _done,
    STUCK: _stuck,
    WAITING: _waiting,
    TOOL_ERROR: _tool_error,
    FAILED: _failed,
    CANCELLED: _cancelled,
}

TOOLS: Final = (
    batch_tool("build_package", "Build package", "Builds one package."),
    batch_tool("export_table", "Export table", "Exports one table, row by row."),
    batch_tool("train_model", "Train model", "Trains one model."),
    batch_tool("transcode_video", "Transcode video", "Transcodes one video."),
    batch_tool("reconcile_ledger", "Reconcile ledger", "Reconciles one ledger."),
)

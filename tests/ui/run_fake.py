"""The screen on a fake engine in a process of its own, for tests on a real terminal.

`python -m tests.ui.run_fake [bug] [hostile]`; prints `closed` and what was asked of the
engine when the screen has ended.
"""

from __future__ import annotations

import asyncio
import sys

from mcp_tasks_tui.config import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.terminal import on_end_signals
from tests.ui.fakes import FakeSupervisor, a_task

HOSTILE = "ok\x1b[2J\x1b]0;PWNED\x07\x1b]52;c;aGk=\x07\x9b31m\x00\x08\rX\u202e[/ [red]x[/red]"


async def _run(options: list[str]) -> int:
    text = HOSTILE if "hostile" in options else "step 1/3"
    fake = FakeSupervisor.of(
        a_task("t1", label=text, task_id=text, message=text, tool=text, attention=[Reason.STUCK]),
        a_task("t2", State.FAILED, label="second", message=text),
        *(a_task(f"n{number}", label=f"job {number}") for number in range(50)),
    )
    app = TasksApp(fake, config=ScreenConfig(alerts="always"), on_crash=lambda _: "/var/log/it")
    if "bug" in options:

        def fail() -> None:
            raise RuntimeError(f"unforeseen {HOSTILE}")

        app.call_later(lambda: app.set_timer(0.5, fail))
    undo = on_end_signals(app, app.told_to_end)
    undo = on_end_signals(app, app.told_to_end)
    await app.run_async(mouse="no-mouse" not in options)
    undo()
    undo()
    if app.crash_report:
        print(app.crash_report, file=sys.stderr)
    print("closed" if fake.closed else "left open", *(each.what for each in fake.asked))
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_run(sys.argv[1:])))

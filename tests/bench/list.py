"""What one changed task costs in a long list: `python -m tests.bench.list [rows]`.

Prints CPU milliseconds for one row update with its repaint in the list alone (budget: 1 ms) and
in the whole screen, for an update out of sight, for a tick of the ages, and for a whole sort.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import UNICODE
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from tests.ui.bare import BareApp
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.view import TaskView

_ROUNDS = 200


def _changed(view: TaskView, number: int) -> TaskView:
    return replace(view, message=ServerText(f"step {number} of 200"))


class _ListAlone(BareApp):
    def __init__(self, views: list[TaskView]) -> None:
        self.tasks = TaskList(Choice(), now=lambda: NOW, glyphs=UNICODE)
        self.tasks.styles.scrollbar_gutter = "stable"
        self._views = views
        super().__init__(self.tasks)

    def on_mount(self) -> None:
        self.tasks.replace(self._views)


async def measure_alone(rows: int) -> float:
    """Return CPU milliseconds for one row update with its repaint in the list alone, median."""
    views = [a_task(f"t{n}", label=f"job {n}", saved_at=NOW - n) for n in range(rows)]
    app = _ListAlone(views)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        return await _cpu(
            pilot, lambda number: app.tasks.apply([_changed(views[number % 30], number)])
        )


async def measure(rows: int) -> dict[str, float]:
    """Return CPU milliseconds by what was done, medians."""
    views = [a_task(f"t{n}", label=f"job {n}", saved_at=NOW - n) for n in range(rows)]
    fake = FakeSupervisor.of(*views)
    moment = [NOW]
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: moment[0])
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        tasks = app.main.tasks

        def seen(number: int) -> None:
            view = fake.tasks[f"t{number % 30}"]
            tasks.apply([_changed(view, number)])

        def unseen(number: int) -> None:
            view = fake.tasks[f"t{rows - 1 - number}"]
            tasks.apply([_changed(view, number)])

        def older(number: int) -> None:
            moment[0] += 10
            tasks.tick()

        def same(number: int) -> None:
            tasks.apply([fake.tasks[f"t{number % 30}"]])

        return {
            "one row in view, the whole screen": await _cpu(pilot, seen),
            "one row out of view": await _cpu(pilot, unseen),
            "one row that says the same": await _cpu(pilot, same),
            "ages of all rows in view change": await _cpu(pilot, older),
            "sort": await _cpu(pilot, lambda _: app.main.run_command("list.sort"), rounds=12),
        }


async def _cpu(
    pilot: Pilot[None], act: Callable[[int], object | Awaitable[object]], rounds: int = _ROUNDS
) -> float:
    spent = []
    for number in range(rounds):
        start = time.process_time()
        act(number)
        await asyncio.sleep(0)
        pilot.app.screen._on_timer_update()  # what the next frame would do
        spent.append((time.process_time() - start) * 1000)
    return statistics.median(spent)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{asyncio.run(measure_alone(rows)):8.3f} ms  one row in view, the list alone")
    for what, milliseconds in asyncio.run(measure(rows)).items():
        print(f"{milliseconds:8.3f} ms  {what}")


if __name__ == "__main__":
    main()

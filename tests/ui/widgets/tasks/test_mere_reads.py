"""A task read again that says what it said costs the screen nothing where it is not seen."""

from __future__ import annotations

from dataclasses import replace

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.supervise.supervisor import Batch
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

_TASKS = 200


def _read_again(fake: FakeSupervisor, seconds: float) -> None:
    """Have the engine know that every task was read so many seconds before now."""
    for key, view in fake.tasks.items():
        snapshot = replace(view.snapshot, observed_at=NOW - seconds)
        fake.tasks[key] = replace(view, snapshot=snapshot)
    fake.publish(Batch(read=frozenset(fake.tasks)))


async def test_mere_reads_are_taken_in_where_they_are_seen() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{number}") for number in range(_TASKS)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.engine.loaded)
        await until(pilot, lambda: len(app.main.tasks.in_sight()) > 10)
        tasks = app.main.tasks

        def fresh() -> set[str]:
            return {key for key, view in tasks.model.views.items() if view is fake.tasks[key]}

        _read_again(fake, 1)
        assert fresh() == set(tasks.in_sight())

        before = set(tasks.in_sight())
        await pilot.press("end")  # the cursor goes to the last task, far below
        await until(pilot, lambda: "t0" not in tasks.in_sight())
        await until(pilot, lambda: set(tasks.in_sight()) <= fresh())
        assert not before & set(tasks.in_sight())

        await pilot.press("v")  # on the wall every task may be seen
        await until(pilot, lambda: app.main.has_class("-wall"))
        _read_again(fake, 0.5)
        assert fresh() == fake.tasks.keys()

"""What just changed is marked for a moment, and only what a person would call a change."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import UNICODE
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from tests.ui.bare import BareApp, whole_screen
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.view import TaskView

#: Longer than a change is marked.
_A_MOMENT = 3.0
_TASKS = 20


@dataclass
class _List:
    """The list alone, on a clock that is set by hand."""

    pilot: Pilot[None] | None = None
    now: float = NOW
    tasks: TaskList = field(init=False)

    def __post_init__(self) -> None:
        self.tasks = TaskList(Choice(), now=lambda: self.now, glyphs=UNICODE)

    async def take(self, *views: TaskView) -> None:
        self.tasks.apply(views)
        await self._drawn()

    async def pass_by(self, seconds: float) -> None:
        self.now += seconds
        self.tasks.tick()
        await self._drawn()

    async def freeze(self, frozen: bool) -> None:
        self.tasks.freeze(frozen)
        await self._drawn()

    async def _drawn(self) -> None:
        assert self.pilot is not None
        await self.pilot.pause()

    @property
    def marked(self) -> set[str]:
        """The names of the tasks that are marked on the screen, as it was drawn last."""
        assert self.pilot is not None
        lines = whole_screen(self.pilot.app).split("\n")
        return {line.split()[-1] for line in lines if line[1:2] == UNICODE.changed}


def _task(name: str, message: str = "step 1") -> TaskView:
    return a_task(name, label=name, message=message, next_read_at=NOW + 60)


@asynccontextmanager
async def _shown() -> AsyncIterator[_List]:
    shown = _List()
    app = BareApp(shown.tasks)
    # Narrow: the name ends the line.
    async with app.run_test(size=(30, _TASKS + 2)) as shown.pilot:
        shown.tasks.replace([_task(f"t{n}") for n in range(_TASKS)])
        await shown.pilot.pause()
        yield shown


def _ended(view: TaskView) -> TaskView:
    return replace(view, state=State.COMPLETED)


@pytest.mark.parametrize(
    "change",
    [_ended, lambda view: replace(view, message=ServerText("step 2")), lambda _: _task("new")],
    ids=["state", "message", "new task"],
)
async def test_what_changed_is_marked_for_a_moment_and_nothing_else(
    change: Callable[[TaskView], TaskView],
) -> None:
    async with _shown() as shown:
        assert shown.marked == set()  # what is there from the start is no change
        changed = change(_task("t3"))
        await shown.take(changed)
        assert shown.marked == {changed.key}
        await shown.pass_by(_A_MOMENT / 3)
        assert shown.marked == {changed.key}
        await shown.pass_by(_A_MOMENT)
        assert shown.marked == set()


async def test_a_mere_read_is_not_marked() -> None:
    async with _shown() as shown:
        for seconds in (1, 40):
            shown.now += seconds
            view = _task("t3")
            snapshot = replace(view.snapshot, observed_at=shown.now)
            await shown.take(replace(view, snapshot=snapshot, next_read_at=shown.now + 60))
            assert shown.marked == set()
            assert shown.tasks.model.views["t3"].snapshot.observed_at == shown.now


async def test_each_change_is_marked_as_long_as_the_first() -> None:
    async with _shown() as shown:
        await shown.take(_task("t3", "step 2"), _task("t4", "step 2"))
        await shown.pass_by(_A_MOMENT / 2)
        await shown.take(_task("t3", "step 3"))
        await shown.pass_by(_A_MOMENT / 2)
        assert shown.marked == {"t3"}


async def test_what_changed_while_the_list_was_frozen_is_marked_when_it_comes_in() -> None:
    async with _shown() as shown:
        await shown.freeze(True)
        await shown.take(_task("t3", "step 2"), _task("t4"))
        assert shown.marked == set()
        await shown.pass_by(60)
        await shown.freeze(False)
        assert shown.marked == {"t3"}
        await shown.pass_by(_A_MOMENT)
        assert shown.marked == set()

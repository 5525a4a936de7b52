"""What stands in place of an empty list promises nothing that is not there, in any window."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import State
from tests.ui.bare import whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task
from tests.ui.running import press, running, text_of

_ARCHIVED = a_task("t2", State.COMPLETED, archived_at=NOW)


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (40, 10)])
async def test_where_tasks_come_from_is_said_first_in_a_small_window(size: tuple[int, int]) -> None:
    async with running(FakeSupervisor(), size=size) as (app, _):
        said = whole_screen(app)
        for way in ("n   call a tool", "a   keep a task", "call SERVER TOOL", "add SERVER TASK_ID"):
            assert way in said


async def test_with_no_tasks_no_filter_is_blamed() -> None:
    async with running(FakeSupervisor()) as (app, pilot):
        await press(pilot, "slash", *"stuck")
        said = text_of(app, "#blank")
        assert "No tasks are kept here yet" in said
        assert "all 0" not in said


async def test_archived_tasks_are_promised_only_where_some_are_hidden() -> None:
    async with running(FakeSupervisor.of(a_task("t1"))) as (app, pilot):
        await press(pilot, "slash", *"nothing-like-it")
        assert "see all 1" in text_of(app, "#blank")
        assert "archived" not in text_of(app, "#blank")
    async with running(FakeSupervisor.of(a_task("t1"), _ARCHIVED)) as (app, pilot):
        await press(pilot, "slash", *"nothing-like-it")
        assert "see all 1\n" in text_of(app, "#blank")
        assert "look among the 1 archived too" in text_of(app, "#blank")
        await press(pilot, "escape", "D", "slash", *"nothing-like-it")
        assert "see all 2" in text_of(app, "#blank")
        assert "archived" not in text_of(app, "#blank")
    async with running(FakeSupervisor.of(_ARCHIVED)) as (app, pilot):
        assert "D   show the 1 archived" in text_of(app, "#blank")


async def test_an_empty_wall_has_nothing_to_open() -> None:
    async with running(FakeSupervisor(), size=(80, 24)) as (app, pilot):
        await press(pilot, "v")
        assert "nothing is running" in whole_screen(app)
        assert "opens" not in whole_screen(app)

"""The filter as it is typed: what matches, where a mistake is, and the way out."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.bare import whole_screen
from tests.ui.fakes import FakeSupervisor
from tests.ui.running import press, running, sees, settle, text_of, three_tasks


async def test_filter_as_you_type_with_a_count_and_escape_clears() -> None:
    async with running(three_tasks()) as (app, pilot):
        await pilot.press("slash", *"state:completed")
        await settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t3"]
        assert "1 of 3 tasks" in text_of(app, "#filter-says")
        await press(pilot, "enter")
        assert app.main.tasks.has_focus
        assert list(app.main.tasks.model.keys()) == ["t3"]
        await press(pilot, "escape")
        assert len(list(app.main.tasks.model.keys())) == 3
        assert not app.main.filter_bar.display


async def test_where_there_are_no_tasks_none_is_counted() -> None:
    async with running(FakeSupervisor()) as (app, pilot):
        await pilot.press("slash", *"x")
        await settle(pilot)
        assert text_of(app, "#filter-says").strip() == "no tasks"


async def test_a_mistake_in_the_filter_says_where_and_keeps_the_last_good_one() -> None:
    async with running(three_tasks()) as (app, pilot):
        await pilot.press("slash", *"two")
        app.main.filter_bar.fill("two staet:working")
        await settle(pilot)
        # It is being typed: what it may be is said in the same line, and no row moves.
        assert 'No field "staet". Did you mean state:?' in whole_screen(app).split("\n")[1]
        assert not sees(app, "#filter-error")
        assert list(app.main.tasks.model.keys()) == ["t2"]
        await press(pilot, "enter")
        assert 'at 5: No field "staet". Did you mean' in text_of(app, "#filter-error")
        assert _marked_in_the_filter(app) == "staet:working"
        app.main.filter_bar.fill("xyz:x and more")
        await settle(pilot)
        assert len(list(app.main.tasks.model.keys())) == 3
        said = " ".join(whole_screen(app).split())
        assert 'quoted, "xyz:x" is found as text.' in said  # to its end
        app.main.filter_bar.fill("is:st")
        await settle(pilot)
        assert not sees(app, "#filter-error")
        assert _marked_in_the_filter(app) == ""
        assert "is: stuck" in whole_screen(app).split("\n")[1]


@pytest.mark.parametrize("key", ["enter", "down"])
@pytest.mark.parametrize("wrong", ["state:bogus", '"two', "xyz:x and more"])
async def test_from_a_mistake_the_keyboard_does_not_go_to_the_tasks(wrong: str, key: str) -> None:
    async with running(three_tasks()) as (app, pilot):
        await press(pilot, "slash")
        app.main.filter_bar.fill(wrong)
        await press(pilot, key, key, *"done")
        assert isinstance(app.focused, Input)
        assert app.main.filter_bar.text == f"{wrong}done"
        assert not any(view.archived for view in app.supervisor.views())
        await press(pilot, "escape")
        assert app.main.tasks.has_focus
        assert app.main.filter_bar.text == ""


async def test_in_the_smallest_window_what_is_typed_stays_in_sight() -> None:
    async with running(three_tasks(), size=(40, 10)) as (app, pilot):
        await press(pilot, "slash", *"state:bogus")
        assert whole_screen(app).split("\n")[1].startswith(" /state:bogus ")


def _marked_in_the_filter(app: TasksApp) -> str:
    """Return what stands out in the filter, its cursor apart."""
    line = app.main.filter_bar.query_one(Input).render_line(0)
    marked = (s.text for s in line if s.style is not None and s.style.reverse and s.style.bgcolor)
    return "".join(marked).strip()


async def test_no_match_says_how_to_get_out() -> None:
    async with running(three_tasks()) as (app, pilot):
        await pilot.press("slash", *"nothing-like-it")
        await settle(pilot)
        assert "No task matches the filter" in text_of(app, "#blank")
        await press(pilot, "escape")
        assert sees(app, "#tasks")

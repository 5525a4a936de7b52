"""List and panel share the window as a person wants it; the wall keeps the cursor of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.geometry import Size

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.layout import SINGLE, STACKED, TOO_SMALL, WIDE, PanelSize, layout_of
from mcp_tasks_tui.ui.memory import ScreenMemory
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp_tasks_tui.ui.screens.main import MainScreen

HIDDEN, USUAL, LARGE, WHOLE = PanelSize


@pytest.mark.parametrize(
    ("width", "height", "layout"),
    [
        (160, 50, WIDE),
        (100, 10, WIDE),
        (99, 18, STACKED),
        (80, 24, STACKED),
        (60, 15, SINGLE),
        (40, 10, SINGLE),
        (39, 30, TOO_SMALL),
        (120, 9, TOO_SMALL),
    ],
)
def test_the_window_decides_what_stands_beside_what(width: int, height: int, layout: str) -> None:
    assert layout_of(width, height) == layout


def test_sizes_go_up_to_the_whole_window_and_down_to_the_list_alone() -> None:
    assert [size.larger() for size in PanelSize] == [USUAL, LARGE, WHOLE, WHOLE]
    assert [size.smaller() for size in PanelSize] == [HIDDEN, HIDDEN, USUAL, LARGE]


@pytest.mark.parametrize("size", [HIDDEN, USUAL, LARGE])
def test_a_size_comes_back(size: PanelSize) -> None:
    assert PanelSize.recalled(size.remembered()) is size


@pytest.mark.parametrize(
    "kept", [WHOLE.remembered(), {}, {"panel": 3}, {"panel": "huge"}, {"panel": []}]
)
def test_what_is_no_size_to_come_back_to_is_as_usual(kept: Mapping[str, Any]) -> None:
    assert PanelSize.recalled(kept) is USUAL


def an_app(memory: ScreenMemory | None = None) -> TasksApp:
    tasks = [a_task(f"t{n}", label=f"task {n}") for n in range(1, 4)]
    done = a_task("t4", State.COMPLETED, label="done long ago", changed_at=NOW - 86_400)
    return TasksApp(
        FakeSupervisor.of(*tasks, done),
        config=ScreenConfig(animations=False),
        now=lambda: NOW,
        environ={},
        memory=memory,
    )


def widths(main: MainScreen) -> tuple[int, int]:
    """Return how wide list and panel are, 0 where one is not in view."""
    tasks, panel = main.tasks, main.panel
    return tasks.outer_size.width * tasks.display, panel.outer_size.width * panel.display


def heights(main: MainScreen) -> tuple[int, int]:
    tasks, panel = main.tasks, main.panel
    return tasks.outer_size.height * tasks.display, panel.outer_size.height * panel.display


async def test_the_panel_grows_to_the_whole_window_and_shrinks_to_none(tmp_path: Path) -> None:
    memory = ScreenMemory(tmp_path / "screen.json")
    app = an_app(memory)
    async with app.run_test(size=(120, 30)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        usual = widths(main)
        assert usual[0] > usual[1] > 0
        await pilot.press("plus")
        large = widths(main)
        assert large[1] > large[0] > 40
        assert main.tasks.has_focus  # looking at more of a task is not going to it
        await until(pilot, lambda: memory.recall().get("panel") == "large")
        await pilot.press("plus")
        assert widths(main) == (0, 120)
        assert main.panel.has_focus
        await pilot.press("escape")
        assert widths(main) == large  # back from the whole window: as it was before
        assert main.tasks.has_focus
        await pilot.press("minus")
        assert widths(main) == usual
        await pilot.press("minus")
        assert widths(main)[1] == 0
        await until(pilot, lambda: memory.recall().get("panel") == "hidden")
        await pilot.press("enter")
        assert widths(main) == (0, 120)
        await pilot.press("minus")
        assert widths(main)[1] == 0
        assert main.tasks.has_focus
        await pilot.press("plus")
        assert widths(main) == usual


async def test_a_pinned_task_stays_in_the_panel_whatever_its_size() -> None:
    app = an_app()
    async with app.run_test(size=(120, 30)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        await pilot.press("home", "down", "enter", "P", "escape", "end", "plus", "plus", "plus")
        assert main.tasks.model.cursor != "t2"
        assert main.panel.view is not None
        assert main.panel.view.key == "t2"
        assert widths(main) == (0, 120)
        await pilot.press("minus", "escape")
        assert main.panel.view.key == "t2"


async def test_a_size_stays_over_restarts(tmp_path: Path) -> None:
    memory = ScreenMemory(tmp_path / "screen.json")
    memory.keep(HIDDEN.remembered())
    app = an_app(memory)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.model.shown == 4)
        assert widths(app.main)[1] == 0


async def test_above_each_other_the_sizes_are_heights() -> None:
    app = an_app()
    async with app.run_test(size=(80, 24)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        usual = heights(main)
        await pilot.press("plus")
        large = heights(main)
        assert large[1] > usual[1]
        assert large[0] >= 4
        await pilot.press("plus")
        assert heights(main)[0] == 0
        assert main.panel.has_focus
        await pilot.press("minus", "minus", "minus")
        assert heights(main)[1] == 0
        assert main.tasks.has_focus


async def test_where_there_is_room_for_one_larger_is_the_panel_and_smaller_the_list() -> None:
    app = an_app()
    async with app.run_test(size=(60, 15)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        await pilot.press("plus")
        assert widths(main) == (0, 60)
        await pilot.press("minus")
        assert widths(main)[1] == 0
        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: main.size == Size(120, 30))
        assert widths(main)[1] > 0  # what was done where there was no choice chose nothing


async def test_the_wall_begins_at_the_task_of_the_list_and_leads_back_to_its_own() -> None:
    app = an_app()
    async with app.run_test(size=(120, 30)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        await pilot.press("home", "down")
        assert main.tasks.model.cursor == "t2"
        await pilot.press("v")
        assert main.wall.selected == "t2"
        await pilot.press("right")
        assert main.wall.selected == "t3"
        await pilot.press("v")
        assert main.tasks.model.cursor == "t3"
        main.tasks.select("t4")
        await pilot.press("v")
        assert main.wall.selected  # what has ended is not there: another one
        await pilot.press("escape")
        assert main.tasks.model.cursor == "t4"


async def test_one_card_of_the_wall_fills_it_and_all_come_back() -> None:
    app = an_app()
    async with app.run_test(size=(120, 30)) as pilot:
        main = app.main
        await until(pilot, lambda: main.tasks.model.shown == 4)
        await pilot.press("home", "down", "v", "plus")
        assert main.wall.shown == ["t2"]
        await pilot.press("minus")
        assert sorted(main.wall.shown) == ["t1", "t2", "t3"]
        assert main.wall.selected == "t2"

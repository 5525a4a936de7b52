"""What has the keyboard is what the keys are about: the panel scrolls, and its way out is back."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.commands.keymap import STANDARD
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.widgets.lines.pieces import plain, width_of
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.panel.status import title_line
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.pilot import Pilot


@asynccontextmanager
async def opened(size: tuple[int, int]) -> AsyncIterator[tuple[TasksApp, Pilot[None]]]:
    """The program with the first of three tasks opened, of which there is little to show."""
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"task {n}") for n in range(3)))
    config = ScreenConfig(animations=False)
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={})
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.main.panel.view is not None)
        await pilot.press("enter")
        assert app.main.panel.has_focus
        yield app, pilot


@pytest.mark.parametrize("key", ["q", "escape"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (50, 20)])
async def test_out_of_the_panel_the_way_is_back_to_the_list(
    key: str, size: tuple[int, int]
) -> None:
    async with opened(size) as (app, pilot):
        assert "q quit" not in whole_screen(app).split("\n")[-1]
        await pilot.press(key)
        assert app.is_running
        assert app.main.tasks.has_focus
        assert whole_screen(app).split("\n")[-1].endswith("q quit")
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)


async def test_with_the_list_beside_an_opened_panel_the_last_line_is_that_of_the_list() -> None:
    async with opened((120, 40)) as (app, pilot):
        app.main.tasks.focus()
        await until(pilot, lambda: whole_screen(app).split("\n")[-1].endswith("q quit"))


async def test_keys_that_move_move_the_panel_and_only_two_of_them_go_to_another_task() -> None:
    async with opened((120, 40)) as (app, pilot):
        panel, first = app.main.panel, app.main.tasks.model.cursor
        assert panel.max_scroll_y == 0, "all of it is seen: there is nothing to scroll"
        await pilot.press("down", "j", "pagedown", "space", "end", "G", "up", "k", "home", "pageup")
        assert app.main.tasks.model.cursor == first
        assert not app.main.tasks.model.marks
        await pilot.press("greater_than_sign")
        assert app.main.tasks.model.cursor != first
        assert panel.view is not None
        assert panel.view.key == app.main.tasks.model.cursor
        assert panel.has_focus
        await pilot.press("less_than_sign")
        assert app.main.tasks.model.cursor == first


# --- the title that stays ---------------------------------------------------------------------


def rows(app: BareApp) -> list[str]:
    return [line[:58].strip() for line in whole_screen(app).split("\n")]


async def test_the_title_stays_while_all_the_rest_is_paged_through() -> None:
    view = a_task("k1", label="Nightly build", message="Step 1")
    fake = FakeSupervisor.of(view)
    fake.journals["k1"] = [
        JournalEntry(NOW - 900 + n, Event.MESSAGE, ServerText(f"line {n} of it")) for n in range(60)
    ]
    panel = TaskPanel(fake, now=lambda: NOW)
    app = BareApp(panel)
    async with app.run_test(size=(60, 12)) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "‹ line 59" in panel.shown_text)
        assert panel.title_rows == 0
        every = [plain(line).strip() for line in panel.lines]
        end = 12
        while panel.scroll_offset.y < panel.max_scroll_y:
            await pilot.press("pagedown")
            title, *rest = rows(app)
            begin = panel.scroll_offset.y + 1
            assert title.startswith("● working  Nightly build ──")
            assert begin <= end, "no line is left out"
            end = begin + 11
            assert rest == every[begin:end]
        assert end == len(every)
        failed = a_task("k1", State.FAILED, label="Nightly build", message="Step 1")
        panel.show(failed)
        await until(pilot, lambda: rows(app)[0].startswith("✗ failed  Nightly build ──"))
        await pilot.click(panel, offset=(3, 0))
        assert panel.scroll_offset.y == 0


async def test_what_is_found_is_not_under_the_title() -> None:
    view = a_task("k1", message="Step 1")
    panel = TaskPanel(FakeSupervisor.of(view), now=lambda: NOW)
    app = BareApp(panel)
    async with app.run_test(size=(60, 8)) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        wanted = panel.shown_text.splitlines().index("▾ About " + "─" * 49)
        panel.scroll_to(y=wanted, animate=False, immediate=True)
        panel.find("▾ About")
        await until(pilot, lambda: any(row.startswith("▾ About") for row in rows(app)))


async def test_a_panel_of_a_few_rows_gives_none_away() -> None:
    view = a_task("k1", message="Step 1")
    panel = TaskPanel(FakeSupervisor.of(view), now=lambda: NOW)
    app = BareApp(panel)
    async with app.run_test(size=(60, 4)) as pilot:
        panel.focus()
        panel.show(view)
        await until(pilot, lambda: "› saved" in panel.shown_text)
        await pilot.press("down")
        assert panel.scroll_offset.y == 1
        assert rows(app)[0] == plain(panel.lines[1]).strip()


@pytest.mark.parametrize("width", [16, 30, 40, 60, 120])
def test_the_title_says_which_task_and_how_it_stands_at_any_width(width: int) -> None:
    view = a_task(label="Nightly build of everything that there is")
    line = title_line(PanelFacts(view, NOW, width, 40))
    assert width_of(line) == width
    assert plain(line).startswith("● working  Nigh")
    whole = title_line(PanelFacts(view, NOW, 120, 40))
    assert "Nightly build of everything that there is ──" in plain(whole)


# --- what help says of it ---------------------------------------------------------------------


def test_the_keys_of_a_place_come_before_those_of_the_screen_around_it() -> None:
    here = STANDARD.at(Place.PANEL)
    assert here.of("panel.leave") == ("escape", "q")
    assert here.of("program.quit") == ("ctrl+q",)
    assert here.of("list.down") == ("greater_than_sign",)
    assert here.of("list.sort") == STANDARD.of("list.sort")
    assert here.of("viewer.leave") == STANDARD.of("viewer.leave")
    assert STANDARD.at(Place.MAIN) == STANDARD


async def test_the_palette_names_the_keys_of_where_it_was_opened() -> None:
    def key_of_quit(app: TasksApp) -> str:
        lines = [line.rstrip() for line in whole_screen(app).split("\n")]
        return next((line.split()[-1] for line in lines if " Quit " in line), "")

    async with opened((80, 24)) as (app, pilot):
        for before, key in (([], "^q"), (["escape", "escape"], "q")):
            await pilot.press(*before, "ctrl+p", *"quit")
            await until(pilot, lambda: bool(key_of_quit(app)))
            assert key_of_quit(app) == key

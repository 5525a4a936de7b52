"""On the wall keys move the cursor of the cards; those about the hidden list say that they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.commands.about_list import holds_at
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.vocabulary import BY_ID
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.screens.result import ResultScreen
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task
from tests.ui.running import QUESTION, press, running, settle, toasts

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.ui.app import TasksApp

_DOWN = "http://b/mcp"


def _tasks() -> FakeSupervisor:
    """Cards in this order: asks, stuck, runs, over there; in the list: done too."""
    return FakeSupervisor.of(
        a_task(
            "asks",
            State.INPUT_REQUIRED,
            requests={"q": QUESTION},
            attention=[Reason.INPUT_REQUIRED],
        ),
        a_task("stuck", attention=[Reason.STUCK]),
        a_task("runs", saved_at=NOW - 60),
        a_task("there", server="billing", server_url=_DOWN, saved_at=NOW - 30),
        a_task("done", State.COMPLETED, changed_at=NOW - 7200),
        servers=[a_server(), a_server(_DOWN, "billing", Health.DOWN, "refused")],
    )


def _unseen(app: TasksApp) -> tuple[Any, ...]:
    """What there is of the list that the wall hides."""
    main = app.main
    model = main.tasks.model
    choice = main._looking.choice
    return model.cursor, [*model.keys()], set(model.marks), model.frozen, choice, choice.filter.text


@pytest.mark.parametrize(
    ("keys", "card"),
    [
        (["exclamation_mark"], "stuck"),
        (["end", "i"], "asks"),
        (["X"], "there"),
        (["G"], "there"),
        (["end", "home"], "asks"),
        (["greater_than_sign", "greater_than_sign", "less_than_sign"], "stuck"),
    ],
)
@pytest.mark.parametrize("size", [(120, 40), (60, 15)])
async def test_a_way_leads_from_card_to_card(
    keys: list[str], card: str, size: tuple[int, int]
) -> None:
    async with running(_tasks(), size=size) as (app, pilot):
        await press(pilot, "v")
        await press(pilot, "home")
        assert [view.key for view in app.main.wall.views] == ["asks", "stuck", "runs", "there"]
        before = _unseen(app)
        await press(pilot, *keys)
        assert app.main.wall.selected == card
        assert card in app.main.wall.shown
        assert _unseen(app) == before


async def test_where_no_card_is_looked_for_that_is_said() -> None:
    async with running(FakeSupervisor.of(a_task("runs"), a_task("too"))) as (app, pilot):
        await press(pilot, "v", "i")
        assert toasts(app) == ["no card waits for an answer"]
        await press(pilot, "v", "i")
        assert toasts(app) == ["no task in view waits for an answer"]


@pytest.mark.parametrize("key", ["s", "S", "g", "f", "space", "A", "D", "slash"])
async def test_what_is_about_the_list_changes_nothing_unseen(key: str) -> None:
    async with running(_tasks()) as (app, pilot):
        await press(pilot, "v")
        before = _unseen(app)
        await press(pilot, key)
        assert _unseen(app) == before
        assert app.main.wall.has_focus
        [told] = toasts(app)
        assert told.endswith(": about the list (v shows it)")


async def test_what_does_nothing_on_the_wall_is_not_offered_there() -> None:
    async with running(_tasks(), size=(150, 60)) as (app, pilot):
        await press(pilot, "v")
        offered = {command.id for command in app.main.commands_here()}
        assert offered >= {"wall.first", "task.next_attention", "view.wall", "list.clear"}
        about_list = [each for each in BY_ID if not holds_at(each, Place.WALL)]
        assert len(about_list) > 10
        assert offered.isdisjoint(about_list)
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "i")
        said = whole_screen(app).split()
        assert {"wall.leave", "task.next_attention", "view.wall"} <= {*said}
        assert not {*said} & {*about_list}
        await press(pilot, "escape", "ctrl+p", *"sort by")
        await until(pilot, lambda: "No matches" in whole_screen(app))


@pytest.mark.parametrize("key", ["q", "escape", "v"])
async def test_a_way_back_leads_to_the_list(key: str) -> None:
    async with running(_tasks()) as (app, pilot):
        await press(pilot, "v", "end")
        await press(pilot, key)
        assert app.is_running
        assert app.main.tasks.has_focus
        assert app.main.tasks.model.cursor == "there"


async def test_what_is_read_of_a_task_is_of_that_of_the_card() -> None:
    fake = FakeSupervisor.of(a_task("runs"), a_task("done", State.COMPLETED, changed_at=NOW))
    async with running(fake) as (app, pilot):
        await press(pilot, "v", "home", "end")
        assert app.main.wall.selected == "done"
        await press(pilot, "w")
        assert isinstance(app.screen, ResultScreen)
        await app.pop_screen()
        assert app.main.wall.has_focus
        await press(pilot, "J")
        assert app.main.panel.view is not None
        assert app.main.panel.view.key == "done"
        assert not app.main.has_class("-wall")


async def test_whatever_shows_the_list_leaves_the_wall() -> None:
    async with running(_tasks()) as (app, pilot):
        main = app.main
        shown: tuple[Callable[[], None], ...] = (
            partial(app.go_to, "done"),
            partial(app.show_only, "is:stuck"),
            partial(app.filter_by, "runs"),
        )
        for show in shown:
            await press(pilot, "v")
            assert main.wall.has_focus
            show()
            await settle(pilot)
            assert main.tasks.has_focus
            assert not main.has_class("-wall")
        await press(pilot, "escape", "v")
        app.go_to("stuck")
        assert (main.wall.has_focus, main.wall.selected) == (True, "stuck")

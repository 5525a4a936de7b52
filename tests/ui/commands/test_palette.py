"""The palette offers first what makes sense now, and never floods with tasks."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.filter import parse_filter
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.tally import Tally
from mcp_tasks_tui.supervise.view import TaskView
from mcp_tasks_tui.ui.commands.footer_keys import (
    FooterKey,
    commands_here,
    footer_commands,
    footer_keys,
)
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.commands.palette import FILTERS, found
from mcp_tasks_tui.ui.commands.vocabulary import available
from tests.ui.fakes import NOW, a_server, a_task

_KEYMAP = read_keymap({}, available(read_only=False))


def _keys(
    view: TaskView | None, servers: list[ServerView] | None = None, here: Place = Place.MAIN
) -> list[FooterKey]:
    tally = Tally()
    tally.take([] if view is None else [view])
    return footer_keys(_KEYMAP, view, here, tally.counts(), servers or [])


def _footer(view: TaskView | None, servers: list[ServerView] | None = None) -> list[str]:
    return [command.id for command in footer_commands(_keys(view, servers))]


_DOWN = a_server("http://b/mcp", "b", Health.DOWN)


@pytest.mark.parametrize(
    ("view", "first"),
    [
        (a_task(), ["task.open", "task.cancel", "task.poll"]),
        (
            a_task(server_url="http://b/mcp"),
            ["task.open", "server.retry", "task.cancel", "task.poll"],
        ),
    ],
)
def test_while_a_server_is_ill_the_keys_about_it_are_shown(
    view: TaskView, first: list[str]
) -> None:
    footer = _footer(view, [a_server(), _DOWN])
    assert footer[: len(first)] == first
    assert "server.next" in footer


def test_a_server_that_is_only_held_can_be_gone_to_and_needs_no_retry() -> None:
    keys = _footer(a_task(), [a_server(held=True)])
    assert "server.next" in keys
    assert "server.retry" not in keys


@pytest.mark.parametrize("view", [None, a_task()])
def test_while_all_servers_are_well_they_are_not(view: TaskView | None) -> None:
    assert not {"server.next", "server.retry"} & set(_footer(view, [a_server()]))


def test_commands_of_this_place_alone_are_offered_those_of_the_footer_first() -> None:
    asks = a_task(state=State.INPUT_REQUIRED, requests={"q": {}})
    for place in (Place.MAIN, Place.PANEL, Place.WALL):
        footer = footer_commands(_keys(asks, here=place))
        commands = commands_here(_KEYMAP, place, footer)
        assert commands[: len(footer)] == footer
        assert {command.place for command in commands} == {Place.MAIN, place}
        assert len(commands) == len({command.id for command in commands})


def test_every_filter_by_name_is_one_that_can_be_typed() -> None:
    for name, text in FILTERS.items():
        assert name.startswith("Filter: ")
        assert parse_filter(text).tests
    assert FILTERS["Filter: stuck"] == "is:stuck"


def test_tasks_are_found_by_name_first_then_by_what_else_they_are_called() -> None:
    views = [
        a_task("t1", label="crawl", server="build-farm"),
        a_task("t2", label="Nightly build"),
        a_task("t3", label="Build checkout"),
        a_task("t4", label="deploy", task_id="deploy-77", server="x"),
    ]
    assert [view.key for _, view in found("build", views)] == ["t3", "t2", "t1"]
    assert [view.key for _, view in found("-77", views)] == ["t4"]
    scores = [score for score, _ in found("build", views)]
    assert scores == sorted(scores, reverse=True)


def test_of_tasks_that_fit_alike_those_that_go_on_come_first() -> None:
    views = [
        a_task("t1", label="build 1", archived_at=NOW),
        a_task("t2", State.COMPLETED, label="build 2"),
        a_task("t3", label="build 3"),
    ]
    assert [view.key for _, view in found("build", views)] == ["t3", "t2", "t1"]


@pytest.mark.parametrize("query", ["", " ", "b", " b "])
def test_one_letter_finds_no_tasks(query: str) -> None:
    assert not found(query, [a_task(label="build")])

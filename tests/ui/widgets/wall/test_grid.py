"""Which tasks are on the wall, and how its cards share the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import RECENT
from mcp_tasks_tui.supervise.view import Attention, Reason
from mcp_tasks_tui.ui.widgets.wall.grid import grid_for, on_the_wall, page_of
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


def keys(views: list[TaskView]) -> list[str]:
    return [view.key for view in views]


def test_the_most_urgent_first_and_the_rest_never_moves() -> None:
    views = [
        a_task("old", saved_at=NOW - 900),
        a_task("new", saved_at=NOW - 5),
        a_task("stuck", attention=[Reason.STUCK]),
        a_task("asks", State.INPUT_REQUIRED, attention=[Reason.INPUT_REQUIRED]),
        a_task(
            "longer", State.INPUT_REQUIRED, attention=[Attention(Reason.INPUT_REQUIRED, 1, "x")]
        ),
    ]
    order = ["longer", "asks", "stuck", "old", "new"]
    assert keys(on_the_wall(views, NOW)) == order
    assert keys(on_the_wall(reversed(views), NOW)) == order


def test_what_failed_or_got_lost_comes_before_what_runs_and_after_what_wants_a_person() -> None:
    views = [
        a_task("runs"),
        a_task("cancelled", State.CANCELLED, changed_at=NOW - 10),
        a_task("failed", State.FAILED, changed_at=NOW - 10),
        a_task("gone", State.GONE, changed_at=NOW - 10, saved_at=NOW - 900),
        a_task("stuck", attention=[Reason.STUCK]),
    ]
    assert keys(on_the_wall(views, NOW)) == ["stuck", "gone", "failed", "runs", "cancelled"]


def test_what_ended_stays_a_while_behind_what_runs() -> None:
    views = [
        a_task("done", State.COMPLETED, changed_at=NOW - 10),
        a_task("long-done", State.COMPLETED, changed_at=NOW - RECENT - 1),
        a_task("runs"),
        a_task("hidden", archived_at=NOW),
    ]
    assert keys(on_the_wall(views, NOW)) == ["runs", "done"]


def test_a_task_alone_stays_whatever_became_of_it() -> None:
    assert keys(on_the_wall([a_task("k", State.FAILED, changed_at=NOW - 9999)], NOW)) == ["k"]


@given(st.integers(1, 60), st.integers(1, 250), st.integers(1, 80))
def test_panels_fill_the_window_without_overlap(count: int, w: int, h: int) -> None:
    grid = grid_for(count, w, h)
    shown = min(count, grid.capacity)
    for row in range(-(-shown // grid.columns)):
        places = [
            grid.place(row * grid.columns + n, shown) for n in range(grid.columns_in(row, shown))
        ]
        assert sum(width for _, _, width, _ in places) == w
        assert {(y, high) for _, y, _, high in places} == {grid.row(row)}
    assert sum(grid.row(n)[1] for n in range(grid.rows)) == h
    assert all(grid.row_at(y) < grid.rows for y in range(h))


def test_the_last_row_is_filled_by_those_that_are_in_it() -> None:
    grid = grid_for(3, 120, 38)
    assert (grid.columns, grid.rows) == (2, 2)
    assert [grid.place(n, 3) for n in range(3)] == [
        (0, 0, 60, 19),
        (60, 0, 60, 19),
        (0, 19, 120, 19),
    ]


@pytest.mark.parametrize(
    ("count", "size", "shape"),
    [
        (1, (160, 50), (1, 1)),
        (2, (160, 50), (2, 1)),
        (4, (160, 50), (2, 2)),
        (90, (100, 30), (2, 3)),
        (10, (100, 30), (2, 5)),
        (28, (160, 49), (4, 7)),
        (60, (160, 49), (4, 4)),
        (60, (120, 38), (3, 3)),
        (60, (80, 22), (2, 2)),
        (60, (60, 13), (1, 2)),
    ],
)
def test_as_large_as_they_can_be(count: int, size: tuple[int, int], shape: tuple[int, int]) -> None:
    grid = grid_for(count, *size)
    assert (grid.columns, grid.rows) == shape


def test_pages() -> None:
    assert page_of(["a", "b", "c"], 0, 2) == (0, ["a", "b"])
    assert page_of(["a", "b", "c"], 9, 2) == (1, ["c"])
    assert page_of([], 3, 2) == (0, [])

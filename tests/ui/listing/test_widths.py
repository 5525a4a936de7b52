"""What the columns have to hold: it grows with what is seen and does not jump back and forth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Coverage, TaskView
from mcp_tasks_tui.ui.listing.columns import Needs
from mcp_tasks_tui.ui.widgets.tasks.widths import TaskWidths
from tests.ui.fakes import NOW, a_task


def _all(view: TaskView) -> bool:
    return True


def _needs(*views: TaskView, seen: bool = True) -> Needs:
    widths = TaskWidths()
    widths.take_in(views, NOW, _all, seen=seen)
    return widths.needs(NOW, server=True)


def test_names_ask_for_their_cells_and_no_name_for_the_whole_list() -> None:
    needs = _needs(
        a_task("t1", label="処理"), a_task("t2", label="処理"), a_task("t3", label="abc")
    )
    assert (needs.name, needs.longest) == (4, 4)
    needs = _needs(*(a_task(f"t{n}", label="x" * 500) for n in range(2)))
    assert (needs.name, needs.longest) == (40, 40)


def test_a_long_name_takes_no_column_from_all_the_others() -> None:
    few, long = [a_task(f"t{n}", label=f"task-{n:02}") for n in range(5)], "x" * 60
    widths = TaskWidths()
    # Though it comes first.
    for view in (a_task("long", label=long), *few):
        widths.take_in([view], NOW, _all)
    before = widths.needs(NOW, server=True)
    assert (before.name, before.longest) == (len("task-00"), 40)
    # Said of the same task once more it is still one name; and what is gone from view is none.
    for _ in range(9):
        widths.take_in([a_task("long", label=long)], NOW, _all)
        widths.take_in([a_task("long", label=long)], NOW, lambda _: False)
    assert widths.needs(NOW, server=True) == before
    widths.take_in([a_task(f"t{n}", label=long) for n in range(4)], NOW, _all)
    assert widths.needs(NOW, server=True).name == 40


def test_servers_are_named_when_there_are_several() -> None:
    one, other = a_task("t1", server="build"), a_task("t2", server="training")
    assert _needs(one).server == 0
    assert _needs(one, other).server == len("training")
    ill = replace(other, coverage=Coverage.PAUSED)
    assert _needs(one, ill).server == len("✗ training")


def test_progress_is_told_when_a_running_task_has_one() -> None:
    assert not _needs(a_task(message="on")).progress
    assert not _needs(a_task(state=State.COMPLETED, fraction=1.0)).progress
    assert _needs(a_task(), a_task("t2", fraction=0.5)).progress


_SLOW = a_task(read_at=NOW - 2, next_read_at=NOW + 28)


@pytest.mark.parametrize(
    ("view", "matters"),
    [
        (a_task(coverage=Coverage.PUSHED, read_at=NOW - 500), False),
        (a_task(coverage=Coverage.PUSHED, failures=2), True),
        (a_task(read_at=NOW - 2, next_read_at=NOW + 3), False),
        (a_task(read_at=NOW - 40, next_read_at=None), True),
        (a_task(read_at=None), False),
        (a_task(failures=1), True),
        (_SLOW, True),
        (a_task(coverage=Coverage.HELD, read_at=NOW - 500), False),
        (a_task(coverage=Coverage.PAUSED, read_at=NOW - 500), False),
        (a_task(state=State.COMPLETED, read_at=NOW - 500), False),
    ],
)
def test_reading_matters_where_a_row_differs_from_most(view: TaskView, matters: bool) -> None:
    assert _needs(a_task("t0"), view).read is matters


@pytest.mark.parametrize(
    ("view", "told"),
    [
        (_SLOW, True),
        (a_task(coverage=Coverage.PAUSED, next_read_at=NOW + 40), True),
        (a_task(coverage=Coverage.PUSHED, failures=2), True),
        (a_task(coverage=Coverage.PUSHED), False),
        (a_task(held=True), False),
        (a_task(next_read_at=None), False),
        (a_task(state=State.COMPLETED), False),
    ],
)
def test_room_for_the_next_read_is_asked_for_where_one_is_told(view: TaskView, told: bool) -> None:
    assert _needs(a_task("t0", coverage=Coverage.PUSHED), view).next is told


def test_a_first_read_of_a_task_that_is_pushed_then_changes_no_column() -> None:
    widths = TaskWidths()
    pushed = a_task(coverage=Coverage.PUSHED)
    told = []
    for now, view in ((0, pushed), (1, a_task()), (2, pushed), (20, a_task()), (30, a_task())):
        widths.take_in([view], NOW + now, _all)
        told.append(widths.needs(NOW + now, server=True).next)
    assert told == [False, False, False, False, True]


def test_what_nobody_sees_may_be_fresher_than_it_looks() -> None:
    old = a_task(read_at=NOW - 40, next_read_at=NOW - 36)
    assert _needs(old).read
    assert not _needs(old, seen=False).read
    assert _needs(_SLOW, seen=False).read


def test_a_column_that_had_something_to_say_stays() -> None:
    widths = TaskWidths()
    pushed = replace(_SLOW, coverage=Coverage.PUSHED)
    older = a_task("t2", coverage=Coverage.PUSHED, saved_at=NOW - 7200)
    widths.take_in([_SLOW, older], NOW, _all)
    before = widths.needs(NOW, server=True)
    assert (before.read, before.next, before.age) == (True, True, True)
    for now in (1, 60, 3600, 86_400):
        widths.take_in([pushed, older], NOW + now, _all)
        assert widths.needs(NOW + now, server=True) == before


def test_the_column_of_reads_joins_only_for_what_lasts() -> None:
    widths = TaskWidths()
    pushed = replace(_SLOW, coverage=Coverage.PUSHED)
    told = []
    for now, view in ((0, pushed), (1, _SLOW), (9, _SLOW), (10, pushed), (12, _SLOW), (22, _SLOW)):
        widths.take_in([view], NOW + now, _all)
        told.append(widths.needs(NOW + now, server=True).read)
    assert told == [False, False, False, False, False, True]
    at_once = TaskWidths()
    at_once.take_in([pushed], NOW, _all)
    at_once.take_in([replace(pushed, snapshot=a_task(failures=1).snapshot)], NOW + 1, _all)
    needs = at_once.needs(NOW + 1, server=True)
    assert (needs.read, needs.next) == (True, True)


def test_nothing_shrinks_until_the_list_is_arranged_otherwise() -> None:
    widths = TaskWidths()
    widths.take_in([a_task("t1", label="a long name", fraction=0.5)], NOW, _all)
    before = widths.needs(NOW, server=True)
    widths.take_in([a_task("t1", label="short", state=State.COMPLETED)], NOW, _all)
    assert widths.needs(NOW, server=True) == before
    widths.forget()
    widths.take_in([a_task("t1", label="short", state=State.COMPLETED)], NOW, _all)
    assert widths.needs(NOW, server=True) == Needs(
        name=0, server=0, progress=False, read=False, next=False, age=False, longest=5
    )


def test_ages_are_told_where_they_differ_as_they_are_shown() -> None:
    tasks = [a_task(f"t{n}", saved_at=NOW - saved) for n, saved in enumerate((3000, 3010, 7200))]
    assert not _needs(*tasks[:2]).age
    assert _needs(*tasks).age


def test_what_the_list_hides_asks_for_nothing() -> None:
    widths = TaskWidths()
    widths.take_in([a_task("t2", coverage=Coverage.PUSHED)], NOW, _all)
    for now in (1, 20, 60):
        widths.take_in([_SLOW], NOW + now, lambda _: False)
        assert not widths.needs(NOW + now, server=True).read

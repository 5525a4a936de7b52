"""The order of the list, its groups and its counts."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import (
    Counts,
    Group,
    GroupBy,
    SortBy,
    Tally,
    arrange,
    group_of,
    grouped,
    order_of,
)
from mcp_tasks_tui.supervise.view import Reason, TaskView
from tests.supervise.samples import NOON, a_view


def order(views: list[TaskView], by: SortBy, *, reverse: bool = False) -> list[str]:
    return [view.key for view in arrange(views, by, reverse=reverse)]


def test_what_wants_a_person_comes_first_then_what_runs_then_what_ended() -> None:
    views = [
        a_view("ended", state=State.COMPLETED, saved_at=NOON + 9),
        a_view("running", saved_at=NOON),
        a_view("younger", saved_at=NOON + 1),
        a_view("failing", attention=(Reason.READ_FAILING,)),
        a_view("cancel", attention=(Reason.CANCEL_UNANSWERED,)),
        a_view("expiring", attention=(Reason.EXPIRING,)),
        a_view("stuck", attention=(Reason.STUCK, Reason.EXPIRING)),
        a_view("asks", attention=(Reason.INPUT_REQUIRED, Reason.EXPIRING)),
    ]
    assert order(views, SortBy.ATTENTION) == [
        *("asks", "stuck", "expiring", "cancel", "failing", "younger", "running", "ended"),
    ]


def test_by_state_who_asks_comes_first_and_gone_last() -> None:
    views = [a_view(state.value, state=state) for state in State]
    assert order(views, SortBy.STATE) == [
        *("input_required", "working", "unknown", "failed", "tool_error"),
        *("completed", "cancelled", "gone"),
    ]


def test_by_server_in_any_case() -> None:
    views = [a_view("1", server="beta"), a_view("2", server="Alpha"), a_view("3", server="gamma")]
    assert order(views, SortBy.SERVER) == ["2", "1", "3"]


def test_by_age_and_by_last_change_the_newest_first() -> None:
    views = [
        a_view("old", saved_at=NOON - 9, changed_at=NOON + 9),
        a_view("new", saved_at=NOON + 9, changed_at=NOON),
        a_view("never", saved_at=NOON, changed_at=None),
    ]
    assert order(views, SortBy.AGE) == ["new", "never", "old"]
    assert order(views, SortBy.CHANGED) == ["old", "new", "never"]
    assert order(views, SortBy.AGE, reverse=True) == ["old", "never", "new"]


def test_by_label_as_people_count() -> None:
    names = ["build 10", "Build 2", "build", "9 lives", "build 2b", "²", "zeta"]
    views = [a_view(name, label=name) for name in names]
    assert order(views, SortBy.LABEL) == [
        *("9 lives", "build", "Build 2", "build 2b", "build 10", "zeta", "²"),
    ]


VIEWS = st.lists(
    st.builds(
        a_view,
        key=st.text("abc", min_size=1, max_size=3),
        state=st.sampled_from(State),
        server=st.sampled_from(["a", "B"]),
        label=st.none() | st.text(),
        saved_at=st.sampled_from([NOON, NOON + 1]),
        attention=st.just(()) | st.tuples(st.sampled_from(Reason)),
    ),
    unique_by=lambda view: view.key,
)


@given(VIEWS, st.sampled_from(SortBy), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_order_before(
    views: list[TaskView], by: SortBy, reverse: bool, chance: Random
) -> None:
    shuffled = list(views)
    chance.shuffle(shuffled)
    assert order(views, by, reverse=reverse) == order(shuffled, by, reverse=reverse)
    assert sorted(order(views, by)) == sorted(view.key for view in views)


@given(VIEWS, st.sampled_from([GroupBy.SERVER, GroupBy.STATE]))
def test_groups_hold_every_task_once_in_its_order(views: list[TaskView], by: GroupBy) -> None:
    arranged = arrange(views)
    groups = grouped(arranged, by)
    assert sum(group.count for group in groups) == len(views)
    assert len({group.title for group in groups}) == len(groups)
    for group in groups:
        assert list(group.views) == [view for view in arranged if view in group.views]


def test_groups_by_server_and_by_state() -> None:
    asks = a_view(
        "1", server="beta", state=State.INPUT_REQUIRED, attention=(Reason.INPUT_REQUIRED,)
    )
    works = a_view("2", server="alpha")
    done = a_view("3", server="beta", state=State.COMPLETED)
    views = [asks, works, done]
    assert grouped(views, GroupBy.SERVER) == [
        Group("alpha", (works,), 0),
        Group("beta", (asks, done), 1),
    ]
    assert [(group.title, group.count) for group in grouped(views, GroupBy.STATE)] == [
        ("needs input", 1),
        ("working", 1),
        ("completed", 1),
    ]


def test_two_servers_of_one_name_are_two_groups() -> None:
    views = [
        a_view("1", server="x", server_url="http://a/"),
        a_view("2", server="x", server_url="http://b/"),
    ]
    assert [group.count for group in grouped(views, GroupBy.SERVER)] == [1, 1]


def test_without_groups_there_is_one_without_a_title() -> None:
    view = a_view()
    assert grouped([view], GroupBy.NONE) == [Group("", (view,), 0)]
    assert grouped([], GroupBy.NONE) == grouped([], GroupBy.STATE) == []


def test_counts_by_state_and_by_most_urgent_reason() -> None:
    views = [
        a_view("1", state=State.COMPLETED),
        a_view("2", attention=(Reason.STUCK, Reason.EXPIRING)),
        a_view("3"),
        a_view("4", state=State.INPUT_REQUIRED, attention=(Reason.INPUT_REQUIRED,)),
    ]
    found = _counted(views)
    assert found == Counts(
        4,
        {State.INPUT_REQUIRED: 1, State.WORKING: 2, State.COMPLETED: 1},
        {Reason.INPUT_REQUIRED: 1, Reason.STUCK: 1},
    )
    assert list(found.states) == [State.INPUT_REQUIRED, State.WORKING, State.COMPLETED]
    assert found.attention == 2
    assert _counted([]) == Counts(0, {}, {})


def test_archived_tasks_are_not_counted() -> None:
    tally = Tally()
    tally.take([a_view("1"), a_view("2")])
    tally.take([a_view("1", archived_at=NOON)])
    assert tally.counts() == Counts(1, {State.WORKING: 1}, {})
    tally.take([a_view("1")])
    assert tally.counts() == Counts(2, {State.WORKING: 2}, {})


@given(VIEWS, VIEWS)
def test_counts_kept_by_single_changes_are_the_same(
    before: list[TaskView], after: list[TaskView]
) -> None:
    tally = Tally()
    for view in (*before, *after):
        tally.take([view])
    last = {view.key: view for view in (*before, *after)}
    assert tally.counts() == _counted(last.values())


def _counted(views: Iterable[TaskView]) -> Counts:
    tally = Tally()
    tally.take(views)
    return tally.counts()


@given(VIEWS, st.sampled_from(SortBy))
def test_a_list_kept_by_single_changes_has_the_same_order(
    views: list[TaskView], by: SortBy
) -> None:
    kept = sorted(views, key=lambda view: (order_of(view, by), view.key))
    assert [view.key for view in kept] == order(views, by)


@given(VIEWS, st.sampled_from([GroupBy.SERVER, GroupBy.STATE]))
def test_a_list_kept_by_single_changes_has_the_same_groups(
    views: list[TaskView], by: GroupBy
) -> None:
    titles = [name for _, name in sorted({group_of(view, by) for view in views})]
    assert titles == [group.title for group in grouped(views, by)]

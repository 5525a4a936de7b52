"""The order of the list, and its groups."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import Snapshot, State
from mcp_tasks_tui.supervise.arrange import (
    GroupBy,
    SortBy,
    arrange,
    group_of,
    moves_at,
    order_of,
)
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason, TaskView
from tests.supervise.samples import NOON, a_view


def order(views: list[TaskView], by: SortBy, *, reverse: bool = False) -> list[str]:
    return [view.key for view in arrange(views, by, reverse=reverse)]


def test_what_wants_a_person_comes_first_then_what_runs_then_what_ended() -> None:
    views = [
        a_view("ended", state=State.COMPLETED, saved_at=NOON + 9),
        a_view("lost", state=State.FAILED, saved_at=NOON + 9),
        a_view("running", saved_at=NOON),
        a_view("younger", saved_at=NOON + 1),
        replace(a_view("away", saved_at=NOON + 2), coverage=Coverage.PAUSED),
        a_view("failing", attention=(Reason.READ_FAILING,)),
        a_view("cancel", attention=(Reason.CANCEL_UNANSWERED,)),
        a_view("expiring", attention=(Reason.STUCK, Reason.EXPIRING)),
        a_view("stuck", attention=(Reason.STUCK,)),
        a_view("asks", attention=(Reason.INPUT_REQUIRED,)),
        a_view("asks and expires", attention=(Reason.INPUT_REQUIRED, Reason.EXPIRING)),
    ]
    assert order(views, SortBy.ATTENTION) == [
        *("asks and expires", "expiring", "asks", "stuck", "cancel", "failing"),
        *("younger", "running", "away", "lost", "ended"),
    ]


def test_among_equals_what_waits_longest_and_what_expires_soonest_comes_first() -> None:
    def since(key: str, reason: Reason, at: float) -> TaskView:
        return replace(a_view(key), attention=(Attention(reason, at, ""),))

    waits = [since(f"waits {n}", Reason.INPUT_REQUIRED, NOON - n) for n in (20, 900, 90)]
    stuck = [since(f"stuck {n}", Reason.STUCK, NOON - n) for n in (60, 4000)]
    expires = [
        replace(
            since(f"ends {minutes}", Reason.EXPIRING, NOON - minutes),
            snapshot=Snapshot(
                status="working",
                ttl_known=True,
                ttl_ms=minutes * 60_000,
                created_at="2026-11-29T12:00:00Z",
            ),
        )
        for minutes in (5, 2)
    ]
    assert order([*stuck, *waits, *expires], SortBy.ATTENTION) == [
        *("ends 2", "ends 5", "waits 900", "waits 90", "waits 20", "stuck 4000", "stuck 60"),
    ]


def test_an_end_that_went_wrong_is_news_for_a_while_and_never_hides_among_good_ones() -> None:
    views = [
        a_view("runs"),
        a_view("cancelled", state=State.CANCELLED, changed_at=NOON - 1),
        a_view("completed", state=State.COMPLETED, changed_at=NOON - 2),
        a_view("error", state=State.TOOL_ERROR, changed_at=NOON - 5000),
        a_view("failed", state=State.FAILED, changed_at=NOON - 20),
        replace(
            a_view("gone", state=State.GONE, changed_at=NOON - 9000),
            snapshot=Snapshot(status="working", gone_at=NOON - 10, changed_at=NOON - 9000),
        ),
    ]
    now = [view.key for view in arrange(views, now=NOON)]
    assert now == ["gone", "failed", "runs", "error", "cancelled", "completed"]
    moments = [at for view in views if (at := moves_at(view)) is not None and at > NOON]
    later = [view.key for view in arrange(views, now=max(moments))]
    assert later == ["runs", "gone", "failed", "error", "cancelled", "completed"]
    assert later == order(views, SortBy.ATTENTION)


def test_by_state_who_asks_comes_first_and_gone_last() -> None:
    views = [a_view(state.value, state=state) for state in State]
    assert order(views, SortBy.STATE) == [
        *("input_required", "working", "unknown", "failed", "tool_error"),
        *("completed", "cancelled", "gone"),
    ]


def test_by_state_equal_words_stand_together_and_the_stuck_are_a_group() -> None:
    views = [
        a_view(f"{word}{n}", attention=reasons, saved_at=NOON - n)
        for n, (word, reasons) in enumerate([("s", (Reason.STUCK,)), ("w", ())] * 3)
    ]
    assert order(views, SortBy.STATE) == ["s0", "s2", "s4", "w1", "w3", "w5"]
    assert order(views, SortBy.STATE, reverse=True) == ["w1", "w3", "w5", "s0", "s2", "s4"]
    assert groups(views, GroupBy.STATE) == [
        ("stuck", ["s0", "s2", "s4"]),
        ("working", ["w1", "w3", "w5"]),
    ]


def test_by_state_what_was_answered_and_what_has_a_status_of_its_own_stands_together() -> None:
    asking = Snapshot(status="input_required", input_requests={"q": {}})
    views = [
        replace(
            a_view(f"{n}", state=State.INPUT_REQUIRED, snapshot=asking, saved_at=NOON - n),
            open_requests=(() if n % 2 else ("q",)),
        )
        for n in range(4)
    ]
    views += [
        a_view(status + str(n), state=State.UNKNOWN, snapshot=Snapshot(status=status), saved_at=n)
        for n in range(2)
        for status in ("queued", "asleep")
    ]
    assert order(views, SortBy.STATE) == [
        *("0", "2", "1", "3"),
        *("asleep1", "asleep0", "queued1", "queued0"),
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


def test_by_progress_what_runs_and_is_furthest_first_and_what_tells_none_last_either_way() -> None:
    views = [
        replace(a_view(name, state=state, saved_at=NOON - n), progress=progress)
        for n, (name, state, progress) in enumerate(
            [
                ("ended", State.COMPLETED, Progress(1.0, "100%")),
                ("none", State.WORKING, None),
                ("half", State.WORKING, Progress(0.5, "50%")),
                ("most", State.WORKING, Progress(0.9, "90%")),
            ]
        )
    ]
    assert order(views, SortBy.PROGRESS) == ["most", "half", "ended", "none"]
    assert order(views, SortBy.PROGRESS, reverse=True) == ["half", "most", "ended", "none"]


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


def groups(views: list[TaskView], by: GroupBy) -> list[tuple[str, list[str]]]:
    """The title of each group in order, and what is in it."""
    places = sorted({group_of(view, by) for view in views})
    return [
        (place[1], [view.key for view in views if group_of(view, by) == place]) for place in places
    ]


def test_groups_by_server_and_by_state() -> None:
    asks = a_view("1", server="beta", state=State.INPUT_REQUIRED)
    works = a_view("2", server="alpha")
    done = a_view("3", server="beta", state=State.COMPLETED)
    views = [asks, works, done]
    assert groups(views, GroupBy.SERVER) == [("alpha", ["2"]), ("beta", ["1", "3"])]
    assert groups(views, GroupBy.STATE) == [
        ("needs input", ["1"]),
        ("working", ["2"]),
        ("completed", ["3"]),
    ]


def test_two_servers_of_one_name_are_two_groups() -> None:
    views = [
        a_view("1", server="x", server_url="http://a/"),
        a_view("2", server="x", server_url="http://b/"),
    ]
    assert groups(views, GroupBy.SERVER) == [("x", ["1"]), ("x", ["2"])]


@given(VIEWS, st.sampled_from(SortBy))
def test_a_list_kept_by_single_changes_has_the_same_order(
    views: list[TaskView], by: SortBy
) -> None:
    kept = sorted(views, key=lambda view: (order_of(view, by), view.key))
    assert [view.key for view in kept] == order(views, by)

"""How many tasks there are of each kind."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.tally import Counts, Tally
from mcp_tasks_tui.supervise.view import Reason, TaskView
from tests.supervise.samples import NOON, a_view

VIEWS = st.lists(
    st.builds(
        a_view,
        key=st.text("abc", min_size=1, max_size=3),
        state=st.sampled_from(State),
        attention=st.lists(st.sampled_from(Reason), unique=True, max_size=2).map(tuple),
    ),
    unique_by=lambda view: view.key,
)


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
        {Reason.INPUT_REQUIRED: 1, Reason.STUCK: 1, Reason.EXPIRING: 1},
        {State.WORKING: 1},
        2,
    )
    assert list(found.states) == [State.INPUT_REQUIRED, State.WORKING, State.COMPLETED]
    assert _counted([]) == Counts(0, {}, {}, {}, 0)


def test_what_may_expire_is_counted_whatever_else_it_wants() -> None:
    both = (Reason.INPUT_REQUIRED, Reason.EXPIRING)
    views = [
        a_view("1", state=State.INPUT_REQUIRED, attention=both),
        a_view("2", attention=(Reason.EXPIRING,)),
        a_view("3", attention=(Reason.STUCK, Reason.EXPIRING)),
        a_view("4", attention=(Reason.STUCK,)),
    ]
    found = _counted(views)
    assert found.reasons == {Reason.INPUT_REQUIRED: 1, Reason.STUCK: 2, Reason.EXPIRING: 3}
    assert (found.stuck, found.attention) == ({State.WORKING: 2}, 4)


def test_archived_tasks_are_not_counted() -> None:
    tally = Tally()
    tally.take([a_view("1"), a_view("2")])
    tally.take([a_view("1", archived_at=NOON)])
    assert tally.counts() == Counts(1, {State.WORKING: 1}, {}, {}, 0)
    tally.take([a_view("1")])
    assert tally.counts() == Counts(2, {State.WORKING: 2}, {}, {}, 0)


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

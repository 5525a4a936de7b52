"""What holds for every history of a task, whatever its server says and however reads fail."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import Event, Snapshot
from mcp_tasks_tui.protocol.errors import HttpError, RequestError, TimedOut, UnusableReply
from mcp_tasks_tui.protocol.messages import TaskReply
from mcp_tasks_tui.supervise.applied import Applied, Change
from mcp_tasks_tui.supervise.journalling import Trace
from mcp_tasks_tui.supervise.reducer import apply
from tests.supervise.sim import a_question, a_reply, no_such_task

ENDS = ("completed", "failed", "cancelled")
WORDS = st.sampled_from(("working", "input_required", *ENDS, "gone", "unknown", "tool_error", ""))
TIMES = st.sampled_from((None, "2026-09-01T10:00:00Z", "2026-09-01T12:00:00+02:00", "soon", ""))
FIELDS = st.fixed_dictionaries(
    {"status": WORDS},
    optional={
        "statusMessage": st.sampled_from(("1/9", "2/9", "", "\x1b[2J")),
        "createdAt": TIMES,
        "lastUpdatedAt": TIMES,
        "ttlMs": st.sampled_from((None, 0, -1, 60_000)),
        "pollIntervalMs": st.sampled_from((None, 0, -5, 1000)),
        "inputRequests": st.dictionaries(
            st.sampled_from("abc"), st.sampled_from((a_question("x"), a_question("y"), None))
        ),
        "result": st.sampled_from((None, {"isError": True}, {"n": 1}, "text")),
        "error": st.sampled_from((None, {"code": 1}, "boom")),
    },
)
ERRORS = st.sampled_from(
    (HttpError(503, "Away"), TimedOut("total", 60), UnusableReply("HTML"), no_such_task())
)


def reply(fields: dict[str, Any]) -> TaskReply:
    return a_reply("t1", **fields)


OBSERVATIONS = st.lists(
    st.tuples(st.one_of(FIELDS.map(reply), ERRORS), st.floats(0.1, 400)), max_size=25
)


def play(observations: list[tuple[TaskReply | RequestError, float]]) -> list[Applied]:
    snapshot, trace, now, story = Snapshot(), Trace(), 1000.0, []
    for observation, passed in observations:
        now += passed
        applied = apply(snapshot, observation, now, task_id="t1", trace=trace, answered=("a",))
        snapshot, trace = applied.snapshot, applied.trace
        story.append(applied)
    return story


@given(OBSERVATIONS)
@settings(deadline=None)
def test_the_first_end_is_the_end_and_its_result_is_handed_over_once(
    observations: list[tuple[TaskReply | RequestError, float]],
) -> None:
    story = play(observations)
    ended = [one.snapshot for one in story if one.snapshot.status in ENDS]
    assert {snapshot.status for snapshot in ended} <= {ended[0].status if ended else None}
    assert all(later.has_result >= earlier.has_result for earlier, later in pairwise(ended))
    after_the_end = [one for one in story if one.snapshot.status in ENDS]
    assert sum(one.has_result for one in after_the_end) <= 1


@given(OBSERVATIONS)
@settings(deadline=None)
def test_a_failed_read_changes_the_read_alone(
    observations: list[tuple[TaskReply | RequestError, float]],
) -> None:
    before = Snapshot()
    for (observation, _), applied in zip(observations, play(observations), strict=True):
        after = applied.snapshot
        if isinstance(observation, RequestError):
            assert replace(after, read=before.read, gone_at=before.gone_at) == before
            assert after.read.failures == before.read.failures + 1
            assert not applied.has_result
        else:
            assert after.read.ok
            assert after.gone_at is None
            assert after.observed_at is not None
            assert (after.changed_at or 0) <= after.observed_at
        before = after


@given(OBSERVATIONS)
@settings(deadline=None)
def test_the_journal_tells_each_change_of_status_and_each_message(
    observations: list[tuple[TaskReply | RequestError, float]],
) -> None:
    story = play(observations)
    lines = [line for one in story for line in one.journal]
    statuses = [line for line in lines if line.event is Event.STATUS]
    assert len(statuses) == sum(Change.STATUS in one.changes for one in story)
    assert all(a.data["to"] == b.data["from"] for a, b in pairwise(statuses))
    told = [line for line in lines if line.event is Event.MESSAGE]
    told += [line for line in statuses if line.text]
    assert len(told) == (story[-1].snapshot.message_changes if story else 0)
    asked = [line.data["key"] for line in lines if line.event is Event.INPUT_ASKED]
    assert len(asked) == len(set(asked))

"""When something happened that was noticed later: by the server's word, else not claimed at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, Snapshot
from mcp_tasks_tui.protocol.messages import Task, TaskReply
from mcp_tasks_tui.supervise.dating import Dated, dated, entry_data, entry_dated
from mcp_tasks_tui.supervise.reducer import apply
from tests.supervise.samples import NOON

OFFSET = 3_600.0  # the server's clock is an hour ahead
KNOWN = Snapshot(status="working", observed_at=NOON, changed_at=NOON)
LATE = NOON + 900


def theirs(at: float) -> str:
    return datetime.fromtimestamp(at + OFFSET, UTC).isoformat().replace("+00:00", "Z")


def ended(updated: float | str | None, created: float | None = NOON - 5) -> Task:
    said = {
        "taskId": "t1",
        "status": "completed",
        "createdAt": None if created is None else theirs(created),
        "lastUpdatedAt": theirs(updated) if isinstance(updated, float) else updated,
    }
    return Task.model_validate({name: value for name, value in said.items() if value})


def when(task: Task, known: Snapshot = KNOWN, offset: float | None = OFFSET) -> Dated:
    return dated(known, task, offset, LATE, looked_within=60)


def test_an_end_that_nobody_saw_is_dated_by_the_server_on_our_clock() -> None:
    assert when(ended(NOON + 360)) == Dated(NOON + 360, True, True, 900.0)


@pytest.mark.parametrize(
    "task",
    [
        ended(None),
        ended(LATE + 60),
        ended(NOON - 100),
        ended(LATE - 0.5),
        ended("soon"),
    ],
    ids=["nothing said", "the future", "it was seen working then", "time of the read", "no time"],
)
def test_a_claim_that_cannot_be_is_not_taken(task: Task) -> None:
    assert when(task) == Dated(LATE, unseen=True, unseen_for=900.0)


def test_without_the_servers_clock_there_is_no_claim() -> None:
    assert when(ended(NOON + 360), offset=None) == Dated(LATE, unseen=True, unseen_for=900.0)


def test_an_end_of_just_now_is_believed_of_a_clock_that_is_proven_honest() -> None:
    assert when(ended(LATE - 0.5), replace(KNOWN, honest_clock=True)).claimed


def test_what_was_watched_needs_no_word_of_the_server() -> None:
    seen = replace(KNOWN, observed_at=LATE - 30)
    assert when(ended(NOON + 360), seen) == Dated(LATE)


def test_a_task_first_seen_ended_tells_of_its_life_by_the_server_alone() -> None:
    found = when(ended(NOON + 360, NOON), Snapshot())
    assert found == Dated(NOON + 360, True, True, None, NOON)
    assert when(ended(NOON - 50, NOON), Snapshot()) == Dated(LATE, True, created=NOON)
    assert when(ended(NOON + 360, None), Snapshot()) == Dated(LATE, True)


def test_a_line_of_the_journal_keeps_how_its_time_is_known() -> None:
    claimed = Dated(NOON + 360, True, True, 900.0)
    line = JournalEntry(LATE, Event.STATUS, None, entry_data(claimed, "completed"))
    assert entry_dated(line) == claimed
    # The last update of what goes on is not when it began.
    line = JournalEntry(LATE, Event.STATUS, None, entry_data(claimed, "working"))
    assert entry_dated(line) == Dated(LATE, unseen=True, unseen_for=900.0)
    assert entry_dated(JournalEntry(LATE, Event.STATUS)) == Dated(LATE)
    odd = {"claimed_at": "soon", "unseen_for": True, "unseen": 1}
    assert entry_dated(JournalEntry(LATE, Event.STATUS, None, odd)) == Dated(LATE)


def test_a_reply_after_a_sleep_is_kept_with_the_time_of_the_end() -> None:
    reply = TaskReply(ended(NOON + 360), server_time=LATE + OFFSET)
    applied = apply(KNOWN, reply, LATE, task_id="t1")
    after = applied.snapshot
    assert (after.changed_at, after.changed_unseen, after.changed_claimed) == (
        NOON + 360,
        True,
        True,
    )
    assert after.observed_at == LATE
    [line] = applied.journal
    assert (line.at, line.data["claimed_at"], line.data["unseen_for"]) == (LATE, NOON + 360, 900)

"""The rules of `reducer`, one observation after the other, as plain values."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, Snapshot, State
from mcp_tasks_tui.protocol.errors import (
    NO_INPUT_REQUEST,
    NO_RESULT,
    RESULT_NOT_READ,
    HttpError,
    MissingCapability,
    RequestError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.protocol.messages import TaskReply
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.applied import Applied, Change
from mcp_tasks_tui.supervise.history import told
from mcp_tasks_tui.supervise.journalling import AT_ONCE, FINISHED_FIRST, THINNED_EVERY, Trace
from mcp_tasks_tui.supervise.oddities import IDENTITY_CHANGED, KEY_REUSED
from mcp_tasks_tui.supervise.reducer import apply
from mcp_tasks_tui.supervise.words import NEVER_KNOWN
from tests.supervise.sim import a_question, a_reply, no_such_task

T0 = 1_000.0
Observation = TaskReply | RequestError


class History:
    """A task's state after one observation and another, with all that was said of it."""

    def __init__(self, known: Snapshot | None = None, answered: tuple[str, ...] = ()) -> None:
        self.snapshot = known or Snapshot()
        self.trace = Trace()
        self.answered = answered
        self.journal: list[JournalEntry] = []
        self.results: list[Any] = []
        self.last = Applied(self.snapshot)

    def see(self, observation: Observation, at: float = T0) -> Applied:
        self.last = apply(
            self.snapshot,
            observation,
            at,
            task_id="t1",
            trace=self.trace,
            answered=self.answered,
        )
        self.snapshot, self.trace = self.last.snapshot, self.last.trace
        self.journal.extend(self.last.journal)
        if self.last.has_result:
            self.results.append(self.last.result)
        return self.last

    def events(self, *kinds: Event) -> list[JournalEntry]:
        return [entry for entry in self.journal if entry.event in kinds]


def seen(*observations: Observation, every: float = 5.0) -> History:
    history = History()
    for place, observation in enumerate(observations):
        history.see(observation, T0 + place * every)
    return history


# --- what a reply changes ---------------------------------------------------------------------


def test_the_first_reply_is_a_change_of_status() -> None:
    history = seen(a_reply(statusMessage="starting", ttlMs=60_000))
    assert history.snapshot.state is State.WORKING
    assert history.snapshot.ttl_ms == 60_000
    assert history.snapshot.observed_at == T0
    assert Change.STATUS in history.last.changes
    assert history.journal == [
        JournalEntry(T0, Event.STATUS, ServerText("starting"), {"from": None, "to": "working"})
    ]


def test_an_equal_reply_changes_nothing_but_when_it_was_seen() -> None:
    history = seen(a_reply(statusMessage="x"), a_reply(statusMessage="x"))
    assert history.last.changes == frozenset()
    assert history.last.journal == ()
    assert history.snapshot.observed_at == T0 + 5
    assert history.snapshot.changed_at == T0


@pytest.mark.parametrize(
    ("first", "then", "change"),
    [
        ({}, {"status": "input_required"}, Change.STATUS),
        ({}, {"statusMessage": "3/10"}, Change.MESSAGE),
        ({"statusMessage": "3/10"}, {}, Change.MESSAGE),
        ({"statusMessage": "3/10"}, {"statusMessage": ""}, Change.MESSAGE),
        ({}, {"inputRequests": {"k": a_question()}}, Change.INPUT),
        ({"inputRequests": {"k": a_question()}}, {}, Change.INPUT),
        ({}, {"pollIntervalMs": 20_000}, Change.FACTS),
        ({"ttlMs": 1000}, {"ttlMs": None}, Change.FACTS),
        ({}, {"ttlMs": 0}, Change.FACTS),
        ({}, {"notes": ("`createdAt` is no text",)}, Change.FACTS),
        ({}, {"status": "completed", "result": {"content": []}}, Change.RESULT),
    ],
)
def test_what_a_person_could_notice_is_a_change(
    first: dict[str, Any], then: dict[str, Any], change: Change
) -> None:
    history = seen(a_reply(**first), a_reply(**then))
    assert change in history.last.changes
    assert history.snapshot.changed_at == T0 + 5


def test_the_time_of_the_read_in_last_updated_is_no_change() -> None:
    history = seen(
        a_reply(lastUpdatedAt="2026-09-01T10:00:00Z"), a_reply(lastUpdatedAt="2026-09-01T10:00:05Z")
    )
    assert history.last.changes == frozenset()
    assert history.snapshot.last_updated_at == "2026-09-01T10:00:05Z"
    assert history.snapshot.changed_at == T0


def test_a_missing_interval_keeps_the_newest_valid_one() -> None:
    history = seen(a_reply(pollIntervalMs=20_000), a_reply(pollIntervalMs=None))
    assert history.snapshot.poll_interval_ms == 20_000


def test_the_servers_clock_is_compared_by_its_date() -> None:
    history = seen(a_reply(server_time=T0 - 120.0), a_reply())
    assert history.snapshot.clock_offset == -120.0


@pytest.mark.parametrize("word", ["rejected", "canceled", "input-required", "COMPLETED", ""])
def test_an_unknown_status_stays_as_it_was_said_and_does_not_end_the_task(word: str) -> None:
    history = seen(a_reply(status=word))
    assert history.snapshot.status == word
    before = history.snapshot.state
    assert not before.ended
    history.see(a_reply(status="working"), T0 + 5)
    assert [before, history.snapshot.state] == [State.UNKNOWN, State.WORKING]


def test_a_reply_about_another_task_is_refused() -> None:
    history = seen(a_reply(statusMessage="mine"), a_reply(task_id="someone-elses", status="failed"))
    assert history.snapshot.state is State.WORKING
    assert history.snapshot.status_message == ServerText("mine")
    assert history.snapshot.read.error_kind == "unusable-reply"
    assert history.snapshot.read.failures == 1


def test_the_last_message_outlives_the_status_it_came_with() -> None:
    history = seen(a_reply(statusMessage="Analysing 3/10"), a_reply(status="input_required"))
    assert history.snapshot.status_message is None
    assert history.snapshot.last_message == ServerText("Analysing 3/10")
    assert history.snapshot.last_message_at == T0


# --- identity and clocks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then", "noted"),
    [
        ("2026-09-01T10:00:00Z", "2026-09-01T10:00:00+00:00", False),
        ("2026-09-01T10:00:00Z", "2026-09-01T12:00:00.000000000+02:00", False),
        ("2026-09-01T10:00:00Z", "2026-09-01 10:00:00", False),
        ("2026-09-01T10:00:00Z", "2026-09-01t10:00:00z", False),
        ("2026-09-01T10:00:00Z", "yesterday", False),
        ("2026-09-01T10:00:00Z", None, False),
        (None, "2026-09-01T10:00:00Z", False),
        ("2026-09-01T10:00:00Z", "2026-09-01T10:00:05Z", True),
    ],
)
def test_a_moving_creation_time_is_noted_once(
    first: str | None, then: str | None, noted: bool
) -> None:
    history = seen(a_reply(createdAt=first), a_reply(createdAt=then))
    assert (IDENTITY_CHANGED in history.snapshot.notes) is noted
    history.see(a_reply(createdAt="2026-09-01T11:11:11Z"), T0 + 10)
    assert history.snapshot.notes.count(IDENTITY_CHANGED) <= 1


STILL: dict[str, Any] = {"lastUpdatedAt": "2026-09-01T10:00:00Z"}


def test_an_equal_update_time_over_two_reads_proves_an_honest_clock() -> None:
    assert seen(a_reply(**STILL), a_reply(**STILL)).snapshot.honest_clock


def test_two_reads_within_the_same_second_prove_nothing() -> None:
    assert not seen(a_reply(**STILL), a_reply(**STILL), every=0.5).snapshot.honest_clock


def test_an_update_time_that_stays_while_the_message_moves_is_no_clock() -> None:
    history = seen(a_reply(**STILL), a_reply(**STILL), a_reply(**STILL, statusMessage="moved"))
    assert not history.snapshot.honest_clock


def test_an_honest_update_time_that_moves_is_a_sign_of_life() -> None:
    history = seen(
        a_reply(**STILL), a_reply(**STILL), a_reply(lastUpdatedAt="2026-09-01T10:09:00Z")
    )
    assert history.last.changes == {Change.FACTS}
    assert history.snapshot.changed_at == T0 + 10


def test_the_usual_gap_follows_the_messages_and_leaves_out_unwatched_time() -> None:
    history = seen(*(a_reply(statusMessage=f"{step}/9") for step in range(4)), every=10.0)
    assert history.snapshot.usual_gap == pytest.approx(10.0)
    assert history.snapshot.message_changes == 4
    history.see(a_reply(statusMessage="5/9"), T0 + 90_000)
    assert history.snapshot.usual_gap == pytest.approx(10.0)


# --- the end ----------------------------------------------------------------------------------

DONE = a_reply(status="completed", result={"content": [{"type": "text", "text": "42"}]})


def test_a_result_is_handed_over_once() -> None:
    history = seen(a_reply(), DONE, DONE)
    assert history.results == [{"content": [{"type": "text", "text": "42"}]}]
    assert history.snapshot.state is State.COMPLETED


@pytest.mark.parametrize(
    ("result", "state"),
    [
        ({"isError": True, "content": []}, State.TOOL_ERROR),
        ({"isError": "yes"}, State.COMPLETED),
        ("text", State.COMPLETED),
        (None, State.COMPLETED),
    ],
)
def test_a_tool_error_is_an_outcome_of_its_own(result: Any, state: State) -> None:
    assert seen(a_reply(status="completed", result=result)).snapshot.state is state


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_an_end_without_details_is_an_end(status: str) -> None:
    history = seen(a_reply(status=status))
    assert history.snapshot.state.terminal
    assert not history.snapshot.has_result


def test_a_failed_task_keeps_its_error_and_a_result_sent_with_it() -> None:
    history = seen(
        a_reply(status="failed", error={"code": -32603, "message": "boom"}, result={"n": 3})
    )
    assert history.snapshot.error == {"code": -32603, "message": "boom"}
    assert history.results == [{"n": 3}]
    assert not history.snapshot.tool_error


@pytest.mark.parametrize("later", ["cancelled", "failed", "working", "input_required", "odd"])
def test_the_first_outcome_stands_and_a_contradiction_is_told_once(later: str) -> None:
    history = seen(DONE, a_reply(status=later), a_reply(status=later))
    assert history.snapshot.state is State.COMPLETED
    assert history.snapshot.has_result
    lines = history.events(Event.CONTRADICTION)
    assert [line.data for line in lines] == [{"kept": "completed", "said": later}]
    assert len([note for note in history.snapshot.notes if "first outcome" in note]) == 1


def test_a_result_beside_a_status_that_is_no_end_is_taken_once() -> None:
    odd = a_reply(status="COMPLETED", result={"n": 1})
    history = seen(odd, odd, odd)
    assert history.results == [{"n": 1}]
    assert history.last.changes == frozenset()


def test_a_result_that_came_late_is_taken() -> None:
    history = seen(a_reply(status="completed"), DONE)
    assert len(history.results) == 1
    assert history.snapshot.has_result


def test_a_server_that_forgot_an_ended_task_does_not_change_its_outcome() -> None:
    history = seen(DONE, *(no_such_task() for _ in range(5)))
    assert history.snapshot.state is State.COMPLETED
    assert history.snapshot.gone_at is None


@pytest.mark.parametrize(("status", "noted"), [("completed", True), ("cancelled", False)])
def test_finishing_before_the_cancel_took_effect_is_said(status: str, noted: bool) -> None:
    history = History(replace(Snapshot(status="working"), cancel_requested_at=T0 - 1))
    history.see(a_reply(status=status))
    assert (FINISHED_FIRST in history.snapshot.notes) is noted
    assert history.snapshot.cancel_requested_at == T0 - 1


# --- reads that fail --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        HttpError(503, "Service Unavailable"),
        TimedOut("total", 60),
        Unreachable("refused"),
        UnusableReply("an HTML page, not an MCP reply"),
        MissingCapability(-32021, ServerText("Missing"), None, 400),
    ],
)
def test_a_failed_read_touches_nothing_but_the_read(error: RequestError) -> None:
    history = seen(a_reply(statusMessage="7/9"))
    known = history.snapshot
    history.see(error, T0 + 5)
    history.see(error, T0 + 10)
    assert history.last.changes == frozenset()
    assert history.snapshot.read.failures == 2
    assert history.snapshot.read.error_kind == error.kind
    assert replace(history.snapshot, read=known.read) == known
    history.see(a_reply(statusMessage="7/9"), T0 + 15)
    assert history.last.changes == {Change.READ}
    assert history.snapshot.read.ok
    assert history.snapshot.read.failures == 0


def test_three_spaced_not_founds_make_a_task_gone_and_one_good_reply_brings_it_back() -> None:
    history = seen(a_reply(statusMessage="7/9"), no_such_task(), no_such_task())
    before = history.snapshot.state
    history.see(no_such_task(), T0 + 15)
    gone = history.snapshot.state
    assert [before, gone] == [State.WORKING, State.GONE]
    assert history.snapshot.status == "working"
    assert history.snapshot.last_message == ServerText("7/9")
    history.see(no_such_task(), T0 + 20)
    assert len(history.events(Event.GONE)) == 1
    history.see(a_reply(statusMessage="8/9"), T0 + 320)
    assert history.snapshot.state is State.WORKING
    assert history.snapshot.read.not_found == 0
    assert len(history.events(Event.BACK)) == 1


def test_a_task_that_no_read_ever_found_was_never_known() -> None:
    lost = seen(a_reply(), no_such_task(), no_such_task(), no_such_task())
    never = seen(no_such_task(), no_such_task(), no_such_task())
    for history, words, data in (
        (lost, "the server does not know the task any more", {}),
        (never, NEVER_KNOWN, {"never_known": True}),
    ):
        (line,) = history.events(Event.GONE)
        assert (line.data, told(line).what) == (data, words)
        assert history.snapshot.state is State.GONE
    assert str(never.snapshot.read.error).startswith(NEVER_KNOWN)
    assert NEVER_KNOWN not in str(lost.snapshot.read.error)


def test_not_founds_in_one_breath_count_once() -> None:
    history = seen(a_reply(), *(no_such_task() for _ in range(9)), every=0.1)
    assert history.snapshot.read.not_found == 1
    assert history.snapshot.state is State.WORKING


def test_other_failures_between_do_not_make_a_task_gone() -> None:
    history = seen(a_reply(), no_such_task(), TimedOut("total", 60), no_such_task())
    assert history.snapshot.read.not_found == 2
    assert history.snapshot.state is State.WORKING


# --- input ------------------------------------------------------------------------------------


def asking(*keys: str) -> TaskReply:
    return a_reply(status="input_required", inputRequests={key: a_question(key) for key in keys})


def test_a_question_is_journalled_once_however_often_it_is_asked() -> None:
    history = seen(*(asking("a") for _ in range(5)))
    (line,) = history.events(Event.INPUT_ASKED)
    assert line.text == ServerText("a")
    assert line.data == {"key": "a"}


def test_a_question_that_is_read_later_was_asked_when_its_state_began() -> None:
    """The reply to a call names the state and no question; the first read has it."""
    stamp = "2026-01-01T00:00:00Z"
    bare = a_reply(status="input_required", inputRequests={}, lastUpdatedAt=stamp)
    asked = a_reply(
        status="input_required", inputRequests={"a": a_question("a")}, lastUpdatedAt=stamp
    )
    history = seen(bare, asked)
    assert history.last.changes == {Change.INPUT}
    assert history.snapshot.changed_at == T0
    assert seen(bare, asking("a")).snapshot.changed_at == T0 + 5  # it may be a new one
    answered = History(answered=("z",))
    answered.see(bare)
    answered.see(asked, T0 + 5)
    assert answered.snapshot.changed_at == T0 + 5


def test_a_question_that_comes_back_is_not_journalled_again() -> None:
    history = seen(asking("a", "b"), asking("b"), asking("a", "b"))
    assert len(history.events(Event.INPUT_ASKED)) == 2


def test_questions_keep_the_order_in_which_they_were_first_seen() -> None:
    history = seen(asking("a", "b"), asking("b", "c", "a"))
    assert list(history.snapshot.input_requests) == ["a", "b", "c"]


def test_a_withdrawn_question_is_told_but_not_an_answered_one() -> None:
    history = History(answered=("a",))
    history.see(asking("a", "b"))
    history.see(a_reply(), T0 + 5)
    assert [line.data for line in history.events(Event.INPUT_WITHDRAWN)] == [{"key": "b"}]


def test_the_end_of_a_task_withdraws_nothing() -> None:
    assert seen(asking("a"), a_reply(status="cancelled")).events(Event.INPUT_WITHDRAWN) == []


def test_an_answer_is_on_its_way_until_its_question_is_gone() -> None:
    history = History(Snapshot(answer_sent_at=T0 - 1), answered=("a",))
    for place in range(8):
        history.see(asking("a"), T0 + place)
    assert history.snapshot.answer_sent_at == T0 - 1
    history.see(a_reply(), T0 + 9)
    assert history.snapshot.answer_sent_at is None


def test_a_note_that_a_later_reply_makes_good_is_withdrawn() -> None:
    silent = a_reply(status="input_required", notes=(NO_INPUT_REQUEST,))
    history = seen(silent)
    assert history.snapshot.notes == (NO_INPUT_REQUEST,)
    history.see(asking("a"))
    assert not history.snapshot.notes


def test_a_result_that_comes_late_is_no_longer_said_to_be_missing() -> None:
    history = seen(a_reply(status="completed", notes=("ttlMs missing", NO_RESULT)))
    history.see(a_reply(status="completed", result={"content": []}))
    assert history.snapshot.has_result
    assert history.snapshot.notes == ("ttlMs missing",)


def test_a_result_that_comes_with_the_end_makes_good_what_was_noted_of_it_before() -> None:
    too_large = f"the reply is larger than 32 MiB: {RESULT_NOT_READ}"
    history = seen(a_reply(notes=("ttlMs missing", too_large)))
    history.see(a_reply(status="completed", result={"n": 1}))
    assert history.snapshot.notes == ("ttlMs missing",)


def test_a_reused_key_is_noted() -> None:
    other = a_reply(status="input_required", inputRequests={"a": a_question("something else")})
    assert KEY_REUSED in seen(asking("a"), other).snapshot.notes


# --- the journal of messages ------------------------------------------------------------------


def test_each_message_has_its_line() -> None:
    said = [f"Ran {step} of 236 tests" for step in range(500)]
    history = seen(a_reply(), *(a_reply(statusMessage=each) for each in said), every=1.0)
    assert [line.text for line in history.events(Event.MESSAGE)] == [*map(ServerText, said)]
    assert not history.events(Event.LEFT_OUT)


def test_of_a_task_that_says_too_much_few_messages_are_kept_and_the_journal_says_how_many_not() -> (
    None
):
    total, every = 2000, 0.1
    said = [a_reply(statusMessage=f"at {step}") for step in range(total)]
    history = seen(a_reply(), *said, a_reply(status="completed"), every=every)
    kept, gaps = history.events(Event.MESSAGE), history.events(Event.LEFT_OUT)
    assert AT_ONCE <= len(kept) <= AT_ONCE + 2 * total * every / THINNED_EVERY + 2
    before = [line.event for line in history.journal].index(Event.LEFT_OUT) - 1
    assert len(gaps) == len(kept) - before, "each stands above the message that is kept after it"
    assert len(kept) + sum(line.data["messages"] for line in gaps) == total
    times = [line.at for line in kept]
    assert all(b - a >= THINNED_EVERY - 1e-6 for a, b in pairwise(times[-5:-1]))
    assert str(kept[-1].text) == f"at {total - 1}"


def test_a_task_that_fell_silent_has_room_again() -> None:
    flood = [a_reply(statusMessage=f"at {step}") for step in range(300)]
    history = seen(a_reply(), *flood, every=0.01)
    history.see(flood[-1], T0 + 60)
    assert [line.event for line in history.journal[-2:]] == [Event.LEFT_OUT, Event.MESSAGE]
    for step in range(50):
        history.see(a_reply(statusMessage=f"later {step}"), T0 + 600 + step / 10)
    assert [line.event for line in history.journal[-50:]] == [Event.MESSAGE] * 50


def test_messages_are_journalled_after_the_clock_was_set_back() -> None:
    history = seen(a_reply(statusMessage="1/9"), a_reply(statusMessage="2/9"), every=20.0)
    for step in range(3, 6):
        history.see(a_reply(statusMessage=f"{step}/9"), T0 - 3600 + 20 * step)
    told = [str(line.text) for line in history.events(Event.MESSAGE)]
    assert told == ["2/9", "3/9", "4/9", "5/9"]


def test_the_last_message_before_a_change_of_status_is_never_lost() -> None:
    history = seen(
        a_reply(),
        a_reply(statusMessage="1/3"),
        a_reply(statusMessage="2/3"),
        a_reply(statusMessage="3/3"),
        a_reply(status="completed"),
        every=1.0,
    )
    assert [line.text for line in history.events(Event.MESSAGE)] == [
        ServerText("1/3"),
        ServerText("2/3"),
        ServerText("3/3"),
    ]
    assert history.journal[-1].event is Event.STATUS


def test_a_message_that_waits_gets_its_line_with_its_own_time() -> None:
    history = seen(a_reply(), a_reply(statusMessage="a"), a_reply(statusMessage="b"), every=1.0)
    history.see(a_reply(statusMessage="b"), T0 + 30)
    assert [(line.at, str(line.text)) for line in history.events(Event.MESSAGE)] == [
        (T0 + 1, "a"),
        (T0 + 2, "b"),
    ]


def test_a_result_that_was_too_large_is_taken_when_it_can_be_read() -> None:
    note = f"the reply is larger than 32 MiB: {RESULT_NOT_READ}"
    history = seen(
        a_reply(status="completed", notes=("odd", note)),
        a_reply(status="completed", result={"content": []}, has_result=True),
    )
    assert history.results == [{"content": []}]
    assert list(history.snapshot.notes) == ["odd"]

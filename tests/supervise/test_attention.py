"""Why a task wants a person: each reason, its moment, and what must not raise it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, ReadState, Snapshot
from mcp_tasks_tui.supervise.attention import (
    all_answered,
    attention,
    calm_until,
    claimed_update,
    estimated_end,
    next_moment,
    open_requests,
    quiet_for,
    quiet_text,
)
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Attention, Reason
from tests.supervise.samples import NOON

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = EngineSettings()
CREATED = "2026-09-01T10:00:00Z"  # NOON
WORKING = Snapshot(
    status="working",
    poll_interval_ms=1000,
    created_at=CREATED,
    observed_at=NOON,
    changed_at=NOON,
    clock_offset=0.0,
    watched_since=NOON - 86_400,
)
ASKING = replace(WORKING, status="input_required", input_requests={"b": {}, "a": {}})


def answer(key: str, state: AnswerState, at: float = NOON) -> AnswerRecord:
    return AnswerRecord(key, "hash", state, "accept", at)


def reasons(
    snapshot: Snapshot,
    *,
    now: float | None = None,
    answers: Mapping[str, AnswerRecord] | None = None,
    settings: EngineSettings = SETTINGS,
    server_at_fault: bool = False,
) -> list[Attention]:
    """The reasons at `now`, by default the moment of the last good read."""
    moment = now if now is not None else snapshot.observed_at
    assert moment is not None
    return list(
        attention(
            snapshot,
            answers or {},
            settings,
            now=moment,
            server_at_fault=server_at_fault,
        )
    )


def kinds(found: list[Attention]) -> list[Reason]:
    return [one.reason for one in found]


def seen(snapshot: Snapshot, after: float) -> Snapshot:
    """The snapshot, read again without news so many seconds after its last change."""
    return replace(snapshot, observed_at=NOON + after)


def watched(snapshot: Snapshot, since: float | None) -> Snapshot:
    """The snapshot of a task that was read without a gap since then."""
    return replace(snapshot, watched_since=since)


class TestInput:
    def test_a_question_waits_since_it_was_asked(self) -> None:
        (one,) = reasons(seen(ASKING, 240))
        assert one == Attention(Reason.INPUT_REQUIRED, NOON, "asks 2 questions")

    def test_one_question(self) -> None:
        one = replace(ASKING, input_requests={"a": {}})
        assert reasons(one)[0].text == "asks a question"

    def test_open_requests_keep_their_order_and_lose_what_was_answered(self) -> None:
        assert open_requests(ASKING, {}) == ("b", "a")
        assert open_requests(ASKING, {"b": answer("b", AnswerState.SENT)}) == ("a",)
        assert open_requests(ASKING, {"b": answer("b", AnswerState.REFUSED)}) == ("b", "a")
        assert open_requests(replace(ASKING, status="working"), {}) == ()

    @pytest.mark.parametrize("state", [AnswerState.SENT, AnswerState.ACKNOWLEDGED])
    def test_answered_and_waiting_for_the_server_is_not_waiting(self, state: AnswerState) -> None:
        answers = {key: answer(key, state) for key in "ab"}
        assert reasons(seen(ASKING, 500), answers=answers) == []
        assert all_answered(ASKING, answers)
        assert not all_answered(ASKING, {})
        assert not all_answered(WORKING, {})

    def test_an_answer_that_may_not_have_been_sent_is_told(self) -> None:
        answers = {key: answer(key, AnswerState.INTENDED) for key in "ab"}
        assert reasons(seen(ASKING, 10), answers=answers) == []
        assert kinds(reasons(seen(ASKING, 60), answers=answers)) == [Reason.INPUT_REQUIRED]
        (one,) = reasons(seen(ASKING, 120), answers=answers)
        assert one.reason is Reason.INPUT_REQUIRED
        assert one.text == "an answer may not have been sent: look, and answer again"
        assert one.since == NOON

    def test_a_question_that_is_not_there_needs_a_look(self) -> None:
        (one,) = reasons(replace(ASKING, input_requests={}))
        assert one.text == "says it needs input, but does not say which"

    def test_who_waits_for_a_person_is_not_stuck(self) -> None:
        assert kinds(reasons(seen(ASKING, 50_000))) == [Reason.INPUT_REQUIRED]


class TestStuck:
    lively = replace(WORKING, message_changes=5, usual_gap=10.0)

    @pytest.mark.parametrize(
        ("snapshot", "limit"),
        [
            (WORKING, 600),
            (replace(WORKING, message_changes=1), 600),
            (lively, 60),
            (replace(lively, usual_gap=30.0), 120),
            (replace(lively, poll_interval_ms=20_000), 200),
            (replace(lively, poll_interval_ms=0), 60),
            (replace(lively, poll_interval_ms=10**400), 60),
            (replace(lively, usual_gap=None), 60),
            (replace(WORKING, status="rejected"), 600),
        ],
        ids=[
            *("silent", "one message", "lively", "its usual gap", "its interval"),
            *("no interval", "absurd interval", "no gap yet", "unknown status"),
        ],
    )
    def test_after_how_long(self, snapshot: Snapshot, limit: float) -> None:
        assert reasons(seen(snapshot, limit - 1)) == []
        (one,) = reasons(seen(snapshot, limit))
        assert (one.reason, one.since) == (Reason.STUCK, NOON)

    def test_it_says_for_how_long(self) -> None:
        (one,) = reasons(seen(WORKING, 7500))
        assert one.text == "stuck: nothing has changed for 2 h 05 m"
        assert (one.brief, one.claimed) == ("nothing has changed", False)

    def test_the_time_for_a_silent_task_can_be_set(self) -> None:
        settings = replace(SETTINGS, quiet_after=30)
        assert kinds(reasons(seen(WORKING, 31), settings=settings)) == [Reason.STUCK]

    def test_time_in_which_nobody_watched_does_not_count(self) -> None:
        later = seen(WORKING, 86_400)
        started = NOON + 86_400 - 599
        assert reasons(watched(later, started)) == []
        assert reasons(watched(later, None)) == []
        (one,) = reasons(watched(later, started - 1))
        assert one.since == started - 1

    def test_time_without_a_good_read_does_not_count(self) -> None:
        assert reasons(seen(WORKING, 300), now=NOON + 86_400) == []

    def test_what_was_stuck_before_a_person_held_it_is_stuck_still(self) -> None:
        [one] = reasons(replace(seen(WORKING, 86_400), held=True))
        assert one.reason is Reason.STUCK
        # Held before: no read, and so no time that was watched.
        assert reasons(replace(seen(WORKING, 60), held=True), now=NOON + 86_400) == []

    def test_an_answer_that_moves_nothing_is_stuck_in_the_end(self) -> None:
        answers = {key: answer(key, AnswerState.ACKNOWLEDGED) for key in "ab"}
        (one,) = reasons(seen(ASKING, 600), answers=answers)
        assert one.text == "stuck: answered, but nothing has changed for 10 m"

    def test_an_honest_clock_counts_though_nobody_watched(self) -> None:
        honest = replace(seen(WORKING, 7200), honest_clock=True, last_updated_at=CREATED)
        (one,) = reasons(watched(honest, None))
        assert one == Attention(
            Reason.STUCK,
            NOON,
            "stuck, server says: last update 2 h 00 m ago",
            "server says: last update 2 h 00 m ago",
            claimed=True,
        )

    def test_an_honest_clock_is_read_in_its_own_time(self) -> None:
        ahead = replace(WORKING, honest_clock=True, last_updated_at=CREATED, clock_offset=7200.0)
        assert claimed_update(ahead) == NOON - 7200
        behind = replace(seen(WORKING, 7200), honest_clock=True, clock_offset=-7200.0)
        behind = replace(behind, last_updated_at=CREATED)
        assert reasons(watched(behind, None)) == []

    @pytest.mark.parametrize(
        "doubt",
        [{"honest_clock": False}, {"clock_offset": None}, {"last_updated_at": "yesterday"}],
        ids=["may be the time of the poll", "unknown skew", "no time"],
    )
    def test_a_claim_in_doubt_does_not_count(self, doubt: dict[str, object]) -> None:
        honest = replace(seen(WORKING, 7200), honest_clock=True, last_updated_at=CREATED)
        assert reasons(watched(replace(honest, **doubt), None)) == []  # type: ignore[arg-type]  # one field each


class TestExpiring:
    lasting = replace(WORKING, ttl_ms=3_600_000, ttl_known=True)

    def test_near_the_estimated_end(self) -> None:
        assert reasons(self.lasting, now=NOON + 3299) == []
        (one,) = reasons(self.lasting, now=NOON + 3360)
        assert one == Attention(
            Reason.EXPIRING, NOON + 3300, "may expire in 4 m (its time to live is 1 h 00 m)"
        )

    def test_past_the_estimate_it_may_be_any_moment(self) -> None:
        assert reasons(self.lasting, now=NOON + 9999)[0].text.startswith("may expire any moment")

    def test_who_answers_past_the_estimate_lives_on(self) -> None:
        assert estimated_end(seen(self.lasting, 3601)) is None

    def test_a_short_life_is_not_expiring_all_along(self) -> None:
        brief = replace(WORKING, ttl_ms=8000, ttl_known=True)
        assert reasons(brief, now=NOON + 5.9) == []
        assert kinds(reasons(brief, now=NOON + 6)) == [Reason.EXPIRING]

    def test_it_is_told_by_the_servers_clock(self) -> None:
        ahead = replace(self.lasting, clock_offset=600.0, observed_at=NOON - 600)
        assert estimated_end(ahead) == NOON + 3000

    def test_a_question_may_have_a_time_to_live_of_its_own(self) -> None:
        asking = replace(ASKING, ttl_ms=900_000, ttl_known=True)
        asked_late = replace(asking, changed_at=NOON + 1000, observed_at=NOON + 1000)
        assert estimated_end(asked_late) == NOON + 1900
        found = reasons(asked_late, now=NOON + 1800)
        assert kinds(found) == [Reason.INPUT_REQUIRED, Reason.EXPIRING]

    @pytest.mark.parametrize(
        ("ttl_ms", "known", "created"),
        [
            (None, True, CREATED),
            (None, False, CREATED),
            (3_600_000, False, CREATED),
            (0, True, CREATED),
            (-1, True, CREATED),
            (10**400, True, CREATED),
            (3_600_000, True, None),
            (3_600_000, True, "yesterday"),
        ],
    )
    def test_without_a_limit_nothing_expires(
        self, ttl_ms: int | None, known: bool, created: str | None
    ) -> None:
        snapshot = replace(WORKING, ttl_ms=ttl_ms, ttl_known=known, created_at=created)
        assert estimated_end(snapshot) is None
        assert reasons(snapshot, now=NOON + 3590) == []


class TestCancel:
    def test_a_cancel_that_the_server_does_not_follow(self) -> None:
        asked = replace(WORKING, cancel_requested_at=NOON)
        assert reasons(seen(asked, 29)) == []
        (one,) = reasons(seen(asked, 120))
        assert one == Attention(
            Reason.CANCEL_UNANSWERED,
            NOON,
            "not stopping: cancel requested 2 m ago",
            "cancel requested 2 m ago",
        )

    def test_without_a_read_since_it_is_not_known(self) -> None:
        assert reasons(replace(WORKING, cancel_requested_at=NOON), now=NOON + 3600) == []


class TestReadFailing:
    failing = replace(
        WORKING, read=ReadState(at=NOON + 60, ok=False, error="HTTP 500\x1b[2J", failures=3)
    )

    def test_it_says_how_often_and_why(self) -> None:
        (one,) = reasons(self.failing)
        assert one == Attention(
            Reason.READ_FAILING,
            NOON,
            "cannot be read, 3 failures in a row: HTTP 500^[[2J",
            "3 failures in a row: HTTP 500^[[2J",
        )

    def test_one_failure_is_no_alarm(self) -> None:
        once = replace(self.failing, read=replace(self.failing.read, failures=1))
        assert reasons(once) == []

    def test_the_servers_fault_is_the_servers_line(self) -> None:
        assert reasons(self.failing, server_at_fault=True) == []

    def test_what_was_never_read_fails_since_its_last_try(self) -> None:
        never = replace(self.failing, observed_at=None)
        assert reasons(never, now=NOON + 90)[0].since == NOON + 60


def test_the_most_urgent_reason_comes_first() -> None:
    everything = replace(
        TestStuck.lively,
        observed_at=NOON + 3400,
        ttl_ms=3_600_000,
        ttl_known=True,
        cancel_requested_at=NOON,
        read=ReadState(at=NOON, ok=False, error="e", failures=9),
    )
    assert kinds(reasons(everything)) == [
        Reason.STUCK,
        Reason.EXPIRING,
        Reason.CANCEL_UNANSWERED,
        Reason.READ_FAILING,
    ]
    asking = replace(everything, status="input_required", input_requests={"a": {}})
    assert kinds(reasons(asking)) == [
        Reason.INPUT_REQUIRED,
        Reason.EXPIRING,
        Reason.CANCEL_UNANSWERED,
        Reason.READ_FAILING,
    ]


@pytest.mark.parametrize(
    "end",
    [{"status": "completed"}, {"status": "failed"}, {"status": "cancelled"}, {"gone_at": NOON}],
)
def test_what_has_ended_wants_nobody(end: dict[str, object]) -> None:
    over = replace(TestReadFailing.failing, cancel_requested_at=NOON, **end)  # type: ignore[arg-type]  # one field each
    assert reasons(seen(over, 90_000)) == []


class TestNextMoment:
    """Reasons that come by time alone, so that the engine knows when to look again."""

    lasting = TestExpiring.lasting

    def test_when_it_begins_to_expire(self) -> None:
        assert next_moment(self.lasting, {}, SETTINGS, now=NOON) == NOON + 3300
        assert reasons(self.lasting, now=NOON + 3300) != reasons(self.lasting, now=NOON + 3299)
        assert next_moment(self.lasting, {}, SETTINGS, now=NOON + 3300) is None

    def test_when_an_answer_should_have_been_sent(self) -> None:
        answers = {"a": answer("a", AnswerState.INTENDED), "old": answer("old", AnswerState.SENT)}
        assert next_moment(ASKING, answers, SETTINGS, now=NOON) == NOON + 60
        sent = {"a": answer("a", AnswerState.SENT)}
        assert next_moment(ASKING, sent, SETTINGS, now=NOON) is None

    def test_nothing_comes_of_time_alone(self) -> None:
        assert next_moment(WORKING, {}, SETTINGS, now=NOON) is None
        assert next_moment(replace(self.lasting, gone_at=NOON), {}, SETTINGS, now=NOON) is None


class TestQuiet:
    def test_it_is_told_from_a_minute_on(self) -> None:
        assert quiet_text(seen(WORKING, 59), {}, now=NOON + 59) == ""
        later = quiet_text(seen(WORKING, 240), {}, now=NOON + 240)
        assert later == "quiet for 4 m"

    def test_an_honest_server_knows_more(self) -> None:
        honest = replace(seen(WORKING, 7200), honest_clock=True, last_updated_at=CREATED)
        text = quiet_text(watched(honest, NOON + 7100), {}, now=NOON + 7200)
        assert text == "server says: last update 2 h 00 m ago"

    def test_nothing_is_said_of_what_nobody_watched_or_what_ended(self) -> None:
        assert quiet_for(watched(WORKING, None), {}) is None
        assert quiet_text(watched(Snapshot(), NOON), {}, now=NOON) == ""
        done = replace(seen(WORKING, 600), status="completed")
        assert quiet_text(done, {}, now=NOON + 600) == ""


STEPPING = replace(WORKING, message_changes=9, usual_gap=10.0)
HONEST = replace(WORKING, honest_clock=True, last_updated_at="2026-09-01T09:58:00Z")


class TestCalm:
    """Up to a moment known beforehand, reads without news need no second look."""

    @pytest.mark.parametrize(
        "snapshot",
        [
            WORKING,
            STEPPING,
            HONEST,
            replace(HONEST, resumed_at=NOON - 60),
            replace(STEPPING, cancel_requested_at=NOON - 1),
            replace(STEPPING, held=True, cancel_requested_at=NOON - 1),
        ],
    )
    def test_the_reason_comes_at_that_moment(self, snapshot: Snapshot) -> None:
        snapshot = watched(snapshot, NOON - 5)
        until = calm_until(snapshot, {}, SETTINGS)
        assert reasons(seen(snapshot, until - NOON - 0.01)) == []
        assert reasons(seen(snapshot, until - NOON)) != []

    def test_without_a_reason_to_come_there_is_no_moment(self) -> None:
        done = replace(WORKING, status="completed")
        for calm in (done, ASKING):
            assert calm_until(calm, {}, SETTINGS) == math.inf

    def test_what_nobody_watched_yet_is_looked_at(self) -> None:
        assert calm_until(watched(WORKING, None), {}, SETTINGS) == -math.inf


@given(
    changed=st.floats(0, 900),
    watched=st.floats(0, 900),
    later=st.floats(0, 3000),
    message_changes=st.integers(0, 3),
    usual_gap=st.none() | st.floats(0, 100),
    honest_clock=st.booleans(),
    cancelled=st.none() | st.floats(0, 900),
    resumed=st.none() | st.floats(0, 900),
    held=st.booleans(),
    answered=st.none() | st.floats(0, 900),
    ttl_ms=st.none() | st.integers(1, 3_000_000),
)
def test_reads_without_news_give_no_reason_before_it_is_looked_for(
    changed: float,
    watched: float,
    later: float,
    cancelled: float | None,
    resumed: float | None,
    answered: float | None,
    **fields: Any,
) -> None:
    snapshot = replace(
        WORKING if answered is None else ASKING,
        changed_at=NOON - changed,
        last_updated_at=CREATED,
        cancel_requested_at=None if cancelled is None else NOON - cancelled,
        resumed_at=None if resumed is None else NOON - resumed,
        ttl_known=True,
        watched_since=NOON - watched,
        **fields,
    )
    at = NOON - (answered or 0)
    answers = {} if answered is None else {key: answer(key, AnswerState.SENT, at) for key in "ab"}
    assume(reasons(snapshot, answers=answers) == [])
    until = calm_until(snapshot, answers, SETTINGS)
    check = next_moment(snapshot, answers, SETTINGS, now=NOON)
    assume(NOON + later < min(until, math.inf if check is None else check))
    assert reasons(seen(snapshot, later), answers=answers) == []


MOMENTS = st.none() | st.floats(0, 2 * NOON)


@given(
    MOMENTS,
    MOMENTS,
    MOMENTS,
    MOMENTS,
    st.none() | st.integers(),
    st.floats(0, 2 * NOON),
    st.sampled_from(["working", "input_required", "odd", None]),
)
def test_whatever_was_seen_a_reason_is_one_clean_line(
    observed: float | None,
    changed: float | None,
    watched: float | None,
    cancelled: float | None,
    ttl: int | None,
    now: float,
    status: str | None,
) -> None:
    snapshot = Snapshot(
        status=status,
        created_at=CREATED,
        ttl_ms=ttl,
        ttl_known=True,
        observed_at=observed,
        changed_at=changed,
        watched_since=watched,
        cancel_requested_at=cancelled,
        read=ReadState(ok=False, failures=5, error="two\nlines"),
    )
    for one in attention(snapshot, {}, SETTINGS, now=now):
        assert one.text
        assert "\n" not in one.text

"""How times, sizes, counts and states read, and how servers write times."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui.handles.model import ReadState, Snapshot, State
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.supervise.words import (
    COVERAGES,
    REASONS,
    STATES,
    STUCK,
    ago,
    clock_time,
    counted,
    duration,
    freshness,
    lasting,
    left,
    local_time,
    moves_on,
    parse_time,
    passed,
    percent,
    requested_label,
    short_age,
    short_left,
    size,
    state_label,
    title,
    view_glyph,
)
from tests.supervise.samples import NOON, a_view


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (0.4, "0 s"),
        (59.9, "59 s"),
        (60, "1 m"),
        (240, "4 m"),
        (3599, "59 m"),
        (3600, "1 h 00 m"),
        (7500, "2 h 05 m"),
        (86_399, "23 h 59 m"),
        (86_400, "1 d"),
        (3.5 * 86_400, "3 d"),
        (400 * 86_400, "400 d"),
        (math.inf, "?"),
        (math.nan, "?"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("fraction", "words"),
    [
        *((-0.1, "0%"), (0.0, "0%"), (0.004, "0%"), (0.29, "29%"), (0.57, "57%"), (0.358, "36%")),
        *((0.68, "68%"), (0.994, "99%"), (0.996, "99%"), (0.99999, "99%"), (1.0, "100%")),
        (1.2, "100%"),
    ],
)
def test_percent_is_whole_only_for_the_whole(fraction: float, words: str) -> None:
    assert percent(fraction) == words


def test_every_percentage_of_a_server_is_shown_as_it_said_it() -> None:
    assert [percent(number / 100) for number in range(101)] == [f"{n}%" for n in range(101)]


def test_ago() -> None:
    assert ago(NOON - 240, NOON) == "4 m ago"
    assert ago(NOON + 5, NOON) == "just now"
    assert ago(NOON - 9.9, NOON) == "just now"
    assert ago(NOON - 19.9, NOON) == "10 s ago"
    assert ago(None, NOON) == "never"


@pytest.mark.parametrize(
    ("seconds", "gone_by", "in_short", "still", "soon"),
    [
        (0.4, "just now", "now", "10 s", "10s"),
        (9.9, "just now", "now", "10 s", "10s"),
        (10.0, "10 s ago", "10s", "10 s", "10s"),
        (13.0, "10 s ago", "10s", "20 s", "20s"),
        (59.9, "50 s ago", "50s", "1 m", "1m"),
        (60.0, "1 m ago", "1m", "1 m", "1m"),
        (61.0, "1 m ago", "1m", "2 m", "2m"),
        (3599.0, "59 m ago", "59m", "1 h 00 m", "1h"),
    ],
)
def test_what_passes_is_rounded_down_and_what_is_to_come_up_everywhere_alike(
    seconds: float, gone_by: str, in_short: str, still: str, soon: str
) -> None:
    at = NOON - seconds
    assert ago(at, NOON) == gone_by
    assert short_age(seconds) == in_short
    assert lasting(at, NOON) == (
        "since just now" if in_short == "now" else f"for {gone_by.removesuffix(' ago')}"
    )
    assert (left(seconds), short_left(seconds)) == (still, soon)


def test_what_is_due_is_due_now() -> None:
    assert short_left(0.0) == short_left(-5.0) == "now"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (999, "999 B"),
        (1500, "1.5 kB"),
        (9_960, "10 kB"),
        (999_400, "999 kB"),
        (999_600, "1.0 MB"),
        (17_000_000, "17 MB"),
        (5 * 10**12, "5.0 TB"),
        (5 * 10**15, "5000 TB"),
    ],
)
def test_size(count: float, words: str) -> None:
    assert size(count) == words


def test_counted() -> None:
    assert [counted(number, "task") for number in (0, 1, 2, 12_000)] == [
        "0 tasks",
        "1 task",
        "2 tasks",
        "12,000 tasks",
    ]


def test_local_times_are_in_the_zone_that_is_given() -> None:
    kolkata = timezone(timedelta(hours=5, minutes=30))
    assert local_time(NOON, UTC) == "2026-09-01 10:00:00"
    assert local_time(NOON, kolkata) == "2026-09-01 15:30:00"
    assert local_time(1e300, UTC) == local_time(math.nan, UTC) == "?"


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (-3600, "09:00:00"),
        (-86_400, "2026-08-31 10:00"),
        (86_400, "2026-09-02 10:00"),
    ],
)
def test_a_moment_of_today_is_told_by_the_clock(offset: float, words: str) -> None:
    assert clock_time(NOON + offset, NOON, UTC) == f"{words}Z"
    east = timezone(timedelta(hours=2))
    assert clock_time(NOON + offset - 7200, NOON - 7200, east) == words


def test_a_moment_that_no_clock_has_is_none_of_any_zone() -> None:
    assert clock_time(1e300, NOON, UTC) == clock_time(1e300, NOON) == "?"


_QUARTERS = st.integers(-4 * 200_000, 4 * 200_000).map(lambda number: NOON + number / 4)


@given(at=_QUARTERS, share=st.floats(0, 1, exclude_max=True))
def test_what_is_told_of_a_moment_rests_until_it_moves_on(at: float, share: float) -> None:
    def told(now: float, *, short: bool) -> list[str]:
        if short:
            return [short_age(now - at), short_left(at - now)]
        past, to_come = duration(passed(now - at)), left(at - now) if at > now else "now"
        return [ago(at, now), lasting(at, now), past, to_come]

    for short in (False, True):
        until = moves_on(at, NOON, short=short)
        assert NOON < until <= NOON + (3600 if short else 60)
        later = NOON + int((until - NOON) * share * 4) / 4
        assert told(later, short=short) == told(NOON, short=short)


def test_every_state_reason_and_coverage_has_its_words() -> None:
    assert set(STATES) == set(State)
    assert set(REASONS) == set(Reason)
    assert set(COVERAGES) == set(Coverage)


def test_states_and_being_stuck_can_be_told_apart_without_colour() -> None:
    signs = [*STATES.values(), STUCK]
    for told in ("word", "glyph", "ascii"):
        assert len({getattr(one, told) for one in signs}) == len(signs)
    assert all(one.ascii.isascii() for one in signs)
    assert {cell_len(sign) for one in signs for sign in (one.glyph, one.ascii)} == {1}


def test_a_stuck_task_has_its_own_sign_until_it_wants_something_more_urgent() -> None:
    moving = a_view("1", state=State.WORKING, attention=(Reason.EXPIRING,))
    stuck = a_view("1", state=State.WORKING, attention=(Reason.STUCK, Reason.EXPIRING))
    asks = a_view("1", state=State.INPUT_REQUIRED, attention=(Reason.INPUT_REQUIRED, Reason.STUCK))
    assert [view_glyph(view) for view in (moving, stuck, asks)] == ["●", "◐", "◆"]
    assert [view_glyph(view, ascii_only=True) for view in (moving, stuck, asks)] == ["*", "=", "?"]


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [
        (Snapshot(), "not read yet"),
        (Snapshot(status="working"), "working"),
        (Snapshot(status="input_required"), "needs input"),
        (Snapshot(status="completed"), "completed"),
        (Snapshot(status="completed", tool_error=True), "tool error"),
        (Snapshot(status="working", gone_at=NOON), "gone"),
        (Snapshot(status="rejected"), "rejected"),
        (Snapshot(status="COMPLETED"), "COMPLETED"),
        (Snapshot(status="re\x1b[2J"), "re^[[2J"),
        (Snapshot(status="x" * 100), f"{'x' * 40}…"),
    ],
)
def test_the_state_is_told_as_the_server_said_it(snapshot: Snapshot, words: str) -> None:
    assert state_label(a_view(state=snapshot.state, snapshot=snapshot)) == words


def test_an_answered_question_is_not_waiting_for_a_person() -> None:
    asks = Snapshot(status="input_required", input_requests={"a": {}})
    state = State.INPUT_REQUIRED
    assert state_label(a_view(state=state, snapshot=asks)) == "answered, waiting"
    assert state_label(a_view(state=state, snapshot=asks, open_requests=("a",))) == "needs input"
    works = replace(asks, status="working")
    assert state_label(a_view(state=State.WORKING, snapshot=works)) == "working"


def test_what_we_asked_for_is_told_apart_from_what_is() -> None:
    working = Snapshot(status="working", cancel_requested_at=NOON - 120)
    assert state_label(a_view(snapshot=working)) == "working"
    assert requested_label(working, NOON) == "cancel requested 2 m ago"
    assert requested_label(replace(working, status="cancelled"), NOON) == ""
    assert requested_label(Snapshot(status="working"), NOON) == ""


@pytest.mark.parametrize(
    ("label", "tool", "name"),
    [
        ("Docs", "build", "Docs"),
        (None, "build", "build"),
        ("", "build", "build"),
        (" \n ", None, "task-k1"),
        ("a\nb\x1b", None, "a b^["),
    ],
)
def test_a_task_has_a_name(label: str | None, tool: str | None, name: str) -> None:
    assert title(a_view(label=label, tool=tool).handle) == name


@pytest.mark.parametrize(
    ("snapshot", "live", "words"),
    [
        (Snapshot(), False, "never read"),
        (Snapshot(observed_at=NOON - 4), True, "read just now"),
        (Snapshot(observed_at=NOON - 300_000), False, "last seen 3 d ago"),
        (
            Snapshot(observed_at=NOON - 60, read=ReadState(at=NOON, ok=False, failures=3)),
            True,
            "read 1 m ago, 3 failed reads",
        ),
        (
            Snapshot(read=ReadState(at=NOON, ok=False, failures=1)),
            False,
            "never read, 1 failed read",
        ),
    ],
)
def test_freshness(snapshot: Snapshot, live: bool, words: str) -> None:
    assert freshness(replace(a_view(snapshot=snapshot), live=live), NOON) == words


@pytest.mark.parametrize(
    "text",
    [
        "2026-09-01T10:00:00Z",
        "2026-09-01T10:00:00+00:00",
        "2026-09-01T10:00:00-00:00",
        "2026-09-01T12:00:00.000000000+02:00",
        "2026-09-01T15:30:00+0530",
        "2026-09-01T12:00:00+02",
        "2026-09-01T10:00:00.000Z",
        "2026-09-01T10:00:00,0Z",
        "2026-09-01t10:00:00z",
        "2026-09-01 10:00:00",
        "2026-09-01 10:00:00 UTC",
        "2026-09-01T10:00:00",
        "2026-09-01T10:00Z",
        "2026-09-01T09:59:60Z",
        "2026-08-31T24:00:00-10:00",
        " 2026-09-01T10:00:00Z ",
        1788256800,
        1788256800.0,
        1788256800000,
        1788256800000000,
        1788256800000000000,
        "1788256800",
        "1788256800000",
    ],
)
def test_one_instant_in_the_spellings_of_servers(text: object) -> None:
    assert parse_time(text) == NOON


def test_fractions_and_plain_dates() -> None:
    assert parse_time("2026-09-01T10:00:00.563011+00:00") == pytest.approx(NOON + 0.563011)
    assert parse_time("2026-09-01T10:00:00.123456789Z") == pytest.approx(NOON + 0.123456789)
    assert parse_time("2026-09-01") == NOON - 36_000
    assert parse_time("1969-12-31T23:59:59Z") == -1


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "yesterday", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "0000-01-01"),
        *("2026-09-01T25:00:00Z", "2026-09-01T10:61:00Z", "2026-09-01T10:00:00+2", "nan", "inf"),
        *("2026-09-01T10:00:00Zzz", "٢٠٢٦-09-01", "2026-09-01T10:00:00Z" + "0" * 60),
        *(None, True, False, [], {}, math.nan, math.inf, -math.inf, 10**400, -(10**400), -5, 1e20),
    ],
)
def test_what_is_no_time_is_none(value: object) -> None:
    assert parse_time(value) is None


@given(st.text(max_size=80) | st.integers() | st.floats() | st.from_regex(r"[0-9TZ:+. -]{0,40}"))
def test_a_timestamp_never_fails(value: object) -> None:
    found = parse_time(value)
    assert found is None or math.isfinite(found)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_text_is_read_back(moment: datetime) -> None:
    assert parse_time(moment.isoformat()) == pytest.approx(moment.timestamp(), abs=1e-4)

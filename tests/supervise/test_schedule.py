"""When a task is read next: never earlier than allowed, never all at once."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import ReadState, Snapshot
from mcp_tasks_tui.supervise.schedule import (
    PollNow,
    Timetable,
    backoff,
    first_wait,
    interval,
    probe_wait,
    retry_after_wait,
    wait,
)
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.words import parse_time
from tests.supervise.samples import NOON

SETTINGS = EngineSettings()
WORKING = Snapshot(status="working", poll_interval_ms=1000, observed_at=NOON, changed_at=NOON)
FRACTIONS = st.floats(0, 1)


@pytest.mark.parametrize(
    ("hint", "seconds"),
    [
        (1000, 1.0),
        (30_000, 30.0),
        (3_600_000, 3600.0),
        (None, 5.0),
        (0, 5.0),
        (-5, 5.0),
        (1, 0.5),
        (499, 0.5),
        (10**12, 5.0),
        (10**400, 5.0),
        (-(10**400), 5.0),
        (math.nan, 5.0),
        (math.inf, 5.0),
    ],
)
def test_the_servers_interval_and_what_is_no_interval(hint: float | None, seconds: float) -> None:
    assert interval(hint, SETTINGS) == seconds


@pytest.mark.parametrize(
    ("minimum", "hint", "seconds"),
    [(10, 1000, 10), (10, 30_000, 30), (0.001, None, 5), (0.001, 1, 0.5), (10, None, 10)],
)
def test_a_user_can_only_slow_down(minimum: float, hint: int | None, seconds: float) -> None:
    assert interval(hint, replace(SETTINGS, min_poll=minimum)) == seconds


@pytest.mark.parametrize("default", [0.001, 0.0, -1.0])
def test_the_floor_holds_for_the_default_too(default: float) -> None:
    assert interval(None, replace(SETTINGS, default_poll=default, min_poll=default)) == 0.5


def test_without_a_hint_polling_slows_down_while_nothing_changes() -> None:
    assert [interval(None, SETTINGS, quiet=quiet) for quiet in (0, 50, 120, 6000)] == [5, 5, 12, 30]
    assert interval(1000, SETTINGS, quiet=6000) == 1


@pytest.mark.parametrize(
    ("failures", "most"), [(0, 0), (1, 5), (2, 10), (3, 20), (4, 40), (5, 60), (6, 60), (10**9, 60)]
)
def test_backoff_doubles_to_its_cap_with_full_jitter(failures: int, most: float) -> None:
    assert backoff(failures, SETTINGS, 1.0) == most
    assert backoff(failures, SETTINGS, 0.5) == most / 2
    assert backoff(failures, SETTINGS, 0.0) == 0


@pytest.mark.parametrize(
    ("said", "seconds"),
    [(None, 0), (30, 30), (-5, 0), (0, 0), (99_999_999, 900), (math.inf, 900), (math.nan, 0)],
)
def test_retry_after_is_bounded(said: float | None, seconds: float) -> None:
    assert retry_after_wait(said, SETTINGS) == seconds


def test_two_tasks_of_one_server_keep_their_own_pace() -> None:
    slow = replace(WORKING, poll_interval_ms=30_000)
    assert wait(WORKING, SETTINGS, fraction=0, now=NOON) == 1
    assert wait(slow, SETTINGS, fraction=0, now=NOON) == 30


def test_the_largest_of_all_sources_counts() -> None:
    failing = replace(WORKING, read=ReadState(at=NOON, ok=False, failures=3))
    assert wait(failing, SETTINGS, fraction=1, now=NOON) == pytest.approx(20 * 1.05)
    assert wait(failing, SETTINGS, fraction=0, now=NOON) == 1
    assert wait(failing, SETTINGS, fraction=0, now=NOON, retry_after=30) == 30


def test_not_founds_are_looked_at_again_at_the_normal_pace() -> None:
    missing = replace(WORKING, read=ReadState(at=NOON, ok=False, failures=2, not_found=2))
    assert wait(missing, SETTINGS, fraction=1, now=NOON) == pytest.approx(1.05)


@pytest.mark.parametrize(
    ("snapshot", "pushed", "seconds"),
    [
        (WORKING, True, 60),
        (replace(WORKING, poll_interval_ms=30_000), True, 120),
        (replace(WORKING, gone_at=NOON), False, 300),
        (replace(WORKING, gone_at=NOON, poll_interval_ms=600_000), False, 600),
        (replace(WORKING, status="rejected"), False, 30),
        (replace(WORKING, status="input_required"), False, 1),
        (Snapshot(), False, 5),
    ],
    ids=["pushed", "pushed, slow", "gone", "gone, slow", "unknown status", "asks", "never read"],
)
def test_who_is_read_slower(snapshot: Snapshot, pushed: bool, seconds: float) -> None:
    assert wait(snapshot, SETTINGS, fraction=0, now=NOON, pushed=pushed) == seconds


def test_a_pushed_task_is_read_when_its_server_may_have_dropped_it() -> None:
    short = replace(WORKING, created_at="2026-11-29T12:00:00Z", ttl_known=True, ttl_ms=95_000)
    created = parse_time(short.created_at)
    assert created is not None

    def pushed(seen: float, read: ReadState | None = None) -> float | None:
        known = replace(short, observed_at=created + seen, read=read or ReadState())
        return wait(known, SETTINGS, fraction=0, now=created + seen, pushed=True)

    assert [pushed(seen) for seen in (0, 60, 95, 200)] == [60, 36, 60, 60]
    missing = ReadState(at=created + 96, ok=False, failures=1, not_found=1)
    assert pushed(60, missing) == 1


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_what_has_ended_is_not_read_again(status: str) -> None:
    assert wait(replace(WORKING, status=status), SETTINGS, fraction=0, now=NOON) is None


def test_a_person_can_hold_polling() -> None:
    held = replace(WORKING, held=True)
    assert wait(held, SETTINGS, fraction=0, now=NOON) is None
    assert first_wait(held, SETTINGS, now=NOON, position=0, count=1) is None


@given(st.none() | st.integers(), FRACTIONS, st.integers(0, 100), st.none() | st.floats())
def test_no_read_comes_earlier_than_allowed(
    hint: int | None, fraction: float, failures: int, retry_after: float | None
) -> None:
    snapshot = replace(
        WORKING, poll_interval_ms=hint, read=ReadState(ok=not failures, failures=failures)
    )
    seconds = wait(snapshot, SETTINGS, fraction=fraction, now=NOON, retry_after=retry_after)
    assert seconds is not None
    assert seconds >= max(interval(hint, SETTINGS), retry_after_wait(retry_after, SETTINGS))
    assert math.isfinite(seconds)


def test_jitter_on_a_long_wait_stays_small() -> None:
    hourly = replace(WORKING, poll_interval_ms=3_600_000)
    assert wait(hourly, SETTINGS, fraction=1, now=NOON) == 3605


class TestFirstReads:
    @staticmethod
    def starts(count: int, snapshot: Snapshot, now: float = NOON + 1_000_000) -> list[float]:
        waits = [
            first_wait(snapshot, SETTINGS, now=now, position=position, count=count)
            for position in range(count)
        ]
        return [seconds for seconds in waits if seconds is not None]

    def test_five_hundred_handles_make_no_burst(self) -> None:
        starts = self.starts(500, Snapshot(status="working", observed_at=NOON))
        assert len(starts) == 500
        assert min(starts) == 0
        assert max(starts) == pytest.approx(
            5 * 499 / 500
        )  # within the normal interval: the rate of the steady state
        for second in range(5):
            assert sum(second <= start < second + 1 for start in starts) <= 101

    def test_thousands_that_were_never_read_do_not_flood_the_server(self) -> None:
        starts = self.starts(10_000, Snapshot())
        assert max(starts) == pytest.approx(99.99)
        known = self.starts(10_000, replace(WORKING, poll_interval_ms=30_000))
        assert max(known) == pytest.approx(30, rel=0.01)

    def test_one_handle_starts_at_once(self) -> None:
        assert self.starts(1, Snapshot(status="working")) == [0]

    def test_few_handles_start_soon(self) -> None:
        assert self.starts(3, WORKING) == pytest.approx([0, 0.2, 0.4])

    def test_slow_tasks_do_not_wait_for_their_whole_interval(self) -> None:
        assert max(self.starts(10, replace(WORKING, poll_interval_ms=3_600_000))) < 2.1

    def test_a_task_read_a_moment_ago_keeps_its_spacing(self) -> None:
        fresh = replace(WORKING, poll_interval_ms=10_000, observed_at=NOON)
        starts = self.starts(50, fresh, now=NOON + 1)
        assert min(starts) == 9
        for second in range(20):
            assert sum(second <= start < second + 1 for start in starts) <= 6

    def test_a_clock_set_back_does_not_stop_the_first_read(self) -> None:
        assert self.starts(1, WORKING, now=NOON - 1_000_000) == [1]

    def test_a_failed_read_counts_as_a_read(self) -> None:
        tried = replace(WORKING, read=ReadState(at=NOON + 10, ok=False, failures=1))
        assert self.starts(1, tried, now=NOON + 10.25) == [0.75]


def test_a_probe_is_never_a_loop_and_obeys_retry_after() -> None:
    assert probe_wait(1, SETTINGS, fraction=0) == 0.5
    assert probe_wait(9, SETTINGS, fraction=1) == 60
    assert probe_wait(1, SETTINGS, fraction=0, retry_after=120) == 120


class TestPollNow:
    def test_one_press_is_served_at_once(self) -> None:
        assert PollNow(SETTINGS).due(100.0) == 100.0

    def test_a_task_just_read_waits_a_moment(self) -> None:
        assert PollNow(SETTINGS).due(100.0, last_read=99.75) == 100.75

    def test_many_at_once_are_spread(self) -> None:
        poll_now = PollNow(SETTINGS)
        due = [poll_now.due(100.0) for _ in range(1000)]
        assert due[:10] == [100.0] * 10
        assert due[-1] == pytest.approx(100 + 990 * 0.05)
        assert all(sum(at <= one < at + 1 for one in due) <= 31 for at in range(100, 150))

    def test_a_pause_gives_the_burst_back(self) -> None:
        poll_now = PollNow(SETTINGS)
        for _ in range(100):
            poll_now.due(100.0)
        assert [poll_now.due(200.0) for _ in range(3)] == [200.0] * 3


class TestTimetable:
    def test_keys_come_out_when_due_the_longest_overdue_first(self) -> None:
        table = Timetable()
        table.set("b", 2.0)
        table.set("a", 1.0)
        table.set("c", 3.0)
        assert table.next_due() == 1.0
        assert table.due(2.0) == ["a", "b"]
        assert table.due(2.0) == []
        assert (len(table), "c" in table, "a" in table) == (1, True, False)

    def test_a_key_has_one_place(self) -> None:
        table = Timetable()
        for due in (5.0, 1.0, 9.0):
            table.set("a", due)
        assert table.when("a") == table.next_due() == 9.0
        assert table.due(8.0) == []
        assert table.due(9.0) == ["a"]
        assert table.next_due() is None

    def test_a_removed_key_does_not_come(self) -> None:
        table = Timetable()
        table.set("a", 1.0)
        table.remove("a")
        table.remove("never there")
        assert table.when("a") is None
        assert table.next_due() is None
        assert table.due(10.0) == []

    def test_planning_over_and_over_does_not_grow_the_heap(self) -> None:
        table = Timetable()
        for turn in range(10_000):
            table.set(f"k{turn % 10}", float(turn))
        assert len(table._heap) < 100

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["set", "remove", "due"]),
                st.sampled_from("abcd"),
                st.integers(0, 9),
            )
        )
    )
    def test_it_does_what_a_plain_dictionary_would(self, steps: list[tuple[str, str, int]]) -> None:
        table, plain = Timetable(), dict[str, float]()
        for step, key, number in steps:
            if step == "set":
                table.set(key, float(number))
                plain[key] = float(number)
            elif step == "remove":
                table.remove(key)
                plain.pop(key, None)
            else:
                expected = sorted((at, name) for name, at in plain.items() if at <= number)
                assert table.due(float(number)) == [name for _, name in expected]
                for _, name in expected:
                    del plain[name]
            assert len(table) == len(plain)
            assert table.next_due() == min(plain.values(), default=None)

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import Snapshot
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.watching import WATCH_GAP, joined_watch, longest_gap, watch_after

SETTINGS = EngineSettings()
WATCHED = Snapshot(status="working", changed_at=1000, watched_since=1000, observed_at=1500)


def after(known: Snapshot, now: float, changed_at: float | None = 1000) -> float:
    seen = replace(known, changed_at=changed_at, observed_at=now)
    return watch_after(known, seen, {}, SETTINGS, now=now, gap=60)


def test_a_watch_goes_on_while_reads_are_close_and_begins_anew_after_a_gap() -> None:
    assert after(WATCHED, 1560) == 1000
    assert after(WATCHED, 1561) == 1561
    assert after(replace(WATCHED, watched_since=None), 1501) == 1501
    assert after(Snapshot(), 5) == 5


def test_what_was_stuck_before_a_gap_takes_its_watched_time_along_unless_it_moved() -> None:
    stuck = replace(WATCHED, observed_at=1700)
    assert after(stuck, 90_000) == 90_000 - 700
    assert after(stuck, 90_000, changed_at=90_000) == 90_000


@pytest.mark.parametrize(
    ("interval_ms", "covered", "gap"),
    [(1_000, False, WATCH_GAP), (60_000, False, 180), (1_000, True, 180), (60_000, True, 720)],
)
def test_a_gap_is_longer_than_the_reads_lie_apart(
    interval_ms: int, covered: bool, gap: float
) -> None:
    snapshot = Snapshot(poll_interval_ms=interval_ms)
    assert longest_gap(snapshot, SETTINGS, covered=covered) == gap


@pytest.mark.parametrize(
    ("ours", "theirs", "joined"),
    [
        ((1000, 1500), (1510, 1520), 1000),
        ((1510, 1520), (1000, 1500), 1000),
        ((1000, 1500), (1100, 1200), 1000),
        ((1000, 1500), (1561, 1600), 1561),
        ((1561, 1600), (1000, 1500), 1561),
        ((None, 1600), (1000, 1500), 1000),
        ((1000, 1500), (None, 1600), 1000),
        ((None, None), (None, None), None),
    ],
)
def test_two_watches_without_a_gap_between_them_are_one(
    ours: tuple[float | None, float | None],
    theirs: tuple[float | None, float | None],
    joined: float | None,
) -> None:
    one, other = (Snapshot(watched_since=since, observed_at=at) for since, at in (ours, theirs))
    assert joined_watch(one, other, gap=60) == joined

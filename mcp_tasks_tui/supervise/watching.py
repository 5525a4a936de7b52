"""Since when a task is watched: read without a gap. Pure.

`Snapshot.watched_since` is the start of the watch whose last read is `observed_at`; it is kept on
the disk, so that a program that ends and starts again goes on where it was. Times are epoch
seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.attention import stuck_for
from mcp_tasks_tui.supervise.schedule import interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import AnswerRecord, Snapshot
    from mcp_tasks_tui.supervise.settings import EngineSettings

#: A gap between good reads above this many seconds (or intervals) means that nobody watched.
WATCH_GAP = 60.0
_WATCH_GAP_INTERVALS = 3.0


def longest_gap(snapshot: Snapshot, settings: EngineSettings, *, covered: bool) -> float:
    """Return how many seconds may lie between two good reads of one watch."""
    normal = interval(snapshot.poll_interval_ms, settings)
    if covered:
        normal = max(settings.pushed_poll, settings.pushed_intervals * normal)
    return max(WATCH_GAP, _WATCH_GAP_INTERVALS * normal)


def watch_after(
    known: Snapshot,
    seen: Snapshot,
    answers: Mapping[str, AnswerRecord],
    settings: EngineSettings,
    *,
    now: float,
    gap: float,
) -> float:
    """Return the start of the watch once a good read at `now` has made `seen` of `known`.

    It goes on, or begins anew after a gap. What was stuck before the gap and is as it was is
    stuck still, and for no longer: the gap itself does not count.
    """
    if known.watched_since is not None and known.observed_at is not None:
        if now - known.observed_at <= gap:
            return known.watched_since
        if seen.changed_at == known.changed_at:
            return now - (stuck_for(known, answers, settings) or 0.0)
    return now


def joined_watch(ours: Snapshot, theirs: Snapshot, *, gap: float) -> float | None:
    """Return the start of the watch that two processes kept together, up to the later read.

    A watch that ended more than `gap` seconds before the other began has no part in it.
    """
    if ours.watched_since is None or ours.observed_at is None:
        return theirs.watched_since
    if theirs.watched_since is None or theirs.observed_at is None:
        return ours.watched_since
    earlier, later = ours, theirs
    if ours.observed_at > theirs.observed_at:
        earlier, later = theirs, ours
    assert earlier.observed_at is not None
    assert later.watched_since is not None
    if later.watched_since - earlier.observed_at > gap:
        return later.watched_since
    return min(ours.watched_since, theirs.watched_since)

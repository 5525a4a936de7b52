"""When to read a task next: pure rules, and the timetable that holds their outcome.

Waits are in seconds. Randomness comes in as `fraction`, uniform in 0..1. Due times are in
monotonic seconds.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Snapshot, State
from mcp_tasks_tui.supervise.attention import estimated_end

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.settings import EngineSettings

_MAX_DOUBLINGS = 16
#: Seconds after the estimated end of a task in which its server surely noticed it, too.
_DROPPED = 1.0
#: Reads that fail so, for one task alone, fail until somebody changes something, or cost much each
#: time: seconds after the first failure, doubled by each one, and at most.
_SELDOM_KINDS = frozenset({"auth", "too-large"})
_SELDOM = 60.0
_SELDOM_CAP = 900.0


def interval(interval_ms: float | None, settings: EngineSettings, *, quiet: float = 0.0) -> float:
    """Return the normal spacing of reads: the server's wish, never under user's and own floor.

    A missing, zero, negative or absurd hint is no hint: the default applies, and grows with
    `quiet` (seconds without a change), because nothing else tells us to be gentle.
    """
    floor = max(settings.poll_floor, _finite(settings.min_poll))
    hint = _hint(interval_ms, settings)
    if hint is not None:
        return max(hint, floor)
    slowed = min(max(quiet, 0.0) / 10, settings.unhinted_cap)
    return max(settings.default_poll, slowed, floor)


def backoff(failures: int, settings: EngineSettings, fraction: float) -> float:
    """Return the wait after so many failures in a row: exponential, full jitter, capped."""
    if failures <= 0:
        return 0.0
    doublings = min(failures - 1, _MAX_DOUBLINGS)
    return fraction * min(settings.backoff_cap, settings.backoff_base * 2.0**doublings)


def retry_after_wait(seconds: float | None, settings: EngineSettings) -> float:
    """Return how long a Retry-After holds us: garbage and past dates not at all, and bounded."""
    if seconds is None or math.isnan(seconds):
        return 0.0
    return min(max(seconds, 0.0), settings.retry_after_cap)


def wait(
    snapshot: Snapshot,
    settings: EngineSettings,
    *,
    fraction: float,
    now: float,
    pushed: bool = False,
    retry_after: float | None = None,
    alone: bool = False,
) -> float | None:
    """Return the seconds until the next automatic read of a task that was just read.

    The largest of the server's interval, the user's minimum, the backoff for failed reads and
    Retry-After, plus a little jitter (never minus: no read comes earlier than allowed). None
    where no automatic read is due: the state is terminal, or a person holds polling. `now` is in
    epoch seconds; `retry_after` is the server's value in seconds. `alone`: a failed read is this
    task's own matter, not its server's.
    """
    if snapshot.held or snapshot.state.terminal:
        return None
    failures = 0 if snapshot.read.not_found else snapshot.read.failures
    slowest = max(
        _spacing(snapshot, settings, now=now, pushed=pushed),
        backoff(failures, settings, fraction),
        _seldom(snapshot) if alone else 0.0,
        retry_after_wait(retry_after, settings),
    )
    return slowest + fraction * min(slowest * settings.jitter, settings.jitter_cap)


def first_wait(
    snapshot: Snapshot, settings: EngineSettings, *, now: float, position: int, count: int
) -> float | None:
    """Return the seconds until the first read after a start, None where polling is held.

    `position` in 0..count-1 is the task's place among those of its server that start together:
    they get evenly spaced slots, one per `first_spacing` but all within one interval, so that a
    start asks no more of a server than the steady state does. Where the interval is not known,
    thousands of tasks take longer: one per `first_unhinted_spacing`. A task that was read
    shortly before keeps its spacing on top.
    """
    if snapshot.held:
        return None
    spacing = _spacing(snapshot, settings, now=now, pushed=False)
    hinted = _hint(snapshot.poll_interval_ms, settings) is not None
    densest = 0.0 if hinted else settings.first_unhinted_spacing
    slot = position * min(settings.first_spacing, max(spacing / max(count, 1), densest))
    last = max(snapshot.read.at or 0.0, snapshot.observed_at or 0.0)
    remaining = min(max(last + spacing - now, 0.0), spacing) if last else 0.0
    return remaining + slot


def probe_wait(
    failures: int, settings: EngineSettings, *, fraction: float, retry_after: float | None = None
) -> float:
    """Return the seconds until the single probe of a server that is down is tried again."""
    return max(
        settings.poll_floor,
        backoff(failures, settings, fraction),
        retry_after_wait(retry_after, settings),
    )


@dataclass(slots=True, eq=False, repr=False)
class PollNow:
    """How fast one server takes "poll now": a burst at once, then a steady spacing.

    Holding the key down, or marking ten thousand tasks, is then no attack on the server.
    """

    settings: EngineSettings
    _next: float = -math.inf

    def due(self, now: float, *, last_read: float | None = None) -> float:
        """Return when (monotonic, never before `now`) a read asked for by a person may start.

        `last_read` is the task's own last read. A Retry-After that still runs is the server
        line's business: see `ServerLine.probe_no_later_than`.
        """
        step = self.settings.poll_now_spacing
        arrival = max(self._next, now)
        self._next = arrival + step
        earliest = max(now, arrival - (self.settings.poll_now_burst - 1) * step)
        if last_read is not None:
            return max(earliest, last_read + self.settings.poll_now_gap)
        return earliest


@dataclass(slots=True, eq=False, repr=False)
class Timetable:
    """One heap of (due, key). A replaced or removed entry stays in it until it comes up."""

    _due: dict[str, float] = field(default_factory=dict)
    _heap: list[tuple[float, str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._due)

    def __contains__(self, key: str) -> bool:
        return key in self._due

    def when(self, key: str) -> float | None:
        """Return when `key` is due, None where it is not planned."""
        return self._due.get(key)

    def set(self, key: str, due: float) -> None:
        """Plan `key` for `due`, instead of whatever was planned for it."""
        if self._due.get(key) == due:
            return
        self._due[key] = due
        heapq.heappush(self._heap, (due, key))
        if len(self._heap) > 2 * len(self._due) + 64:
            self._heap = [(at, name) for name, at in self._due.items()]
            heapq.heapify(self._heap)

    def remove(self, key: str) -> None:
        """Plan nothing for `key`; harmless where nothing is planned."""
        self._due.pop(key, None)

    def due(self, now: float) -> list[str]:
        """Take out and return the keys due by `now`, the longest overdue first."""
        keys = []
        while self._heap and self._heap[0][0] <= now:
            at, key = heapq.heappop(self._heap)
            if self._due.get(key) == at:
                del self._due[key]
                keys.append(key)
        return keys

    def next_due(self) -> float | None:
        """Return the earliest due time, None where nothing is planned."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None


def _seldom(snapshot: Snapshot) -> float:
    read = snapshot.read
    if read.ok or read.error_kind not in _SELDOM_KINDS:
        return 0.0
    return min(_SELDOM * 2.0 ** min(read.failures - 1, _MAX_DOUBLINGS), _SELDOM_CAP)


def _spacing(snapshot: Snapshot, settings: EngineSettings, *, now: float, pushed: bool) -> float:
    quiet = now - snapshot.changed_at if snapshot.changed_at is not None else 0.0
    normal = interval(snapshot.poll_interval_ms, settings, quiet=quiet)
    if snapshot.state is State.GONE:
        return max(normal, settings.gone_poll)
    if snapshot.state is State.UNKNOWN and snapshot.status is not None:
        normal = max(normal, settings.unknown_poll)
    if pushed and not snapshot.read.not_found:  # else its stream is silent about it for good
        slow = max(settings.pushed_poll, settings.pushed_intervals * normal)
        # No server tells of a task that it drops: the read shortly after that moment does.
        end = estimated_end(snapshot)
        return slow if end is None or end < now else min(slow, max(end + _DROPPED - now, normal))
    return normal


def _hint(interval_ms: float | None, settings: EngineSettings) -> float | None:
    # The range is checked in milliseconds first: an integer can be too large for a float.
    if interval_ms is None or not 0 < interval_ms <= settings.absurd_interval * 1000:
        return None
    return interval_ms / 1000


def _finite(seconds: float) -> float:
    return seconds if math.isfinite(seconds) else 0.0

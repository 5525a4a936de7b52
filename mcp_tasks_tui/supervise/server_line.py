"""How one server stands, and what follows from it for the reads of all its tasks.

A server that is down, limits us or refuses us is *paused*: its tasks wait, and one probe at a
time (a read of one of them) finds out when it answers again.

A connection that fails is the server's. What it answers about one task may be that task's alone:
it counts against the server only when others fail with it and none is read well in between. Tasks
that were read well a moment before speak for their server, until one of them fails itself.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Literal, Protocol

from mcp_tasks_tui.protocol.errors import RateLimited
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.schedule import PollNow, probe_wait
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.protocol.errors import RequestError
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.verdict import Verdict

#: How a server that refuses us is tried again by itself: rarely, and ever more rarely (seconds).
REFUSED_RETRY = 60.0
REFUSED_RETRY_CAP = 900.0
#: What only other settings change.
REFUSING = frozenset({Health.AUTH, Health.UNUSABLE})
_FAULTY = REFUSING | {Health.DOWN, Health.LIMITED, Health.BROKEN}
#: Fewer vanished tasks than this are their own matter, not the server's.
_FORGOT_AT_LEAST = 2
_FORGOT_ENOUGH = 3

#: So often in a row a task has to fail to speak for others that were not read for a while
#: (seconds).
_LONE_FAILURES = 3
_JUST_BEFORE = 300.0
#: So long a good read outweighs tasks that were never read well (seconds), unless so many of them
#: fail in a row.
_SPEAKS_FOR = 5.0
_OUTNUMBERED = 10

Moment = Literal["lost", "back"]


class Counted(Protocol):
    """What a line looks at of each of its tasks."""

    @property
    def snapshot(self) -> Snapshot: ...

    @property
    def watched(self) -> bool: ...


@record
class _Counts:
    open: int
    held: int


class ServerLine:
    """One server: health, the pause, requests in flight, and whose turn is next."""

    def __init__(
        self, url: str, name: str, settings: EngineSettings, tasks: Mapping[str, Counted]
    ) -> None:
        """`tasks` are those of this server by their keys; who changes them calls `recount`."""
        self.url = url
        self.name = name
        self.health = Health.UNKNOWN
        self.text = ""
        self.since: float | None = None
        #: When the next probe is due: monotonic, and in epoch seconds to show.
        self.probe_at: float | None = None
        self.retry_at: float | None = None
        self.probing = False
        self.in_flight = 0
        #: Due while all slots were taken, by themselves or because a person asked for it.
        self.queue: deque[str] = deque()
        self.asked_queue: deque[str] = deque()
        #: Due while the server was paused.
        self.parked: dict[str, None] = {}
        self.poll_now = PollNow(settings)
        #: A stream is open and acknowledged.
        self.pushed = False
        self._tasks = tasks
        self._settings = settings
        self._failures = 0
        #: Tasks that failed since a task was last read well, each with whether it was read well
        #: before; and those that failed while another one was read well: their failures are their
        #: own until they are read well.
        self._suspects: dict[str, bool] = {}
        self._failing_alone: dict[str, None] = {}
        #: When (epoch seconds) each task whose last read went well was read.
        self._well: dict[str, float] = {}
        self._read_well_at: float | None = None
        self._probes = 0
        self._told_lost = False
        self._told_to_wait = False
        self._wished = False
        self._told_tasks = self._on_tasks()
        self._vanished: dict[str, None] = {}
        self._counted: _Counts | None = None

    @property
    def paused(self) -> bool:
        return self.probe_at is not None

    @property
    def at_fault(self) -> bool:
        """Failed reads are the server's matter, not that of the task that was read."""
        return self.health in _FAULTY

    def outcome(self) -> str | None:
        """Return once, in a clean line, what became of the try that a person asked for."""
        if not self._wished:
            return None
        self._wished = False
        name = one_line(self.name, 60)
        if not self.paused:
            return f"{name}: it answers again"
        return f"{name}: still {self.health.value}: {self.text}"

    @property
    def refuses(self) -> bool:
        """What we send is not accepted as it is: only other settings help."""
        return self.health in REFUSING

    def answered(self, key: str, now: float, *, probe: bool) -> bool:
        """Note that the server answered about a task; True where that ends a pause (or its first
        silence).

        A server that told us to wait may still answer what was under way: only the probe, which
        goes when its time has come, ends that pause.
        """
        if self.paused and self._told_to_wait and not probe:
            return False
        self._failures = self._probes = 0
        self._acquit(key, now)
        if self.health is Health.OK or (self.health is Health.FORGOT and not self.paused):
            return False
        self._set(Health.OK, "", now)
        self.probe_at = self.retry_at = None
        return True

    def failed(
        self,
        key: str,
        error: RequestError,
        now: float,
        monotonic: float,
        fraction: float,
        *,
        probe: bool,
    ) -> bool:
        """Note a failed read of a task; True where the line reads differently now.

        While paused only the probe counts: reads that were under way say nothing new.
        """
        verdict = judge(error)
        if verdict is None:
            return False
        if self.paused and not probe:
            return False
        was_well = self._well.pop(key, None) is not None
        if not self.paused and not self._convicts(key, verdict, now, was_well=was_well):
            return False
        its_own = self.paused and key in self._failing_alone and self.at_fault
        health = self.health if its_own else verdict.health
        if (health in REFUSING) is not self.refuses:
            self._probes = 0  # an outage and a refusal are each waited for from their beginning
        self._probes += 1
        retry_after = error.retry_after if isinstance(error, RateLimited) else None
        wait = self._wait(health, retry_after, fraction)
        self.probe_at, self.retry_at = monotonic + wait, now + wait
        self._told_to_wait = verdict.health is Health.LIMITED or retry_after is not None
        if not its_own:
            self._set(health, verdict.text, now)
        return True

    def fails_alone(self, key: str) -> bool:
        """Tell whether the failed reads of a task are its own: others were read well meanwhile."""
        return key in self._failing_alone

    def probe_order(self, key: str) -> tuple[bool, bool, float]:
        """Return the place of a task among those that may be read to probe the server: what was
        read well last first, then what says least against it."""
        return key in self._failing_alone, key in self._suspects, -self._well.get(key, -math.inf)

    def _convicts(self, key: str, verdict: Verdict, now: float, *, was_well: bool) -> bool:
        """Count a failed read; tell whether there is now enough evidence against the server."""
        if verdict.about == "server":
            self._failures += 1
            return self._failures >= verdict.after
        all_fail = self._all_fail_with(key)
        if key in self._failing_alone and not all_fail:
            return False
        self._suspects[key] = was_well or self._suspects.get(key, False)
        self._failures += 1
        if self._failures < verdict.after:
            return False
        if verdict.about == "task":
            together = self._suspects.keys() | (self._failing_alone.keys() if all_fail else set())
            return len(together) > 1 and (all_fail or self._outweigh_the_others(now))
        several = len(self._suspects) > 1 and self._outweigh_the_others(now)
        return all_fail or several or self._speaks_for_others(now)

    def _outweigh_the_others(self, now: float) -> bool:
        """Tell whether the suspects say more of the server than the tasks that were read well."""
        if any(self._suspects.values()) or len(self._suspects) >= _OUTNUMBERED:
            return True
        return not self._was_read_well(now, within=_SPEAKS_FOR)

    def _all_fail_with(self, key: str) -> bool:
        """Tell whether no open task is left that may be read and does not fail."""
        failing = self._suspects.keys() | self._failing_alone.keys() | {key}
        return not any(
            task.watched and not (task.snapshot.state.ended or task.snapshot.held)
            for other, task in self._tasks.items()
            if other not in failing
        )

    def _speaks_for_others(self, now: float) -> bool:
        return self._failures >= _LONE_FAILURES and not self._was_read_well(
            now, within=_JUST_BEFORE
        )

    def _was_read_well(self, now: float, *, within: float) -> bool:
        """Tell whether that was so lately; a time that is still to come says that the clock was
        set back, and nothing else."""
        return self._read_well_at is not None and 0 <= now - self._read_well_at < within

    def _acquit(self, key: str, now: float) -> None:
        self._read_well_at = self._well[key] = now
        if self._suspects:
            self._failing_alone.update(dict.fromkeys(self._suspects))
            self._suspects.clear()
        self._failing_alone.pop(key, None)

    def probe_no_later_than(self, monotonic: float) -> None:
        """Probe earlier by a person's wish, but never against the server's own Retry-After."""
        if self.probe_at is not None and not self._told_to_wait:
            self.probe_at = min(self.probe_at, monotonic)

    def postpone_probe(self, monotonic: float) -> None:
        """Probe again a little later: the last probe said nothing of the server."""
        if self.probe_at is not None:
            self.probe_at = max(self.probe_at, monotonic + self._settings.backoff_base)

    def retry(self, monotonic: float) -> None:
        """Let the next probe go at once, by a person's wish."""
        if self.paused:
            self.probe_at, self._probes, self._wished = monotonic, 0, True

    # --- tasks that vanish -------------------------------------------------------------------

    def vanished(self, key: str, now: float) -> bool:
        """Note a not-found for a task this server knew before; True where the line changed.

        When all that was read since the last good reply is missing, it is the server that
        forgot: one line, not one alarm per task.
        """
        self._vanished[key] = None
        missing = len(self._vanished)
        if missing < _FORGOT_AT_LEAST or self.health is not Health.OK:
            return False
        if missing < _FORGOT_ENOUGH and missing < self._counts().open:
            return False
        text = (
            f"does not know {missing} of its tasks any more, one after the other: "
            "restarted without its store, or another sign-in; nothing is lost here"
        )
        self._set(Health.FORGOT, text, now)
        return True

    def knows(self, now: float) -> bool:
        """Note a good reply about a task; True where that ends a `FORGOT`."""
        self._vanished.clear()
        if self.health is not Health.FORGOT:
            return False
        self._set(Health.OK, "", now)
        return True

    # --- showing -----------------------------------------------------------------------------

    def moment(self) -> Moment | None:
        """Return once that the server is surely lost, and once that it is back."""
        lost = self.paused and self._probes >= 2
        if lost == self._told_lost or (self.paused and not lost):
            return None
        self._told_lost = lost
        return "lost" if lost else "back"

    def tells_tasks(self) -> bool:
        """Return once that the views of its tasks show it otherwise than before."""
        before, self._told_tasks = self._told_tasks, self._on_tasks()
        return self._told_tasks != before

    def _on_tasks(self) -> tuple[object, ...]:
        return self.paused, self.at_fault, self.retry_at

    def recount(self) -> None:
        """Note that a task was added, ended, held or released."""
        self._counted = None

    def view(self) -> ServerView:
        counts = self._counts()
        return ServerView(
            url=self.url,
            name=self.name,
            health=self.health,
            text=self.text,
            since=self.since,
            retry_at=self.retry_at,
            pushed=self.pushed,
            held=counts.open > 0 and counts.held == counts.open,
            tasks=len(self._tasks),
            open_tasks=counts.open,
        )

    def _counts(self) -> _Counts:
        if self._counted is None:
            snapshots = [task.snapshot for task in self._tasks.values()]
            still_open = [snapshot for snapshot in snapshots if not snapshot.state.ended]
            held = sum(snapshot.held for snapshot in still_open)
            self._counted = _Counts(len(still_open), held)
        return self._counted

    def _wait(self, health: Health, retry_after: float | None, fraction: float) -> float:
        if health in REFUSING:
            return min(REFUSED_RETRY * 2.0 ** min(self._probes - 1, 8), REFUSED_RETRY_CAP)
        return probe_wait(self._probes, self._settings, fraction=fraction, retry_after=retry_after)

    def _set(self, health: Health, text: str, now: float) -> None:
        if health is not self.health:
            self.since = now
        self.health, self.text = health, text

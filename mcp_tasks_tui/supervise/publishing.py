"""Telling listeners what changed: in batches, with views rebuilt only for changed tasks."""

from __future__ import annotations

import asyncio
import math
from itertools import islice
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.alerts import Bursts, decide
from mcp_tasks_tui.supervise.attention import calm_until, next_moment
from mcp_tasks_tui.supervise.building import build_view
from mcp_tasks_tui.supervise.pause import Pause, end, keep_running
from mcp_tasks_tui.supervise.progress import parse, track
from mcp_tasks_tui.supervise.schedule import Timetable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_tasks_tui.supervise.alerts import Alert
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.roster import Roster, Watched
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.view import Progress, TaskView

#: At most five batches a second.
BATCH_EVERY = 0.2
#: So long what makes no difference in half a second waits for other news, to be told with it:
#: another message or fact of a task, and that a task was read again and says what it said.
FACTS_WAIT = 0.5
READS_WAIT = 1.0
#: So many tasks do not wait: a large batch holds up the keyboard.
MOST_WAITING = 50
#: Tasks in one batch: building and showing this many views takes about 10 ms.
MOST_IN_BATCH = 250


@record
class Batch:
    """What changed since the last batch: task keys by kind, whether any server line changed."""

    added: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    #: Read again, and all is as before: of these only how fresh they are is news.
    read: frozenset[str] = frozenset()
    servers: bool = False
    #: What deserves a toast, a bell or a desktop notification.
    alerts: tuple[Alert, ...] = ()
    #: One clean line each, for a person: the store is read-only, a save failed, ...
    notices: tuple[str, ...] = ()


class Publisher:
    """Keeps a view per task; a stale one is rebuilt when it is asked for or published."""

    def __init__(
        self,
        *,
        roster: Roster,
        clock: Clock,
        settings: EngineSettings,
        next_read_at: Callable[[Watched], float | None],
    ) -> None:
        self._roster = roster
        self._clock = clock
        self._settings = settings
        self._next_read_at = next_read_at
        self._views: dict[str, TaskView] = {}
        self._stale: set[str] = set()
        #: The views of the last batch, of tasks that changed since.
        self._before: dict[str, TaskView | None] = {}
        self._added: set[str] = set()
        self._read: set[str] = set()
        #: When (monotonic) what waits has to be told.
        self._due = math.inf
        self._servers = False
        self._notices: list[str] = []
        self._bursts = Bursts(settings.alert_window)
        self._listeners: list[Callable[[Batch], None]] = []
        #: When (epoch seconds) time alone gives a task a reason for attention.
        self._checks = Timetable()
        self._faults: set[str] = set()
        self._pause = Pause(clock)
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        job = keep_running(self._run, "showing", clock=self._clock, notice=self.notice)
        self._loop = asyncio.create_task(job, name="publish")

    async def close(self) -> None:
        if self._loop is not None:
            await end([self._loop])
            self._loop = None

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    # --- what changed ------------------------------------------------------------------------

    def loaded(self, task: Watched) -> None:
        """A task of the first load: it has a view, and is no news."""
        self._stale.add(task.key)

    def added(self, task: Watched) -> None:
        self._added.add(task.key)
        self._stale.add(task.key)
        self._tell_within(0.0)

    def changed(self, task: Watched, *, within: float = 0.0) -> None:
        """The task is to be shown otherwise; it can wait for other news so many seconds."""
        key, view = task.key, self._views.get(task.key)
        if key not in self._before:
            self._before[key] = view
        asked_for = view is not None and view.reading
        at_once = asked_for or len(self._before) >= MOST_WAITING
        self._tell_within(0.0 if at_once else within)
        self._stale.add(key)

    def read(self, task: Watched) -> None:
        """The task was read and nothing is new, unless the time has come that this is news."""
        key, view = task.key, self._views.get(task.key)
        if view is None or view.reading or self._clock.now() >= task.calm_until:
            self.changed(task)
            return
        self._stale.add(key)
        self._read.add(key)
        self._tell_within(READS_WAIT)

    def coverage_changed(self, tasks: Iterable[Watched]) -> None:
        """News of these tasks reaches us another way now; their server's line tells it too."""
        for task in tasks:
            self.changed(task)
        self.servers_changed()

    def servers_changed(self) -> None:
        self._servers = True
        self._tell_within(0.0)

    def notice(self, line: str) -> None:
        self._notices.append(line)
        self._tell_within(0.0)

    def _tell_within(self, seconds: float) -> None:
        due = self._clock.monotonic() + seconds
        if due < self._due:
            self._due = due
            self._pause.wake()

    # --- views -------------------------------------------------------------------------------

    def view(self, key: str) -> TaskView | None:
        task = self._roster.get(key)
        if task is None:
            return None
        if key in self._stale or key not in self._views:
            self._stale.discard(key)
            view = self._views[key] = self._build(task)
            task.calm_until = self._calm_until(task, view)
        return self._views[key]

    def views(self) -> Sequence[TaskView]:
        return [view for task in self._roster if (view := self.view(task.key)) is not None]

    def _build(self, task: Watched) -> TaskView:
        now = self._clock.now()
        self._plan_check(task, now)
        return build_view(
            task.handle,
            task.snapshot,
            task.answers,
            self._settings,
            now=now,
            server=task.line.name,
            progress=_progress(task, now),
            server_at_fault=task.line.at_fault,
            live=task.live,
            covered=task.covered,
            paused=task.line.paused,
            next_read_at=self._next_read_at(task),
            reading=task.reading,
        )

    def _calm_until(self, task: Watched, view: TaskView) -> float:
        if view.attention:
            return -math.inf  # how long it lasts is shown with it, and it may pass
        return calm_until(task.snapshot, task.answers, self._settings)

    # --- time alone --------------------------------------------------------------------------

    def _plan_check(self, task: Watched, now: float) -> None:
        """Note when the passing of time gives the task a new reason, if it does."""
        moment = next_moment(task.snapshot, task.answers, self._settings, now=now)
        if moment is None:
            self._checks.remove(task.key)
        else:
            self._checks.set(task.key, moment)

    def _check_due(self, now: float) -> None:
        for key in self._checks.due(now):
            task = self._roster.get(key)
            if task is not None:
                self.changed(task)

    # --- batches -----------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            await self._pause.sleep(self._until_next())
            if self._until_next() <= 0:
                self.publish()
                await self._clock.sleep(BATCH_EVERY)

    def _until_next(self) -> float:
        waits = [3600.0, self._due - self._clock.monotonic()]
        check = self._checks.next_due()
        if check is not None:
            waits.append(check - self._clock.now())
        burst = self._bursts.next_due()
        if burst is not None:
            waits.append(burst - self._clock.monotonic())
        return max(min(waits), 0.0)

    def publish(self) -> None:
        """Tell the listeners what changed since the last time, if anything did."""
        self._check_due(self._clock.now())
        batch = self._collect()
        if batch is None:
            return
        for listener in list(self._listeners):
            try:
                listener(batch)
            except Exception as error:  # noqa: BLE001 - a fault of one listener is not another's
                self._listener_failed(error)

    def _listener_failed(self, error: Exception) -> None:
        words = f"internal error while showing news: {type(error).__name__}: {error}"
        if words not in self._faults:
            self._faults.add(words)
            self.notice(one_line(words))

    def _take(self) -> dict[str, TaskView | None]:
        """Take what changed, oldest first; of very much, only a part, so that nothing blocks."""
        if len(self._before) <= MOST_IN_BATCH:
            before, self._before = self._before, {}
            return before
        before = dict(islice(self._before.items(), MOST_IN_BATCH))
        for key in before:
            del self._before[key]
        self._tell_within(0.0)
        return before

    def _collect(self) -> Batch | None:
        self._due = math.inf
        before = self._take()
        added, self._added = self._added, set()
        pairs = [
            (was, view)
            for key, was in before.items()
            if key not in added and (view := self.view(key)) is not None
        ]
        alerts = self._bursts.offer(decide(pairs), self._clock.monotonic())
        servers, self._servers = self._servers, False
        notices, self._notices = tuple(self._notices), []
        read, self._read = self._read, set()
        if not (before or added or read or servers or alerts or notices):
            return None
        return Batch(
            added=frozenset(added),
            changed=frozenset(before.keys() - added),
            read=frozenset(read - before.keys() - added),
            servers=servers,
            alerts=alerts,
            notices=notices,
        )


def _progress(task: Watched, now: float) -> Progress | None:
    """Return the progress of the last message; its way starts anew after each question."""
    snapshot = task.snapshot
    message = snapshot.last_message
    if message is None or snapshot.status == "completed":
        return None
    resumed = snapshot.resumed_at or 0.0
    waits = snapshot.state is State.INPUT_REQUIRED
    if waits or (task.track is not None and task.track.points[-1][0] < resumed):
        task.track = None
    if task.parsed is None or task.parsed[0] != message:
        task.parsed = (message, parse(message))
        at = snapshot.last_message_at if snapshot.last_message_at is not None else now
        task.track = track(task.track, task.parsed[1], max(at, resumed))
    if task.parsed[1] is None:
        return None
    if not snapshot.state.ended:
        task.track = track(task.track, task.parsed[1], snapshot.observed_at or now)
    return None if task.track is None else task.track.progress

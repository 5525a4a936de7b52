"""When which task is read: the timetable, the slots of each server, probes, "poll now"."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from mcp_tasks_tui.protocol.errors import RateLimited, ReplyTooLarge, RequestError
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.pause import Pause, end, keep_running
from mcp_tasks_tui.supervise.problems import InternalFault
from mcp_tasks_tui.supervise.schedule import Timetable, first_wait, wait
from mcp_tasks_tui.supervise.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.roster import Roster, Watched
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.settings import EngineSettings

    Observe = Callable[[Watched, TaskReply | RequestError], None]

#: The timetable is looked at this often while something is due; cheaper than one timer per task.
TICK = 0.05
_LONGEST_SLEEP = 3600.0
_REFRESH_SLOT = 0.2


class Poller:
    """Reads tasks when they are due. `observe` is told each outcome, in order, per task.

    `read_again` is awaited before a task that has ended is read, as only a person asks for.
    """

    def __init__(
        self,
        *,
        roster: Roster,
        clients: Clients,
        clock: Clock,
        settings: EngineSettings,
        fraction: Callable[[], float],
        observe: Observe,
        line_changed: Callable[[ServerLine], None],
        reading_changed: Callable[[Watched], None],
        notice: Callable[[str], None],
        read_again: Callable[[Watched], Awaitable[None]],
    ) -> None:
        self._roster = roster
        self._clients = clients
        self._clock = clock
        self._settings = settings
        self._fraction = fraction
        self._observe = observe
        self._line_changed = line_changed
        self._reading_changed = reading_changed
        self._notice = notice
        self._read_again = read_again
        self._timetable = Timetable()
        self._pause = Pause(clock)
        self._paused: dict[str, ServerLine] = {}
        self._reads: dict[str, asyncio.Task[TaskReply | RequestError]] = {}
        self._asked: set[str] = set()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._loop: asyncio.Task[None] | None = None
        self._closed = False

    def start(self) -> None:
        job = keep_running(self._run, "polling", clock=self._clock, notice=self._notice)
        self._loop = asyncio.create_task(job, name="poll")

    async def close(self) -> None:
        """Stop; reads under way are dropped without a trace."""
        self._closed = True
        loop = [] if self._loop is None else [self._loop]
        self._loop = None
        await end([*loop, *self._reads.values()])

    # --- planning ----------------------------------------------------------------------------

    def plan_first(self, tasks: Iterable[Watched]) -> None:
        """Plan the first reads after a start, spread. What has ended is not read any more."""
        servers: dict[str, list[Watched]] = {}
        for task in tasks:
            if not task.snapshot.state.terminal:
                servers.setdefault(task.line.url, []).append(task)
        now = self._clock.now()
        for fellows in servers.values():
            for place, task in enumerate(fellows):
                self._plan(
                    task,
                    first_wait(
                        task.snapshot, self._settings, now=now, position=place, count=len(fellows)
                    ),
                )

    def plan(self, task: Watched, *, retry_after: float | None = None) -> None:
        """Plan the next read of a task whose state is news of just now."""
        if self._loop is None or not task.watched:
            return
        self._plan(
            task,
            wait(
                task.snapshot,
                self._settings,
                fraction=self._fraction(),
                now=self._clock.now(),
                pushed=task.covered,
                retry_after=retry_after,
                alone=task.line.fails_alone(task.key) or not task.line.at_fault,
            ),
        )

    def fit(self, task: Watched) -> None:
        """Fit the plan to a task that was held, released, archived or ended otherwise."""
        if task.snapshot.held:
            self._forget(task)
        elif task.snapshot.state.terminal:
            if task.key not in self._asked:
                self._unplan(task)
        elif self._loop is not None and task.watched and not self._is_planned(task):
            self.plan_first([task])

    def _is_planned(self, task: Watched) -> bool:
        planned = task.key in self._timetable or task.key in task.line.parked
        return planned or task.reading or task.queued

    def _unplan(self, task: Watched) -> None:
        self._timetable.remove(task.key)
        task.line.parked.pop(task.key, None)

    def _forget(self, task: Watched) -> None:
        """Plan nothing for the task, and drop a read of it that is under way."""
        self._unplan(task)
        read = self._reads.get(task.key)
        if read is not None:
            read.cancel()

    def poll_now(self, task: Watched) -> None:
        """Read the task at the next chance, even where polling is held; rate limited.

        On a paused server this is the next probe, unless the server told us to wait.
        """
        planned = self._timetable.when(task.key)
        known = task.key in self._asked and (planned is not None or task.queued)
        if self._loop is None or task.reading or known:
            return
        now = self._clock.monotonic()
        read_at = task.snapshot.read.at
        last = None if read_at is None else now - max(self._clock.now() - read_at, 0.0)
        due = task.line.poll_now.due(now, last_read=last)
        if planned is not None:
            due = min(due, planned)  # asking for very many is no way to have one read later
        self._asked.add(task.key)
        if task.line.paused:
            task.line.probe_no_later_than(due)
        self._timetable.set(task.key, due)
        self._pause.wake()

    def next_read_at(self, task: Watched) -> float | None:
        """Return when the next read is due in epoch seconds, None where none is planned."""
        if task.line.paused and task.key in task.line.parked:
            return task.line.retry_at
        due = self._timetable.when(task.key)
        return None if due is None else self._clock.now() + due - self._clock.monotonic()

    def line_paused(self, line: ServerLine) -> None:
        """Let a probe stand for the tasks of a server that has just been paused."""
        self._paused[line.url] = line
        self._pause.wake()

    def retry(self, line: ServerLine) -> None:
        """Probe a paused server at once, for once also where polling of all its tasks is held."""
        if not line.paused:
            return
        line.retry(self._clock.monotonic())
        if not line.parked:
            readable = filter(_may_be_read, self._roster.at(line.url).values())
            free = sorted(readable, key=lambda one: (one.snapshot.held, line.probe_order(one.key)))
            for task in free[:1]:
                self._timetable.remove(task.key)
                line.parked[task.key] = None
                if task.snapshot.held:
                    self._asked.add(task.key)
        self._pause.wake()

    def _plan(self, task: Watched, delay: float | None) -> None:
        if delay is None:
            self._timetable.remove(task.key)
            return
        due = self._clock.monotonic() + delay
        upcoming = self._timetable.next_due()
        self._timetable.set(task.key, due)
        if upcoming is None or due < upcoming:
            self._pause.wake()

    # --- reading -----------------------------------------------------------------------------

    async def read(self, task: Watched) -> None:
        """Read the task now, whatever is planned; returns when the outcome is known."""
        while not task.reading and task.line.in_flight >= self._settings.max_asked_reads:
            await self._clock.sleep(_REFRESH_SLOT)
        if self._closed:
            return
        done = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(task.key, []).append(done)
        if not task.reading:
            self._asked.add(task.key)
            self._spawn(task, probe=task.line.paused and not task.line.probing)
        await done

    async def _run(self) -> None:
        while True:
            now = self._clock.monotonic()
            for key in self._timetable.due(now):
                task = self._roster.get(key)
                if task is not None:
                    self._begin(task)
            for line in list(self._paused.values()):
                if not line.paused:
                    self._resume(line)
                elif not line.probing and line.probe_at is not None and line.probe_at <= now:
                    self._probe(line)
            await self._pause.sleep(self._until_next())

    def _until_next(self) -> float:
        probes = [
            line.probe_at for line in self._paused.values() if line.parked and not line.probing
        ]
        moments = [due for due in (self._timetable.next_due(), *probes) if due is not None]
        if not moments:
            return _LONGEST_SLEEP
        return max(TICK, min(moments) - self._clock.monotonic())

    def _begin(self, task: Watched) -> None:
        line = task.line
        asked = task.key in self._asked
        if (task.queued and not asked) or not self._may_start(task):
            return
        if line.paused:
            line.parked[task.key] = None
            self._reading_changed(task)
        elif line.in_flight >= self._most_reads(asked=asked):
            task.queued = True
            (line.asked_queue if asked else line.queue).append(task.key)
        else:
            self._spawn(task)

    def _most_reads(self, *, asked: bool) -> int:
        return self._settings.max_asked_reads if asked else self._settings.max_reads

    def _may_start(self, task: Watched) -> bool:
        held = task.snapshot.held and task.key not in self._asked
        return not (task.reading or held)

    def _next_in_line(self, line: ServerLine) -> None:
        while not self._closed:
            if line.asked_queue and line.in_flight < self._most_reads(asked=True):
                queue = line.asked_queue
            elif line.queue and line.in_flight < self._most_reads(asked=False):
                queue = line.queue
            else:
                return
            task = self._roster.get(queue.popleft())
            if task is not None and task.queued:  # else it stood in the other queue, too
                task.queued = False
                self._begin(task)

    def _probe(self, line: ServerLine) -> None:
        """Read one of the waiting tasks: what was read well last, then the others, each in its
        turn, and last those that failed while others were read well."""
        for key in sorted(line.parked, key=line.probe_order):
            task = self._roster.get(key)
            del line.parked[key]
            if task is not None and self._may_start(task):
                self._spawn(task, probe=True)
                return

    def _resume(self, line: ServerLine) -> None:
        """Let the waiting tasks of a server that answers again be read, spread."""
        self._paused.pop(line.url, None)
        tasks = [task for key in line.parked if (task := self._roster.get(key)) is not None]
        line.parked.clear()
        now = self._clock.monotonic()
        spacing = min(
            self._settings.first_spacing, self._settings.default_poll / max(len(tasks), 1)
        )
        for place, task in enumerate(tasks):
            if not task.snapshot.held and self._timetable.when(task.key) is None:
                self._timetable.set(task.key, now + place * spacing)
                self._reading_changed(task)
        self._retry_alone(line, now)

    def _retry_alone(self, line: ServerLine, now: float) -> None:
        """Read soon what failed before the server was paused, and was put off as its own trouble:
        what ailed the server may have been all."""
        for task in self._roster.at(line.url).values():
            planned = self._timetable.when(task.key)
            may_be = _may_be_read(task) and not task.snapshot.held
            if planned is not None and line.fails_alone(task.key) and may_be:
                soon = now + self._settings.default_poll
                self._timetable.set(task.key, min(planned, soon))

    def _spawn(self, task: Watched, *, probe: bool = False) -> None:
        task.reading, task.queued = True, False
        task.line.in_flight += 1
        task.line.probing = task.line.probing or probe
        self._timetable.remove(task.key)
        if probe or task.key in self._asked:
            self._asked.discard(task.key)
            self._reading_changed(task)
        read = self._reads[task.key] = asyncio.create_task(self._ask(task))
        read.add_done_callback(partial(self._finished, task, probe))

    def _finished(
        self, task: Watched, probe: bool, read: asyncio.Task[TaskReply | RequestError]
    ) -> None:
        line = task.line
        self._reads.pop(task.key, None)
        task.reading = False
        line.in_flight -= 1
        if probe:
            line.probing = False
            self._pause.wake()
        if read.cancelled():
            self.fit(task)  # it may be wanted again by now
            self._reading_changed(task)
        else:
            self._conclude(task, read.result(), probe)
        self._next_in_line(line)
        for waiter in self._waiting.pop(task.key, ()):
            if not waiter.done():
                waiter.set_result(None)

    async def _ask(self, task: Watched) -> TaskReply | RequestError:
        try:
            if task.snapshot.state.terminal:
                await self._read_again(task)
            client = await self._clients.of(task.line.url)
            return await client.get_task(task.handle.task_id)
        except RequestError as error:
            return error
        except Exception as error:  # noqa: BLE001 - a bug met by one task must not stop the others
            return _fault(error)

    def _conclude(self, task: Watched, observation: TaskReply | RequestError, probe: bool) -> None:
        try:
            self._note_line(task, observation, probe)
            self._observe(task, observation)
        except Exception as error:  # noqa: BLE001 - as above: the reply of one task broke a rule
            with suppress(Exception):
                self._observe(task, _fault(error))
        retry_after = observation.retry_after if isinstance(observation, RateLimited) else None
        self.plan(task, retry_after=retry_after)

    def _note_line(self, task: Watched, observation: TaskReply | RequestError, probe: bool) -> None:
        line = task.line
        now, monotonic = self._clock.now(), self._clock.monotonic()
        if isinstance(observation, InternalFault | ReplyTooLarge):
            line.postpone_probe(monotonic)
            changed = False
        elif isinstance(observation, RequestError) and judge(observation) is not None:
            fraction = self._fraction()
            changed = line.failed(task.key, observation, now, monotonic, fraction, probe=probe)
        else:
            changed = line.answered(task.key, now, probe=probe)
        if (probe or changed) and (outcome := line.outcome()) is not None:
            self._notice(outcome)
        if changed:
            if line.paused:
                self.line_paused(line)
            elif line.url in self._paused:
                self._resume(line)
            self._line_changed(line)


def _fault(error: Exception) -> InternalFault:
    return InternalFault(f"internal error: {type(error).__name__}: {one_line(str(error))}")


def _may_be_read(task: Watched) -> bool:
    """Tell whether it can be read where a person asks: also where its polling is held."""
    return task.watched and not (task.reading or task.snapshot.state.terminal)

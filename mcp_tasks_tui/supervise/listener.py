"""Push: streams on which one server reports its tasks, a few (2026-07-28, subscriptions).

Only what a stream acknowledged last counts as covered. A stream that ends, or that keeps back
what a read shows, leaves its tasks to normal polling at once, and another is opened: the
connection may have died unnoticed, as of a laptop that slept. A server that refuses, or whose
streams prove useless again and again, is asked again after a long while only.
"""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.protocol.errors import AuthFailed, RateLimited, RequestError, TimedOut
from mcp_tasks_tui.supervise.pause import Pause, end, keep_running
from mcp_tasks_tui.supervise.schedule import backoff
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.streams import Stream, giving_way, room_for, split

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from mcp_tasks_tui.protocol.messages import ListenEvent, TaskReply
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.roster import Roster, Watched
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.settings import EngineSettings

#: A changed set of tasks is listened to after this long without a further change (seconds).
DEBOUNCE = 2.0
#: A stream that is silent for so long at its beginning is dead, or nobody is at its other end.
_ACKNOWLEDGED_WITHIN = 60.0
_SHORT_LIVED = 5.0
_TOO_SHORT_LIVED = 3
#: A read may overtake the push of the same change by this much (seconds).
_OVERTAKING = 5.0
#: So much news that only reads brought shows that a stream keeps it back...
_MISSED_TOO_OFTEN = 2
#: ... and so many such streams, that the server does.
_KEPT_BACK_TOO_OFTEN = 3
#: A server that is no use is asked again after this long; one that told all news for as long is
#: not held to what was before (seconds).
_LONG_WHILE = 3600.0
_LEAST_WAIT = 1.0
#: How something on the way refuses a stream that it may take again as little the next time.
_OF_THE_STREAM = frozenset({"http", "not-served"})
#: Of one task's progress within this time the newest is enough (seconds).
_FOLDED = 0.1


class Listener:
    """The streams of one server."""

    def __init__(
        self,
        line: ServerLine,
        *,
        roster: Roster,
        clients: Clients,
        clock: Clock,
        settings: EngineSettings,
        fraction: Callable[[], float],
        pushed: Callable[[Watched, TaskReply], None],
        coverage_changed: Callable[[list[Watched]], None],
        lost: Callable[[list[Watched]], None],
        notice: Callable[[str], None],
    ) -> None:
        self._line = line
        self._roster = roster
        self._clients = clients
        self._clock = clock
        self._settings = settings
        self._fraction = fraction
        self._pushed = pushed
        self._lost = lost
        self._coverage_changed = coverage_changed
        self._streams: list[Stream] = []
        self._jobs: set[asyncio.Task[None]] = set()
        self._owner: dict[str, Stream] = {}
        #: Tasks that the server was asked for and did not acknowledge: no reason to ask again.
        self._left_out: set[str] = set()
        self._synced: set[str] = set()
        #: Task id -> when reads showed news that no push has told since (monotonic).
        self._missed: dict[str, list[float]] = {}
        #: A stream was lost: all are asked for with the next, as a server may allow only one.
        self._anew = False
        #: Times in a row that streams were no use, and when that was last found (monotonic).
        self._failures = 0
        self._failed_at = -math.inf
        #: Streams that kept news back, and since when none has (monotonic).
        self._kept_back = 0
        self._honest_since = clock.monotonic()
        #: The server has acknowledged tasks since it was last found to be no use.
        self._works = False
        #: No stream is opened before this (monotonic).
        self._not_before = -math.inf
        self._pause = Pause(clock)
        job = keep_running(self._run, f"listening to {line.name}", clock=clock, notice=notice)
        self._loop = asyncio.create_task(job, name="listen")

    async def close(self) -> None:
        await end([self._loop, *self._jobs])

    def set_changed(self) -> None:
        """The server has other open tasks than before, or answers again."""
        self._pause.wake()

    def was_read(self, task: Watched, *, news: bool) -> None:
        """Compare a read of a covered task with its stream, which should have told the news.

        The first read after the acknowledgement may show what happened before it.
        """
        task_id = task.handle.task_id
        stream = self._owner.get(task_id)
        if stream is not None and stream.waiting.pop(task_id, None) is not None:
            news = False  # it was told, and the read is newer
        if task_id not in self._synced:
            self._synced.add(task_id)
        elif news:
            now = self._clock.monotonic()
            self._missed.setdefault(task_id, []).append(now)
            times = (at for every in self._missed.values() for at in every)
            if sum(now - at > _OVERTAKING for at in times) >= _MISSED_TOO_OFTEN:
                self._keeps_back()

    # --- opening -----------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(DEBOUNCE)
            self._drop_needless()
            wait = self._not_before - self._clock.monotonic()
            if wait <= 0:
                self._open_missing()
            await self._pause.sleep(wait if wait > 0 else _LONG_WHILE)

    def _open_missing(self) -> None:
        if self._line.health not in (Health.OK, Health.FORGOT):
            return
        tasks = self._roster.at(self._line.url).values()
        wanted = {task.handle.task_id: task for task in tasks if task.wants_push}
        self._left_out.intersection_update(wanted)
        anew, self._anew = self._anew, False
        listened = wanted.keys() & {one for stream in self._streams for one in stream.tasks}
        missing = wanted.keys() - listened
        if not missing - self._left_out:
            return
        if not anew:
            missing -= self._left_out
        room = room_for(len(missing), listened=len(listened))
        new = dict(islice(((key, wanted[key]) for key in wanted if key in missing), room))
        if new:
            self._open(new, every=anew)

    def _open(self, new: dict[str, Watched], *, every: bool) -> None:
        """Open streams for `new`, and for what some older ones cover, or `every` one.

        These lose it once it is acknowledged by others.
        """
        loads = {stream: self._load(stream) for stream in self._streams}
        tasks: dict[str, Watched] = {}
        for older in loads if every else giving_way(loads, new=len(new)):
            older.replaced = True
            tasks.update(loads[older])
        tasks.update(new)
        for chunk in split(tasks):
            stream = Stream(chunk, opened_at=self._clock.monotonic())
            self._streams.append(stream)
            stream.job = self._begin(self._follow(stream), "stream")
            self._begin(self._expect_acknowledgement(stream), "acknowledgement")

    def _load(self, stream: Stream) -> dict[str, Watched]:
        """Return what the stream is wanted for, and no other has."""
        owner = self._owner.get
        return {
            task_id: task
            for task_id, task in stream.tasks.items()
            if task.wants_push and owner(task_id, stream) is stream
        }

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        job = asyncio.create_task(work, name=name)
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)
        return job

    def _drop_needless(self) -> None:
        for stream in list(self._streams):
            if stream.covered and not stream.needed:
                self._drop(stream)

    async def _follow(self, stream: Stream) -> None:
        error: Exception | None = None
        try:
            client = await self._clients.of(self._line.url)
            async for event in client.listen(list(stream.tasks)):
                self._heard(stream, event)
        except Exception as caught:  # noqa: BLE001 - polling carries on whatever a stream dies of
            error = caught
        finally:
            self._ended(stream)
        self._after(stream, error)

    async def _expect_acknowledgement(self, stream: Stream) -> None:
        await self._clock.sleep(_ACKNOWLEDGED_WITHIN)
        if stream in self._streams and not stream.acknowledged:
            self._drop(stream)
            self._after(stream, TimedOut("silence", _ACKNOWLEDGED_WITHIN))

    def _heard(self, stream: Stream, event: ListenEvent) -> None:
        # A module that sends the event has loaded it; the engine alone does without.
        from mcp_tasks_tui.protocol.messages import Acknowledged  # noqa: PLC0415

        if isinstance(event, Acknowledged):
            self._acknowledged(stream, event.task_ids)
            return
        task_id = event.reply.task.task_id
        if task_id not in stream.covered:
            return
        self._missed.pop(task_id, None)
        if stream.folding and event.reply.task.status == "working":
            stream.waiting[task_id] = event.reply
            return
        earlier = stream.waiting.pop(task_id, None)
        if earlier is not None:
            self._pushed(stream.covered[task_id], earlier)
        self._pushed(stream.covered[task_id], event.reply)
        if not stream.folding:
            stream.folding = True
            self._begin(self._fold(stream), "fold")

    async def _fold(self, stream: Stream) -> None:
        await self._clock.sleep(_FOLDED)
        stream.folding = False
        try:
            self._take_waiting(stream)
        except Exception as caught:  # noqa: BLE001 - as in `_follow`: this stream dies of it
            self._drop(stream)
            self._after(stream, caught)

    def _take_waiting(self, stream: Stream) -> None:
        waiting, stream.waiting = stream.waiting, {}
        for task_id, reply in waiting.items():
            self._pushed(stream.covered[task_id], reply)

    def _acknowledged(self, stream: Stream, task_ids: frozenset[str]) -> None:
        """Take over what the stream covers from now on, and let go of what it does not any more.

        What a younger stream covers stays with that.
        """
        for other in self._streams:
            self._take_waiting(other)
        stream.acknowledged = True
        self._release(stream, stream.covered.keys() - task_ids)
        news = []
        for task_id, task in stream.tasks.items():
            owner = self._owner.get(task_id)
            if task_id not in task_ids or owner is stream:
                continue
            if owner is not None:
                if owner.opened_at > stream.opened_at:
                    continue
                del owner.covered[task_id]
            self._owner[task_id] = stream
            stream.covered[task_id] = task
            task.covered = True
            news.append(task)
        self._left_out.difference_update(task_ids)
        self._left_out.update(stream.tasks.keys() - task_ids - self._owner.keys())
        for other in list(self._streams):
            if other is not stream and other.replaced and not other.needed:
                self._drop(other)
        if not stream.covered:
            self._drop(stream)
            if not self._works:
                self._rest()
            return
        self._works = True
        self._show()
        self._coverage_changed(news)

    # --- ending ------------------------------------------------------------------------------

    def _ended(self, stream: Stream) -> None:
        if stream in self._streams:
            self._streams.remove(stream)
        with suppress(Exception):  # a fault of ours ends no more than the stream
            self._take_waiting(stream)
        self._release(stream, list(stream.covered))

    def _release(self, stream: Stream, task_ids: Iterable[str]) -> None:
        """Leave these tasks, which the stream covered, to normal polling at once."""
        lost = []
        for task_id in task_ids:
            task = stream.covered.pop(task_id)
            del self._owner[task_id]
            task.covered = False
            self._synced.discard(task_id)
            self._missed.pop(task_id, None)
            lost.append(task)
        self._show()
        if lost:
            self._coverage_changed(lost)
            self._lost([task for task in lost if task.wants_push])

    def _after(self, stream: Stream, error: Exception | None) -> None:
        """Decide when to listen again after a stream ended by itself."""
        if not stream.acknowledged and not _worth_another_try(error):
            self._rest()
            return
        lived = self._clock.monotonic() - stream.opened_at
        useless = lived < _SHORT_LIVED or not stream.acknowledged
        if not useless:
            self._failures = 1
        elif stream.opened_at > self._failed_at:  # what was open then says the same once more
            self._failures += 1
        self._failed_at = self._clock.monotonic()
        if stream.acknowledged and self._failures >= _TOO_SHORT_LIVED:
            self._rest()
        else:
            self._open_again(after=backoff(self._failures, self._settings, self._fraction()))

    def _keeps_back(self) -> None:
        """Leave all to polling: a stream is dead and does not know it, or the server is sparing."""
        for stream in list(self._streams):
            self._drop(stream)
        self._missed.clear()
        now = self._clock.monotonic()
        honest = now - self._honest_since >= _LONG_WHILE
        self._kept_back = 1 if honest else self._kept_back + 1
        if self._kept_back >= _KEPT_BACK_TOO_OFTEN:
            self._rest()
        else:
            self._open_again(after=backoff(self._kept_back, self._settings, self._fraction()))
        self._honest_since = max(now, self._not_before)

    def _rest(self) -> None:
        """Ask nothing of the server for a long while."""
        self._works = False
        self._left_out.clear()
        self._open_again(after=_LONG_WHILE)

    def _open_again(self, *, after: float) -> None:
        self._anew = True
        self._not_before = self._clock.monotonic() + max(_LEAST_WAIT, after)
        self._pause.wake()

    def _drop(self, stream: Stream) -> None:
        if stream in self._streams:
            self._streams.remove(stream)
        if stream.job is not None:
            stream.job.cancel()

    def _show(self) -> None:
        self._line.pushed = bool(self._owner)


def _worth_another_try(error: Exception | None) -> bool:
    """Whether a stream that was never acknowledged may work later: the server was not there."""
    if isinstance(error, AuthFailed | RateLimited):
        return True
    if not isinstance(error, RequestError) or error.kind in _OF_THE_STREAM:
        return False
    return error.server_wide

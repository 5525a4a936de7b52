"""The parts of the engine, joined: what one of them finds out, the others are told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.supervise.applied import Change
from mcp_tasks_tui.supervise.calling import Caller
from mcp_tasks_tui.supervise.clients import Clients
from mcp_tasks_tui.supervise.intake import Intake
from mcp_tasks_tui.supervise.keeping import Keeping
from mcp_tasks_tui.supervise.listening import Listeners
from mcp_tasks_tui.supervise.observing import Observer
from mcp_tasks_tui.supervise.pause import end, keep_running, unhurried
from mcp_tasks_tui.supervise.polling import Poller
from mcp_tasks_tui.supervise.publishing import Publisher
from mcp_tasks_tui.supervise.roster import Roster
from mcp_tasks_tui.supervise.sendings import Sendings
from mcp_tasks_tui.supervise.steering import Steering
from mcp_tasks_tui.supervise.stored import Stored
from mcp_tasks_tui.supervise.syncing import StoreWatch
from mcp_tasks_tui.supervise.unsaved import Unsaved
from mcp_tasks_tui.supervise.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.supervise.ports import Clock, Connect, Store
    from mcp_tasks_tui.supervise.roster import Watched
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.settings import EngineSettings

#: Changes that a push stream should have told before a read shows them.
_NEWS = frozenset({Change.STATUS, Change.INPUT, Change.MESSAGE})


class Engine:
    """Makes the parts, each with what it needs of the others, and starts and ends them."""

    def __init__(
        self,
        *,
        store: Store,
        connect: Connect,
        clock: Clock,
        settings: EngineSettings,
        prepare: Callable[[], Awaitable[None]] | None,
        names: Mapping[str, str],
        fraction: Callable[[], float],
    ) -> None:
        self.store = store
        self.clock = clock
        self.roster = Roster()
        self.clients = Clients(connect, prepare)
        self._jobs: list[asyncio.Task[None]] = []
        self.writer = Writer(store, clock, changed=self._merged, notice=self.notice)
        self.stored = Stored(store, self.writer, changed=self._changed)
        self.poller = Poller(
            roster=self.roster,
            clients=self.clients,
            clock=clock,
            settings=settings,
            fraction=fraction,
            observe=self._read_done,
            line_changed=self._line_changed,
            reading_changed=self._changed,
            notice=self.notice,
            read_again=self.stored.check_result,
        )
        self.publisher = Publisher(
            roster=self.roster,
            clock=clock,
            settings=settings,
            next_read_at=self.poller.next_read_at,
        )
        self.listeners = Listeners(
            roster=self.roster,
            clients=self.clients,
            clock=clock,
            settings=settings,
            fraction=fraction,
            pushed=self._pushed,
            coverage_changed=self.publisher.coverage_changed,
            lost=self.poller.plan_first,
            notice=self.notice,
        )
        self.intake = Intake(
            roster=self.roster,
            names=names,
            settings=settings,
            poller=self.poller,
            listeners=self.listeners,
            publisher=self.publisher,
        )
        self.keeping = Keeping(
            store=store,
            clock=clock,
            handle_changed=self._merged,
            wished=self._wished,
            notice=self.publisher.notice,
        )
        self.observer = Observer(
            roster=self.roster,
            clock=clock,
            settings=settings,
            writer=self.writer,
            publisher=self.publisher,
            open_set_changed=self.listeners.set_changed,
            archived_observed=self.keeping.show_new_question,
        )
        self.unsaved = Unsaved(clock=clock, notice=self.publisher.notice)
        self.caller = Caller(
            store=store,
            clients=self.clients,
            clock=clock,
            unsaved=self.unsaved,
            adopt=self.intake.adopt_called,
            observe=self.observer.observe,
            notice=self.publisher.notice,
        )
        self.sendings = Sendings(clock)
        self.steering = Steering(
            store=store,
            clients=self.clients,
            clock=clock,
            wished=self._wished,
            read=self.poller.read,
            poll_now=self.poller.poll_now,
            notice=self.publisher.notice,
        )
        self._watch = StoreWatch(
            store=store,
            clock=clock,
            roster=self.roster,
            adopt=self.intake.adopt,
            merged=self._merged,
            reloaded=self._reloaded,
        )

    async def start(self, *, poll: bool, keys: Collection[str] | None) -> None:
        self.intake.begin(watch=poll, only=keys)
        async for saved in unhurried(await self.store.load()):
            self.intake.load(saved)
        await self._reloaded()
        if poll:
            watched = [task for task in self.roster if task.watched]
            self.poller.plan_first(watched)
            for task in watched:
                self.keeping.show_new_question(task)
        if keys is None:  # somebody is going to look at all of them
            async for task in unhurried(list(self.roster)):
                self.publisher.view(task.key)
        self.publisher.start()
        self.writer.start()
        self._keep_running(self.unsaved.keep_trying, "saving handles")
        if poll:
            self.poller.start()
            self.listeners.start()
            self._keep_running(self._watch.run, "looking at the disk")

    def _keep_running(self, run: Callable[[], Awaitable[None]], what: str) -> None:
        job = keep_running(run, what, clock=self.clock, notice=self.notice)
        self._jobs.append(asyncio.create_task(job))

    async def close(self) -> None:
        """Save before anything is waited for: whoever told us to end may lose patience."""
        self.sendings.send_no_more()
        self.intake.begin(watch=False, only=None)
        await self.poller.close()
        await self.listeners.close()
        await end(self._jobs)
        await self.unsaved.save_all()
        await self.writer.flush()
        await self.keeping.close()
        await self.sendings.close()
        await self.writer.close()
        self.publisher.publish()
        await self.publisher.close()

    async def _reloaded(self) -> None:
        """All that is saved was just read: take in what else the disk has to say."""
        await self.caller.read_intents()
        for line in await self.store.take_notices():
            self.notice(line)

    # --- observations --------------------------------------------------------------------

    def _read_done(self, task: Watched, observation: TaskReply | RequestError) -> None:
        covered = task.covered
        applied = self.observer.observe(task, observation)
        if covered and not isinstance(observation, RequestError):
            self.listeners.was_read(task, news=bool(applied.changes & _NEWS))

    def _pushed(self, task: Watched, reply: TaskReply) -> None:
        self.observer.observe(task, reply)
        self.poller.plan(task)

    # --- changes -------------------------------------------------------------------------

    def notice(self, line: str) -> None:
        self.publisher.notice(line)

    def _changed(self, task: Watched) -> None:
        self.publisher.changed(task)

    def _wished(self, task: Watched) -> None:
        """Something that a person asked for is to be kept, and may change how it is read."""
        self.writer.now(task)
        self._merged(task)

    def _merged(self, task: Watched) -> None:
        """What is known of the task changed otherwise than by a read of ours."""
        self.keeping.show_new_question(task)
        task.line.recount()
        self.poller.fit(task)
        self.listeners.set_changed(task.line)
        self.publisher.servers_changed()
        self._changed(task)

    def _line_changed(self, line: ServerLine) -> None:
        self.observer.line_changed(line)
        self.listeners.set_changed(line)

"""The Supervisor: polls, listens, answers, cancels. The one thing that ui and cli talk to."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.supervise.calling import Caller
from mcp_tasks_tui.supervise.clients import Clients
from mcp_tasks_tui.supervise.intake import Intake
from mcp_tasks_tui.supervise.keeping import Keeping
from mcp_tasks_tui.supervise.listening import Listeners
from mcp_tasks_tui.supervise.observing import Observer
from mcp_tasks_tui.supervise.pause import end, keep_running, unhurried
from mcp_tasks_tui.supervise.polling import Poller
from mcp_tasks_tui.supervise.publishing import Batch, Publisher
from mcp_tasks_tui.supervise.reducer import Change
from mcp_tasks_tui.supervise.roster import Roster, Watched
from mcp_tasks_tui.supervise.steering import Steering
from mcp_tasks_tui.supervise.stored import Stored
from mcp_tasks_tui.supervise.syncing import StoreWatch
from mcp_tasks_tui.supervise.unsaved import Unsaved
from mcp_tasks_tui.supervise.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from mcp_tasks_tui.handles.model import HandleDraft, Intent, JournalEntry
    from mcp_tasks_tui.protocol.messages import (
        InputNeeded,
        InputResponse,
        TaskReply,
        ToolList,
        ToolResult,
    )
    from mcp_tasks_tui.supervise.ports import Clock, Connect, Store
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
    from mcp_tasks_tui.supervise.view import TaskView

__all__ = ["Batch", "Supervisor"]

#: Changes that a push stream should have told before a read shows them.
_NEWS = frozenset({Change.STATUS, Change.INPUT, Change.MESSAGE})


class Supervisor:
    """Keeps saved tasks in view. Lives on one event loop; every method is called from there.

    Errors: `RequestError`s of the wire, `StoreError`s of the disk, and the `EngineError`s of
    `problems`; the text of each is one clean line for people.
    """

    def __init__(
        self,
        *,
        store: Store,
        connect: Connect,
        clock: Clock,
        settings: EngineSettings,
        prepare: Callable[[], Awaitable[None]] | None = None,
        names: Mapping[str, str] | None = None,
        fraction: Callable[[], float] = random.random,
    ) -> None:
        """`prepare` is awaited before `connect` is called; `names` gives servers (URL in normal
        form) their configured names; `fraction` draws the jitter, uniform in 0..1."""
        self._store = store
        self._clock = clock
        self._roster = Roster()
        self._clients = Clients(connect, prepare)
        self._jobs: list[asyncio.Task[None]] = []
        self._writer = Writer(store, clock, changed=self._merged, notice=self._notice)
        self._stored = Stored(store, self._writer, changed=self._changed)
        self._poller = Poller(
            roster=self._roster,
            clients=self._clients,
            clock=clock,
            settings=settings,
            fraction=fraction,
            observe=self._read_done,
            line_changed=self._line_changed,
            reading_changed=self._changed,
            notice=self._notice,
            read_again=self._stored.check_result,
        )
        self._publisher = Publisher(
            roster=self._roster,
            clock=clock,
            settings=settings,
            next_read_at=self._poller.next_read_at,
        )
        self._listeners = Listeners(
            roster=self._roster,
            clients=self._clients,
            clock=clock,
            settings=settings,
            fraction=fraction,
            pushed=self._pushed,
            coverage_changed=self._publisher.coverage_changed,
            lost=self._poller.plan_first,
        )
        self._intake = Intake(
            roster=self._roster,
            names={} if names is None else names,
            settings=settings,
            poller=self._poller,
            listeners=self._listeners,
            publisher=self._publisher,
        )
        self._keeping = Keeping(
            store=store,
            clock=clock,
            handle_changed=self._merged,
            wished=self._wished,
            notice=self._publisher.notice,
        )
        self._observer = Observer(
            roster=self._roster,
            clock=clock,
            settings=settings,
            writer=self._writer,
            publisher=self._publisher,
            open_set_changed=self._listeners.set_changed,
            bring_back=self._keeping.bring_back,
        )
        self._unsaved = Unsaved(clock=clock, notice=self._publisher.notice)
        self._caller = Caller(
            store=store,
            clients=self._clients,
            clock=clock,
            unsaved=self._unsaved,
            adopt=self._intake.adopt_called,
            observe=self._observer.observe,
            notice=self._publisher.notice,
        )
        self._steering = Steering(
            store=store,
            clients=self._clients,
            clock=clock,
            wished=self._wished,
            read=self._poller.read,
            poll_now=self._poller.poll_now,
            notice=self._publisher.notice,
        )
        self._watch = StoreWatch(
            store=store,
            clock=clock,
            roster=self._roster,
            adopt=self._intake.adopt,
            merged=self._merged,
            reloaded=self._reloaded,
        )

    async def start(self, *, poll: bool = True, keys: Collection[str] | None = None) -> None:
        """Load what is saved (views are there when it returns); with `poll`, watch it.

        `keys`: watch only these tasks, and what `call` makes.

        Raises:
            StoreError: what is saved cannot be read.
        """
        self._intake.begin(watch=poll, only=keys)
        async for saved in unhurried(await self._store.load()):
            self._intake.load(saved)
        await self._reloaded()
        if poll:
            self._poller.plan_first(task for task in self._roster if task.watched)
        if keys is None:  # somebody is going to look at all of them
            async for task in unhurried(list(self._roster)):
                self._publisher.view(task.key)
        self._publisher.start()
        self._writer.start()
        self._jobs.append(asyncio.create_task(self._unsaved.keep_trying()))
        if poll:
            self._poller.start()
            self._listeners.start()
            watch = keep_running(
                self._watch.run, "looking at the disk", clock=self._clock, notice=self._notice
            )
            self._jobs.append(asyncio.create_task(watch))

    async def close(self) -> None:
        """Stop watching. Reads under way are dropped, pending writes are done, nothing is sent."""
        self._intake.begin(watch=False, only=None)
        await self._poller.close()
        await self._listeners.close()
        await self._keeping.close()
        await end(self._jobs)
        await self._unsaved.save_all()
        await self._writer.close()
        self._publisher.publish()
        await self._publisher.close()

    # --- looking -------------------------------------------------------------------------

    def views(self) -> Sequence[TaskView]:
        """Return every saved task, archived ones too, oldest first."""
        return self._publisher.views()

    def view(self, key: str) -> TaskView | None:
        return self._publisher.view(key)

    def servers(self) -> Sequence[ServerView]:
        """Return one line per server that has saved tasks."""
        return [line.view() for line in self._roster.lines.values()]

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        """Call `listener` on the event loop with each batch, at most 5 a second.

        Returns what ends it.
        """
        return self._publisher.subscribe(listener)

    async def journal(self, key: str) -> list[JournalEntry]:
        """Return the task's history, oldest first, with what is not on disk yet."""
        return await self._stored.journal(self._roster.task(key))

    async def result(self, key: str) -> Any:
        """Return the final result as the server gave it, None where there is none.

        One that was kept and is not there any more makes the task one whose result was lost.
        """
        return await self._stored.result(self._roster.task(key))

    def orphan_intents(self) -> Sequence[Intent]:
        """Return calls that were sent and left no handle: they may have started work."""
        return self._caller.orphans()

    async def dismiss_intent(self, intent_id: int) -> None:
        """Forget one of `orphan_intents`: a person has seen it."""
        await self._caller.dismiss(intent_id)

    async def find_orphan_intents(self) -> Sequence[Intent]:
        """Return `orphan_intents` with what other processes have left since they were read."""
        await self._caller.read_intents()
        return self._caller.orphans()

    def calls_under_way(self) -> Sequence[Intent]:
        """Return calls that were sent and are waited for, oldest first."""
        return self._caller.under_way()

    def calls_broken_off(self) -> Sequence[Intent]:
        """Return calls whose end was not waited for, oldest first: each may have started work."""
        return self._caller.broken_off()

    def unsaved_handles(self) -> Sequence[UnsavedHandle]:
        """Return handles that the disk did not take, oldest first; saving goes on being tried."""
        return self._unsaved.handles()

    # --- acting --------------------------------------------------------------------------

    async def refresh(self, key: str) -> TaskView:
        """Read one task now and return it as it is then; a failed read is in `snapshot.read`.

        Raises:
            UnknownKey: no saved task has that key.
        """
        task = self._roster.task(key)
        await self._poller.read(task)
        return self._view(task)

    def poll_now(self, keys: Sequence[str]) -> None:
        """Read these tasks at the next chance; rate limited per task and per server."""
        for key in keys:
            task = self._roster.get(key)
            if task is not None:
                self._poller.poll_now(task)

    async def save(self, draft: HandleDraft) -> TaskView:
        """Save a handle that something else received; it is on disk when this returns.

        Raises:
            HandleNotSaved: it is not, and is one of `unsaved_handles` now.
        """

        async def keep() -> Watched:
            return self._intake.adopt(await self._store.save(draft))

        return self._view(await self._unsaved.save(draft, keep))

    async def call(
        self,
        server_url: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        label: str | None = None,
        tags: Sequence[str] = (),
        saved_by: str | None = None,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> TaskView | ToolResult | InputNeeded:
        """Journal the intent, send it once, save the handle before anyone is told of it.

        Returns the task that it became, the result where it ended at once, or what it asks first.

        Raises:
            CallUnanswered: it was sent and no usable answer came; work may have started.
            RequestError: it did not start anything.
            HandleNotSaved: it became a task whose handle could not be saved: the text has it, and
                it is one of `unsaved_handles`.
            StoreError: the intent could not be journalled; nothing was sent.
        """
        outcome = await self._caller.call(
            server_url,
            tool,
            arguments,
            label=label,
            tags=tags,
            saved_by=saved_by,
            input_responses=input_responses,
            request_state=request_state,
            timeout=timeout,
        )
        if not isinstance(outcome, Watched):
            return outcome
        await self._writer.flush()
        return self._view(outcome)

    async def tools(self, server_url: str) -> ToolList:
        client = await self._clients.of(server_url)
        return await client.list_tools()

    async def answer(
        self,
        key: str,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool = False,
    ) -> None:
        """Send answers to open input requests; `again` only where a person wants it sent twice.

        `shown` has the `request_hash` of each request as it was when the answer was given.

        Raises:
            NothingToAnswer: the task does not ask for one of these (any more).
            QuestionChanged: a key asks something else than was shown; none was sent.
            AlreadyAnswered: an answer was sent before, here or elsewhere; the others were sent.
            InvalidAnswer: the protocol does not allow this shape of answer.
            AnswerUnconfirmed: it was sent and not acknowledged.
            RequestError: the server refused it, or it was not sent.
        """
        await self._steering.answer(self._roster.task(key), responses, shown=shown, again=again)

    async def cancel(self, key: str) -> None:
        """Ask the server to stop the task; only a later read tells whether it did.

        Raises:
            AlreadyEnded: there is nothing left to stop.
            NoSuchTask: the server does not know it (any more); nobody has accepted anything.
            RequestError: the server refused it, or it may not have arrived.
        """
        await self._steering.cancel(self._roster.task(key))

    async def archive(self, key: str) -> None:
        """Put the task away; a running one is still read and comes back with a question."""
        await self._keeping.archive(self._roster.task(key))

    async def restore(self, key: str) -> None:
        """Bring an archived task back into the list."""
        await self._keeping.restore(self._roster.task(key))

    async def edit(
        self, key: str, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None:
        """Replace label, note and tags; None and no tags clear them."""
        await self._keeping.edit(self._roster.task(key), label=label, note=note, tags=tags)

    async def hold(self, keys: Sequence[str], held: bool) -> None:
        """Hold or resume the automatic reads of these tasks; kept over a restart."""
        for key in keys:
            self._keeping.hold(self._roster.task(key), held)

    async def retry_server(self, url: str) -> None:
        """Try a server that is paused at once, with its settings read anew."""
        line = self._roster.lines.get(url)
        if line is None:
            return
        if not line.paused:
            self._notice(f"{line.name}: it is read as usual, nothing to try again")
            return
        if line.refuses:
            self._clients.renew(url)
        self._poller.retry(line)

    def _view(self, task: Watched) -> TaskView:
        view = self._publisher.view(task.key)
        assert view is not None  # what is watched stays in the roster
        return view

    async def _reloaded(self) -> None:
        """All that is saved was just read: take in what else the disk has to say."""
        await self._caller.read_intents()
        for line in await self._store.take_notices():
            self._notice(line)

    # --- observations --------------------------------------------------------------------

    def _read_done(self, task: Watched, observation: TaskReply | RequestError) -> None:
        covered = task.covered
        applied = self._observer.observe(task, observation)
        if covered and not isinstance(observation, RequestError):
            self._listeners.was_read(task, news=bool(applied.changes & _NEWS))

    def _pushed(self, task: Watched, reply: TaskReply) -> None:
        self._observer.observe(task, reply)
        self._poller.plan(task)

    # --- changes -------------------------------------------------------------------------

    def _notice(self, line: str) -> None:
        self._publisher.notice(line)

    def _changed(self, task: Watched) -> None:
        self._publisher.changed(task)

    def _wished(self, task: Watched) -> None:
        """Something that a person asked for is to be kept, and may change how it is read."""
        self._writer.now(task)
        self._merged(task)

    def _merged(self, task: Watched) -> None:
        """What is known of the task changed otherwise than by a read of ours."""
        task.line.recount()
        self._poller.fit(task)
        self._listeners.set_changed(task.line)
        self._publisher.servers_changed()
        self._changed(task)

    def _line_changed(self, line: ServerLine) -> None:
        self._observer.line_changed(line)
        self._listeners.set_changed(line)

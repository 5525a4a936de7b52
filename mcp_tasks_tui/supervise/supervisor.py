"""The Supervisor: polls, listens, answers, cancels. The one thing that ui and cli talk to."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import Texts
from mcp_tasks_tui.supervise.engine import Engine
from mcp_tasks_tui.supervise.problems import UnknownKey
from mcp_tasks_tui.supervise.publishing import Batch
from mcp_tasks_tui.supervise.roster import Watched
from mcp_tasks_tui.supervise.sendings import Outcome, Sending
from mcp_tasks_tui.supervise.words import counted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from mcp_tasks_tui.handles.model import HandleDraft, Intent, JournalEntry
    from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse, ToolList, ToolResult
    from mcp_tasks_tui.supervise.keeping import Failures
    from mcp_tasks_tui.supervise.ports import Clock, Connect, Store
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.unsaved import UnsavedHandle
    from mcp_tasks_tui.supervise.view import TaskView

__all__ = ["Batch", "Supervisor"]


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
        self._engine = Engine(
            store=store,
            connect=connect,
            clock=clock,
            settings=settings,
            prepare=prepare,
            names={} if names is None else names,
            fraction=fraction,
        )
        self._task = self._engine.roster.task

    async def start(self, *, poll: bool = True, keys: Collection[str] | None = None) -> None:
        """Load what is saved (views are there when it returns); with `poll`, watch it.

        `keys`: watch only these tasks, and what `call` makes.

        Raises:
            StoreError: what is saved cannot be read.
        """
        await self._engine.start(poll=poll, keys=keys)

    async def close(self) -> None:
        """Stop watching. Reads under way are dropped, pending writes are done.

        Nothing is sent; what is on its way already is waited for, a moment: see
        `sendings_ended`.
        """
        await self._engine.close()

    # --- looking -------------------------------------------------------------------------

    def views(self) -> Sequence[TaskView]:
        """Return every saved task, archived ones too, oldest first."""
        return self._engine.publisher.views()

    def view(self, key: str) -> TaskView | None:
        return self._engine.publisher.view(key)

    def servers(self) -> Sequence[ServerView]:
        """Return one line per server that has saved tasks."""
        return [line.view() for line in self._engine.roster.lines.values()]

    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        """Call `listener` on the event loop with each batch, at most 5 a second.

        Returns what ends it.
        """
        return self._engine.publisher.subscribe(listener)

    async def journal(self, key: str) -> list[JournalEntry]:
        """Return the task's history, oldest first, with what is not on disk yet."""
        return await self._engine.stored.journal(self._task(key))

    async def result(self, key: str) -> Any:
        """Return the final result as the server gave it, None where there is none.

        One that was kept and is not there any more makes the task one whose result was lost.
        """
        return await self._engine.stored.result(self._task(key))

    def orphan_intents(self) -> Sequence[Intent]:
        """Return calls that were sent and left no handle: they may have started work."""
        return self._engine.caller.orphans()

    async def dismiss_intent(self, intent_id: int) -> None:
        """Forget one of `orphan_intents`: a person has seen it."""
        await self._engine.caller.dismiss(intent_id)

    async def find_orphan_intents(self) -> Sequence[Intent]:
        """Return `orphan_intents` with what other processes have left since they were read."""
        await self._engine.caller.read_intents()
        return self._engine.caller.orphans()

    def calls_under_way(self) -> Sequence[Intent]:
        """Return calls that were sent and are waited for, oldest first."""
        return self._engine.caller.under_way()

    def calls_broken_off(self) -> Sequence[Intent]:
        """Return calls whose end was not waited for, oldest first: each may have started work."""
        return self._engine.caller.broken_off()

    def sendings_under_way(self) -> Sequence[Sending]:
        """Return the answers and cancels that are on their way, oldest first."""
        return self._engine.sendings.under_way()

    def send_no_more(self) -> Sequence[Sending]:
        """Break off what is not on the wire yet, as `close` does: nobody wants it any more.

        Returns what is on its way and `close` is going to wait for.
        """
        return self._engine.sendings.send_no_more()

    def sendings_ended(self) -> Sequence[Outcome]:
        """Return what came of the sendings that were under way at `send_no_more`, oldest first."""
        return self._engine.sendings.outcomes()

    async def sendings_settled(self) -> Sequence[Sending]:
        """Wait until no answer and no cancel is on its way; return those that were not taken."""
        return await self._engine.sendings.settled()

    def unsaved_handles(self) -> Sequence[UnsavedHandle]:
        """Return handles that the disk did not take, oldest first; saving goes on being tried."""
        return self._engine.unsaved.handles()

    # --- acting --------------------------------------------------------------------------

    async def refresh(self, key: str) -> TaskView:
        """Read one task now and return it as it is then; a failed read is in `snapshot.read`.

        Raises:
            UnknownKey: no saved task has that key.
        """
        task = self._task(key)
        await self._engine.poller.read(task)
        return self._view(task)

    def poll_now(self, keys: Sequence[str]) -> None:
        """Read these tasks at the next chance; rate limited per task and per server."""
        for key in keys:
            task = self._engine.roster.get(key)
            if task is not None:
                self._engine.poller.poll_now(task)

    async def save(self, draft: HandleDraft) -> TaskView:
        """Save a handle that something else received; it is on disk when this returns.

        Raises:
            HandleNotSaved: it is not, and is one of `unsaved_handles` now.
        """

        async def keep() -> Watched:
            return self._engine.intake.adopt(await self._engine.store.save(draft))

        return self._view(await self._engine.unsaved.save(draft, keep))

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
        outcome = await self._engine.caller.call(
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
        await self._engine.writer.flush()
        return self._view(outcome)

    async def tools(self, server_url: str) -> ToolList:
        client = await self._engine.clients.of(server_url)
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
        answer, task = self._engine.steering.answer, self._task(key)
        await self._engine.sendings.send(
            Sending("answer", key),
            lambda leaves: answer(task, responses, shown=shown, again=again, leaves=leaves),
        )

    async def cancel(self, key: str) -> None:
        """Ask the server to stop the task; only a later read tells whether it did.

        Raises:
            AlreadyEnded: there is nothing left to stop.
            NoSuchTask: the server does not know it (any more); nobody has accepted anything.
            RequestError: the server refused it, or it may not have arrived.
        """
        cancel, task = self._engine.steering.cancel, self._task(key)
        await self._engine.sendings.send(
            Sending("cancel", key), lambda leaves: cancel(task, leaves=leaves)
        )

    async def archive(self, keys: Sequence[str]) -> Failures:
        """Put tasks away; a running one is still read and comes back with a question.

        All of them at once, or with a StoreError none. Returns those that cannot be.
        """
        tasks, unknown = self._known(keys)
        return unknown | await self._engine.keeping.archive(tasks)

    async def restore(self, keys: Sequence[str]) -> Failures:
        """Bring archived tasks back into the list; as `archive`."""
        tasks, unknown = self._known(keys)
        return unknown | await self._engine.keeping.restore(tasks)

    async def tag(self, keys: Sequence[str], tags: Sequence[str]) -> Failures:
        """Add tags to tasks; as `archive`."""
        tasks, unknown = self._known(keys)
        return unknown | await self._engine.keeping.tag(tasks, tags)

    async def edit(
        self, key: str, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None:
        """Replace label, note and tags; None and no tags clear them."""
        texts = {self._task(key): Texts(label, note, tuple(tags))}
        for error in (await self._engine.keeping.edit(texts)).values():
            raise error

    async def hold(self, keys: Sequence[str], held: bool) -> Failures:
        """Hold or resume the automatic reads of these tasks; kept over a restart."""
        tasks, unknown = self._known(keys)
        for task in tasks:
            self._engine.keeping.hold(task, held)
        return unknown

    async def retry_server(self, url: str) -> None:
        """Try a server that is paused at once, with its settings read anew.

        Where it is not, those of its tasks that cannot be read are tried so.
        """
        line = self._engine.roster.lines.get(url)
        if line is None:
            return
        if not line.paused:
            self._retry_tasks(line)
            return
        if line.refuses:
            self._engine.clients.renew(url)
        self._engine.poller.retry(line)

    def _retry_tasks(self, line: ServerLine) -> None:
        failing = [
            task.key
            for task in self._engine.roster.at(line.url).values()
            if not (task.snapshot.read.ok or task.snapshot.state.ended)
        ]
        if not failing:
            self._engine.notice(f"{line.name}: it is read as usual, nothing to try again")
            return
        self._engine.clients.renew(line.url)
        self.poll_now(failing)
        number = counted(len(failing), "task")
        self._engine.notice(f"{line.name}: it answers; asked again for {number} not read lately")

    def _known(self, keys: Sequence[str]) -> tuple[list[Watched], Failures]:
        found = {key: self._engine.roster.get(key) for key in keys}
        tasks = [task for task in found.values() if task is not None]
        return tasks, {key: UnknownKey(key) for key, task in found.items() if task is None}

    def _view(self, task: Watched) -> TaskView:
        view = self._engine.publisher.view(task.key)
        assert view is not None  # what is watched stays in the roster
        return view

"""Calling a tool: the intent first, the call once, and the handle on disk before anyone is told.

A call is never repeated: a second call is a second job.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Event, HandleDraft, JournalEntry
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.supervise.problems import CallUnanswered, HandleNotSaved, may_have_arrived

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_tui.handles.model import Intent, Saved
    from mcp_tasks_tui.protocol.messages import CallOutcome, InputResponse, TaskReply
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched

_RETRY_EVERY = 5.0


class Caller:
    def __init__(
        self,
        *,
        store: Store,
        clients: Clients,
        clock: Clock,
        adopt: Callable[[Saved], Watched],
        observe: Callable[[Watched, TaskReply], object],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clients = clients
        self._clock = clock
        self._adopt = adopt
        self._observe = observe
        self._notice = notice
        self._under_way: set[int] = set()
        self._intents: list[Intent] = []
        #: Handles that the disk did not take: kept here, and tried again.
        self._unsaved: list[tuple[HandleDraft, int, TaskReply, float]] = []

    async def read_intents(self) -> None:
        self._intents = await self._store.open_intents()

    def orphans(self) -> Sequence[Intent]:
        return [one for one in self._intents if one.intent_id not in self._under_way]

    async def dismiss(self, intent_id: int) -> None:
        """A person has seen that a call left no handle."""
        await self._store.end_call(intent_id)
        self._forget(intent_id)

    async def call(
        self,
        server_url: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        label: str | None,
        tags: Sequence[str],
        saved_by: str | None,
        input_responses: Mapping[str, InputResponse] | None,
        request_state: str | None,
        timeout: float | None,
    ) -> tuple[CallOutcome, Watched | None]:
        client = await self._clients.of(server_url)
        intent_id = await self._store.begin_call(server_url, tool, dict(arguments), label)
        self._under_way.add(intent_id)
        sent_at = self._clock.now()
        try:
            outcome = await client.call_tool(
                tool,
                arguments,
                input_responses=input_responses,
                request_state=request_state,
                timeout=timeout,
            )
        except RequestError as error:
            if may_have_arrived(error):
                await self._show_open()
                raise CallUnanswered(error) from error
            await self._end(intent_id)
            raise
        finally:
            self._under_way.discard(intent_id)
        reply = _handle_in(outcome)
        if reply is None:
            await self._end(intent_id)
            return outcome, None
        draft = HandleDraft(
            server_url=server_url,
            task_id=reply.task.task_id,
            tool=tool,
            arguments=dict(arguments),
            label=label,
            tags=tuple(tags),
            saved_by=saved_by,
        )
        try:
            return outcome, await self._keep(draft, intent_id, reply, sent_at)
        except StoreError as error:
            self._unsaved.append((draft, intent_id, reply, sent_at))
            raise HandleNotSaved(draft, error) from error

    async def keep_trying(self) -> None:
        """Save, as soon as the disk takes it again, what could not be saved."""
        while True:
            await self._clock.sleep(_RETRY_EVERY)
            await self.save_unsaved()

    async def save_unsaved(self) -> None:
        """Try once more to save the handles that the disk did not take."""
        for one in list(self._unsaved):
            try:
                task = await self._keep(*one)
            except StoreError:
                return
            self._unsaved.remove(one)
            self._notice(f"the handle that could not be saved is saved now: {task.key}")

    async def _keep(
        self, draft: HandleDraft, intent_id: int, reply: TaskReply, sent_at: float
    ) -> Watched:
        task = self._adopt(await self._store.save(draft, intent_id=intent_id))
        self._forget(intent_id)
        task.wish(JournalEntry(sent_at, Event.CALL_SENT))
        self._observe(task, reply)
        return task

    async def _show_open(self) -> None:
        with suppress(StoreError):  # the caller is about to be told anyway
            await self.read_intents()

    async def _end(self, intent_id: int) -> None:
        """Close the intent; a disk that does not take it only leaves a needless warning."""
        self._forget(intent_id)
        try:
            await self._store.end_call(intent_id)
        except StoreError as error:
            self._notice(str(error))

    def _forget(self, intent_id: int) -> None:
        self._intents = [one for one in self._intents if one.intent_id != intent_id]


def _handle_in(outcome: CallOutcome) -> TaskReply | None:
    # Where there is an outcome, the module of its types is loaded; the engine alone does without.
    from mcp_tasks_tui.protocol.messages import TaskCreated  # noqa: PLC0415

    return outcome.reply if isinstance(outcome, TaskCreated) else None

"""Calling a tool: the intent first, the call once, and the handle on disk before anyone is told.

A call is never repeated: a second call is a second job.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Event, HandleDraft, Intent, JournalEntry
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.supervise.problems import CallUnanswered, may_have_arrived

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_tui.handles.model import Saved
    from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse, TaskReply, ToolResult
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched
    from mcp_tasks_tui.supervise.unsaved import Unsaved


class Caller:
    def __init__(
        self,
        *,
        store: Store,
        clients: Clients,
        clock: Clock,
        unsaved: Unsaved,
        adopt: Callable[[Saved], Watched],
        observe: Callable[[Watched, TaskReply], object],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clients = clients
        self._clock = clock
        self._unsaved = unsaved
        self._adopt = adopt
        self._observe = observe
        self._notice = notice
        #: What the disk says that was lost, here or by other processes.
        self._read: dict[int, Intent] = {}
        self._under_way: dict[int, Intent] = {}
        #: Those of this run, whatever the disk could take of it.
        self._lost: dict[int, Intent] = {}
        self._broken_off: dict[int, Intent] = {}

    async def read_intents(self) -> None:
        self._read = {one.intent_id: one for one in await self._store.open_intents()}

    def orphans(self) -> Sequence[Intent]:
        return list((self._read | self._lost).values())

    def under_way(self) -> Sequence[Intent]:
        """Return the calls that are waited for, oldest first."""
        return list(self._under_way.values())

    def broken_off(self) -> Sequence[Intent]:
        """Return the calls that were not waited for to their end, oldest first."""
        return list((self._broken_off | self._under_way).values())

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
    ) -> Watched | ToolResult | InputNeeded:
        client = await self._clients.of(server_url)
        intent_id = await self._store.begin_call(server_url, tool, dict(arguments), label)
        sent_at = self._clock.now()
        intent = Intent(intent_id, server_url, tool, dict(arguments), label, sent_at)
        self._under_way[intent_id] = intent
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
                await self._lose(intent)
                raise CallUnanswered(error) from error
            await self._end(intent_id)
            raise
        except BaseException:  # left, or a bug of ours: what became of the call nobody knows
            self._broken_off[intent_id] = intent
            await self._lose(intent)
            raise
        finally:
            self._under_way.pop(intent_id, None)
        # Where there is an outcome, the module of its types is loaded; the engine does without.
        from mcp_tasks_tui.protocol.messages import TaskCreated  # noqa: PLC0415

        if not isinstance(outcome, TaskCreated):
            await self._end(intent_id)
            return outcome
        reply = outcome.reply
        draft = HandleDraft(
            server_url=server_url,
            task_id=reply.task.task_id,
            tool=tool,
            arguments=dict(arguments),
            label=label,
            tags=tuple(tags),
            saved_by=saved_by,
        )
        keep = partial(self._keep, draft, intent_id, reply, sent_at)
        return await self._unsaved.save(draft, keep)

    async def _keep(
        self, draft: HandleDraft, intent_id: int, reply: TaskReply, sent_at: float
    ) -> Watched:
        task = self._adopt(await self._store.save(draft, intent_id=intent_id))
        self._forget(intent_id)
        task.wish(JournalEntry(sent_at, Event.CALL_SENT))
        self._observe(task, reply)
        return task

    async def _lose(self, intent: Intent) -> None:
        """Tell of the call as lost: here at once, and as soon as can be on disk."""
        self._lost[intent.intent_id] = intent
        with suppress(StoreError):  # with the end of this process the disk tells it in any case
            await self._store.lose_call(intent.intent_id)

    async def _end(self, intent_id: int) -> None:
        """Close the intent; a disk that does not take it only leaves a needless warning."""
        self._forget(intent_id)
        try:
            await self._store.end_call(intent_id)
        except StoreError as error:
            self._notice(str(error))

    def _forget(self, intent_id: int) -> None:
        self._read.pop(intent_id, None)
        self._lost.pop(intent_id, None)

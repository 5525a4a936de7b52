"""What a person asks of a running task: answers to its questions, and cancelling it.

Each answer is claimed on disk before it is sent, so that one process sends it, once. Nothing
here is ever done again by itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event, JournalEntry
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError
from mcp_tasks_tui.supervise.answers import current_answers, is_answer, request_hash
from mcp_tasks_tui.supervise.problems import (
    AlreadyAnswered,
    AlreadyEnded,
    AnswerUnconfirmed,
    InvalidAnswer,
    NothingToAnswer,
    QuestionChanged,
    may_have_arrived,
    never_sent,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from mcp_tasks_tui.handles.model import Json
    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.supervise.clients import Clients
    from mcp_tasks_tui.supervise.ports import Clock, Store
    from mcp_tasks_tui.supervise.roster import Watched

_ACTIONS = frozenset({"accept", "decline", "cancel"})


class Steering:
    """Each method calls the `leaves` that it is given right before something goes on the wire."""

    def __init__(
        self,
        *,
        store: Store,
        clients: Clients,
        clock: Clock,
        wished: Callable[[Watched], None],
        read: Callable[[Watched], Awaitable[None]],
        poll_now: Callable[[Watched], None],
        notice: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clients = clients
        self._clock = clock
        self._wished = wished
        self._read = read
        self._poll_now = poll_now
        self._notice = notice

    # --- answers -----------------------------------------------------------------------------

    async def answer(
        self,
        task: Watched,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool,
        leaves: Callable[[], None],
    ) -> None:
        """See `Supervisor.answer`."""
        _check(task, responses)
        _refuse_changed(task, responses, shown)
        intended = self._intended(task, responses, shown=shown, again=again)
        client = await self._clients.of(task.line.url)
        earlier = dict(task.answers)
        claimed = await self._claim(task, intended, earlier, again=again)
        if not claimed:
            raise AlreadyAnswered(responses)
        try:
            _refuse_changed(task, claimed, shown)  # reads went on while that was written
        except QuestionChanged:
            await self._withdraw(task, claimed, earlier)
            raise
        task.answering = task.answering.union(claimed)
        leaves()
        try:
            await client.update_task(task.handle.task_id, {key: responses[key] for key in claimed})
        except RequestError as error:
            await self._not_acknowledged(task, claimed, earlier, error)
        except asyncio.CancelledError:
            await self._settle(task, claimed, AnswerState.SENT)
            raise
        else:
            await self._settle(task, claimed, AnswerState.ACKNOWLEDGED)
        finally:
            task.answering = task.answering.difference(claimed)
        if len(claimed) < len(responses):
            raise AlreadyAnswered(key for key in responses if key not in claimed)

    def _intended(
        self,
        task: Watched,
        responses: Mapping[str, InputResponse],
        *,
        shown: Mapping[str, str],
        again: bool,
    ) -> dict[str, AnswerRecord]:
        """Return a record for each key that has no answer yet, of the question that was shown."""
        current = current_answers(task.snapshot.input_requests, task.answers)
        now = self._clock.now()
        return {
            key: AnswerRecord(
                request_key=key,
                request_hash=shown[key],
                state=AnswerState.INTENDED,
                action=response.action,
                at=now,
            )
            for key, response in responses.items()
            if again or key not in current or not is_answer(current[key])
        }

    async def _claim(
        self,
        task: Watched,
        intended: Mapping[str, AnswerRecord],
        earlier: Mapping[str, AnswerRecord],
        *,
        again: bool,
    ) -> dict[str, AnswerRecord]:
        """Claim each key that this process may answer; the claim is on disk before we send."""
        claimed: dict[str, AnswerRecord] = {}
        try:
            for key, record in intended.items():
                if await self._store.claim_answer(task.key, record, again=again):
                    claimed[key] = task.answers[key] = record
        except StoreError:
            await self._withdraw(task, claimed, earlier)  # none of them is going to be sent
            raise
        except asyncio.CancelledError:
            await self._withdraw(task, intended, earlier)  # one may just be written
            raise
        if claimed:
            self._wished(task)
        return claimed

    async def _not_acknowledged(
        self,
        task: Watched,
        claimed: Mapping[str, AnswerRecord],
        earlier: Mapping[str, AnswerRecord],
        error: RequestError,
    ) -> None:
        if may_have_arrived(error):
            await self._settle(task, claimed, AnswerState.SENT)
            raise AnswerUnconfirmed(error) from error
        if never_sent(error):
            await self._withdraw(task, claimed, earlier)
        else:
            await self._settle(task, claimed, AnswerState.REFUSED)
        raise error

    async def _withdraw(
        self,
        task: Watched,
        claimed: Mapping[str, AnswerRecord],
        earlier: Mapping[str, AnswerRecord],
    ) -> None:
        """Have it as it was before the claim: the server has heard nothing of it."""
        for key in claimed:
            task.answers.pop(key, None)
            if key in earlier:
                task.answers[key] = earlier[key]
            try:
                await self._store.withdraw_answer(task.key, key, earlier.get(key))
            except StoreError as error:
                self._notice(f"{error} (the answer itself was not sent)")
        self._wished(task)

    async def _settle(
        self, task: Watched, claimed: Mapping[str, AnswerRecord], state: AnswerState
    ) -> None:
        now = self._clock.now()
        for key, record in claimed.items():
            task.answers[key] = replace(record, state=state, at=now)
            try:
                await self._store.set_answer(task.key, key, state)
            except StoreError as error:
                self._notice(f"{error} (the answer itself was {state.value})")
        if state is not AnswerState.REFUSED:
            lines = [
                JournalEntry(
                    now,
                    Event.INPUT_ANSWERED,
                    None,
                    {"key": key, "action": record.action, "state": state.value},
                )
                for key, record in claimed.items()
            ]
            task.wish(*lines, answer_sent_at=now)
        self._wished(task)
        self._poll_now(task)

    # --- cancelling --------------------------------------------------------------------------

    async def cancel(self, task: Watched, *, leaves: Callable[[], None]) -> None:
        """See `Supervisor.cancel`."""
        if task.snapshot.state.terminal:
            raise AlreadyEnded(task.snapshot.state.value)
        client = await self._clients.of(task.line.url)
        leaves()
        try:
            await client.cancel_task(task.handle.task_id)
        except NoSuchTask:
            # Servers also say so of a task that has ended: look before believing it.
            await self._read(task)
            if task.snapshot.state.terminal:
                raise AlreadyEnded(task.snapshot.state.value) from None
            raise  # of a task that is gone, too: nobody has accepted anything
        except RequestError as error:
            if may_have_arrived(error):
                self._cancel_requested(task, acknowledged=False)
            raise
        except asyncio.CancelledError:
            self._cancel_requested(task, acknowledged=False)
            raise
        self._cancel_requested(task, acknowledged=True)

    def _cancel_requested(self, task: Watched, *, acknowledged: bool) -> None:
        now = self._clock.now()
        data: dict[str, Json] = {} if acknowledged else {"acknowledged": False}
        line = JournalEntry(now, Event.CANCEL_REQUESTED, None, data)
        task.wish(line, cancel_requested_at=now)
        self._wished(task)
        self._poll_now(task)


def _check(task: Watched, responses: Mapping[str, InputResponse]) -> None:
    """Refuse what cannot be an answer to what the task asks now; nothing was sent."""
    if not responses or task.snapshot.state.ended:
        raise NothingToAnswer()
    unasked = [key for key in responses if key not in task.snapshot.input_requests]
    if unasked:
        raise NothingToAnswer(unasked)
    for key, response in responses.items():
        if response.action not in _ACTIONS:
            raise InvalidAnswer(f"an answer is accept, decline or cancel, not {response.action!r}")
        by_url = _mode(task.snapshot.input_requests[key]) == "url"
        if by_url and response.content is not None:
            raise InvalidAnswer("the answer to a request to open a page carries no content")


def _refuse_changed(task: Watched, keys: Iterable[str], shown: Mapping[str, str]) -> None:
    """Refuse to answer a question by what a person said to another one under the same key.

    One that is not asked any more has not changed: the server tells what it thinks of an answer.
    """
    asked = task.snapshot.input_requests
    changed = [key for key in keys if key in asked and shown.get(key) != request_hash(asked[key])]
    if changed:
        raise QuestionChanged(changed)


def _mode(request: Json) -> object:
    params = request.get("params") if isinstance(request, dict) else None
    return params.get("mode") if isinstance(params, dict) else None

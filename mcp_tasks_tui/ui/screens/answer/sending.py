"""Answers on their way: they outlive the form that they were typed in, and are told in the next."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import RequestError, RpcError, TimedOut, UnusableReply
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import AnswerUnconfirmed, EngineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.ui.screens.answer.panes import Refused
    from mcp_tasks_tui.ui.screens.answer.state import Action, Answering

    #: Builds the answers by request key, or tells which of them cannot be sent.
    Compose = Callable[[], Awaitable[tuple[dict[str, InputResponse], Refused | None]]]

#: Told where no form is open any more that could show the error.
_REFUSED = "Not sent: the answer has an error; open it again to see it"


@record
class Outgoing:
    """Answers to some questions of one task, as a person sent them; see `Supervisor.answer`."""

    task: str
    keys: tuple[str, ...]
    action: Action
    shown: Mapping[str, str]
    again: bool


@record
class Ended:
    """What came of an `Outgoing`: it was taken, or `words` say why not."""

    sent: Outgoing
    taken: bool = False
    words: str = ""
    refused: Refused | None = None


class PageNotOpened(Exception):
    """A page was to be opened first, and could not be; `str()` says what to do."""


@dataclass(slots=True)
class _OnTheWay:
    keys: set[str] = field(default_factory=set)
    #: Those of them that have no error: they are sent now.
    checked: set[str] = field(default_factory=set)
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Outbox:
    """Which answers are on their way, by task; nothing is kept of those whose way has ended."""

    def __init__(self) -> None:
        self._on_the_way: dict[str, _OnTheWay] = {}
        #: How many times answers were not taken.
        self._returned = 0
        self._forms: dict[str, Callable[[Ended | Outgoing], None]] = {}

    def __len__(self) -> int:
        """Return how many answers are on their way."""
        return sum(len(one.keys) for one in self._on_the_way.values())

    def sending(self, task: str) -> Collection[str]:
        """Return the keys of the questions whose answers are on their way now."""
        one = self._on_the_way.get(task)
        return frozenset() if one is None else one.keys

    def doing(self, task: str, key: str | None) -> str:
        """Say what is done with the answer to a question of `task` just now, "" for nothing."""
        one = self._on_the_way.get(task)
        if one is None or key not in one.keys:
            return ""
        return "Sending…" if key in one.checked else "Checking…"

    def closing(self, task: str) -> str:
        """Say what closing the form of `task` does."""
        one = self._on_the_way.get(task)
        if one is None:
            return "sends nothing"
        is_sent = one.keys == one.checked
        return "the answer goes on" if is_sent else "it is sent if it has no error"

    async def settled(self, task: str) -> None:
        """Wait until no answer to `task` is on its way."""
        while (one := self._on_the_way.get(task)) is not None:
            await one.ended.wait()

    async def all_settled(self) -> bool:
        """Wait until no answer is on its way; return whether all that were have been taken."""
        returned = self._returned
        while self._on_the_way:
            await next(iter(self._on_the_way.values())).ended.wait()
        return self._returned == returned

    def attach(self, task: str, form: Callable[[Ended | Outgoing], None]) -> Callable[[], None]:
        """Tell `form` what comes of answers to `task`, whichever form sent them, and before that
        that they have no error and are sent.

        Returns what ends it.
        """
        self._forms[task] = form

        def detach() -> None:
            if self._forms.get(task) is form:
                del self._forms[task]

        return detach

    def take(self, outgoing: Outgoing) -> None:
        """From now on it is on its way; `send` is to follow."""
        self._on_the_way.setdefault(outgoing.task, _OnTheWay()).keys.update(outgoing.keys)

    async def send(self, outgoing: Outgoing, supervisor: Answering, compose: Compose) -> Ended:
        """Send it once."""
        self.take(outgoing)
        try:
            ended = await self._sent(outgoing, supervisor, compose)
            self._returned += not ended.taken
            return ended
        finally:
            one = self._on_the_way[outgoing.task]
            one.keys.difference_update(outgoing.keys)
            one.checked.difference_update(outgoing.keys)
            if not one.keys:
                del self._on_the_way[outgoing.task]
                one.ended.set()

    async def _sent(self, outgoing: Outgoing, supervisor: Answering, compose: Compose) -> Ended:
        try:
            responses, refused = await compose()
            if refused is not None:
                return Ended(outgoing, words=refused.words(), refused=refused)
            self._take_off(outgoing)
            await supervisor.answer(
                outgoing.task, responses, shown=outgoing.shown, again=outgoing.again
            )
        except Exception as error:  # noqa: BLE001 - whatever happened, the typed text must stay
            return Ended(outgoing, words=failed_words(error))
        return Ended(outgoing, taken=True)

    def _take_off(self, outgoing: Outgoing) -> None:
        self._on_the_way[outgoing.task].checked.update(outgoing.keys)
        if form := self._forms.get(outgoing.task):
            form(outgoing)

    def tell(self, ended: Ended) -> str:
        """Tell the form of the task; return words that no form has shown."""
        form = self._forms.get(ended.sent.task)
        if form is None:
            return _REFUSED if ended.refused is not None else ended.words
        form(ended)
        return ""


def failed_words(error: Exception) -> str:
    """Say what happened, whether it may have arrived, and what to do. The form stays as it is."""
    words = one_line(str(error), 240)
    if isinstance(error, AnswerUnconfirmed):
        return f"Perhaps not delivered: {words}"
    if isinstance(error, TimedOut | UnusableReply):
        return f"Perhaps not delivered: {words}; see what the task does next before sending again"
    if isinstance(error, RpcError):
        return f"Refused by the server: {words}"
    if isinstance(error, PageNotOpened | EngineError | RequestError | StoreError):
        return f"Not sent: {words}"
    return f"Not sent, a fault of this program: {words or type(error).__name__}"

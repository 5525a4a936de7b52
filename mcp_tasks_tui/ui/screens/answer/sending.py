"""Answers on their way: they outlive the form that they were typed in, and are told in the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import RequestError, RpcError, TimedOut, UnusableReply
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.problems import AnswerUnconfirmed, EngineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp_tasks_tui.protocol.messages import InputResponse
    from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
    from mcp_tasks_tui.ui.screens.answer.panes import Refused
    from mcp_tasks_tui.ui.screens.answer.state import Action, Answering

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


class Outbox:
    """Which answers are on their way, by task. One object serves the whole program."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts
        self._sending: dict[str, set[str]] = {}
        self._forms: dict[str, Callable[[Ended], None]] = {}

    def sending(self, task: str) -> set[str]:
        """Return the keys of the questions whose answers are on their way, as it is at any time."""
        return self._sending.setdefault(task, set())

    def attach(self, task: str, form: Callable[[Ended], None]) -> Callable[[], None]:
        """Tell `form` what comes of answers to `task`, whichever form sent them.

        Returns what ends it.
        """
        self._forms[task] = form

        def detach() -> None:
            if self._forms.get(task) is form:
                del self._forms[task]

        return detach

    async def send(
        self,
        outgoing: Outgoing,
        supervisor: Answering,
        compose: Callable[[], Awaitable[tuple[dict[str, InputResponse], Refused | None]]],
    ) -> str:
        """Send it once and tell the form of the task; return words that no form has shown."""
        sending = self.sending(outgoing.task)
        sending.update(outgoing.keys)
        try:
            ended = await _sent(outgoing, supervisor, compose)
        finally:
            sending.difference_update(outgoing.keys)
        if ended.taken:
            for key in outgoing.keys:
                self._drafts.forget(outgoing.task, key)
        form = self._forms.get(outgoing.task)
        if form is None:
            return _REFUSED if ended.refused is not None else ended.words
        form(ended)
        return ""


async def _sent(
    outgoing: Outgoing,
    supervisor: Answering,
    compose: Callable[[], Awaitable[tuple[dict[str, InputResponse], Refused | None]]],
) -> Ended:
    try:
        responses, refused = await compose()
        if refused is not None:
            return Ended(outgoing, words=refused.words(), refused=refused)
        await supervisor.answer(
            outgoing.task, responses, shown=outgoing.shown, again=outgoing.again
        )
    except Exception as error:  # noqa: BLE001 - whatever happened, the typed text must stay
        return Ended(outgoing, words=failed_words(error))
    return Ended(outgoing, taken=True)


def failed_words(error: Exception) -> str:
    """Say what happened, whether it may have arrived, and what to do. The form stays as it is."""
    words = one_line(str(error), 240)
    if isinstance(error, AnswerUnconfirmed):
        return f"Perhaps not delivered: {words}"
    if isinstance(error, TimedOut | UnusableReply):
        return f"Perhaps not delivered: {words}; see what the task does next before sending again"
    if isinstance(error, RpcError):
        return f"Refused by the server: {words}"
    if isinstance(error, EngineError | RequestError | StoreError):
        return f"Not sent: {words}"
    return f"Not sent, a fault of this program: {words or type(error).__name__}"

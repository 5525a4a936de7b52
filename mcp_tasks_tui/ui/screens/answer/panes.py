"""The panes of the questions, of which one is in front, and the answers filled in on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.forms.answer import compose as compose_answer
from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.widgets.form.link import LinkPane
from mcp_tasks_tui.ui.widgets.form.pane import FormPane, QuestionPane, RawPane

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.forms.values import Entry
    from mcp_tasks_tui.ui.screens.answer.state import Action
    from mcp_tasks_tui.ui.widgets.form.link import Opener, Opening


@record
class Refused:
    """An answer that cannot be sent; `errors` by field, those of the whole under ``""``."""

    key: str
    pane: FormPane
    errors: Mapping[str, str]

    def words(self) -> str:
        """Say where to look."""
        if "" in self.errors and not self.pane.form.whole:
            return f"Not sent: {self.errors['']}"
        return f"Not sent: see {', '.join(self.pane.wrong()[:5]) or 'the field'}"


class QuestionPanes(Vertical):
    """Keeps the pane of every question that was looked at: what is typed there stays.

    See :class:`LinkPane` for `opener`, `may_send` and `send`.
    """

    def __init__(
        self,
        *,
        opener: Opener,
        may_send: Callable[[], bool],
        send: Callable[[str, Opening], None],
    ) -> None:
        super().__init__(id="panes")
        self._opener = opener
        self._may_send = may_send
        self._send = send
        self._panes: dict[str, QuestionPane] = {}

    def __getitem__(self, key: str) -> QuestionPane:
        return self._panes[key]

    async def show(self, question: Question, entries: Mapping[str, Entry]) -> None:
        """Bring a question to the front; its pane is built, with `entries`, when first seen."""
        if question.key not in self._panes:
            self._panes[question.key] = self._build(question, entries)
            await self.mount(self._panes[question.key])
        for key, pane in self._panes.items():
            pane.display = key == question.key
        self._panes[question.key].focus_first()

    async def drop(self, key: str) -> None:
        """Have the pane of a question built anew."""
        await self._panes.pop(key).remove()

    def set_locked(self, keys: Collection[str]) -> None:
        """Have the questions of these keys take nothing in, and all others be filled in."""
        for key, pane in self._panes.items():
            pane.set_locked(key in keys)

    def link(self, key: str | None) -> LinkPane | None:
        pane = self._panes.get(key) if key is not None else None
        return pane if isinstance(pane, LinkPane) else None

    def looked_at(self) -> Collection[str]:
        """Return the keys of the questions that have a pane."""
        return self._panes.keys()

    def faultless(self, key: str) -> bool:
        """Return whether it is a form that was looked at and shows no error."""
        pane = self._panes.get(key)
        return isinstance(pane, FormPane) and not pane.wrong()

    async def responses(
        self, keys: Iterable[str], action: Action, *, first: Opening | None = None
    ) -> tuple[dict[str, InputResponse], Refused | None]:
        """Return the answers by request key, or the first one that cannot be sent.

        Every answer is checked as a whole; none is to be sent while one has an error, nor
        before a page is opened, where `first` is to do that.
        """
        if first is not None:
            await first()
        if action != "accept":
            return {key: InputResponse(action=action) for key in keys}, None
        responses: dict[str, InputResponse] = {}
        for key in keys:
            pane = self._panes[key]
            if not isinstance(pane, FormPane):
                responses[key] = InputResponse(action="accept")
                continue
            answer = await in_daemon_thread(compose_answer, pane.form, pane.fields.entries())
            if answer.content is None:
                return {}, Refused(key, pane, answer.errors)
            responses[key] = InputResponse(action="accept", content=answer.content)
        return responses, None

    def refuse(self, refused: Refused) -> None:
        """Show the errors of an answer in its fields, which may be those of a form opened since."""
        pane = self._panes[refused.key]
        if isinstance(pane, FormPane):
            pane.fields.refuse(refused.errors)

    def _build(self, question: Question, entries: Mapping[str, Entry]) -> QuestionPane:
        if question.mode == "url":
            return LinkPane(question, opener=self._opener, may_send=self._may_send, send=self._send)
        if question.form is not None:
            return FormPane(question, entries)
        return RawPane(question)

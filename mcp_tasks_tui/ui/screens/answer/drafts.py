"""What was typed and not sent yet. It lives in memory only: never on disk, never in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.screens.answer.sending import Outbox
from mcp_tasks_tui.ui.screens.typed import Typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.forms.values import Entry
    from mcp_tasks_tui.ui.screens.answer.sending import Compose, Outgoing
    from mcp_tasks_tui.ui.screens.answer.state import Answering


class Drafts:
    """Entries by (task key, request key) and field, and which of them are on their way.

    One object serves the whole program.
    """

    def __init__(self) -> None:
        self._typed = Typed()
        self.outbox = Outbox()

    def put(self, task: str, question: Question, name: str, entry: Entry) -> None:
        """Remember what one field holds."""
        self._typed.put((task, question.key), question.raw, question.form, name, entry)

    def entries(self, task: str, question: Question) -> Mapping[str, Entry]:
        """Return what was entered before, as far as it still fits the question."""
        return self._typed.entries((task, question.key), question.raw, question.form)

    async def send(self, outgoing: Outgoing, supervisor: Answering, compose: Compose) -> str:
        """Send answers once, drop what was typed for those that are taken, and tell the form of
        the task; return words that no form has shown."""
        ended = await self.outbox.send(outgoing, supervisor, compose)
        if ended.taken:
            for key in outgoing.keys:
                self.forget(outgoing.task, key)
        return self.outbox.tell(ended)

    def forget(self, task: str, request: str) -> None:
        """Drop what was typed, once it has been sent."""
        self._typed.forget((task, request))

    def forget_all(self, task: str) -> None:
        """Drop what was typed for any question of a task: nobody can ask for it any more."""
        for of, request in self._typed.filled():
            if of == task:
                self.forget(of, request)

    def typed(self) -> Sequence[tuple[str, str]]:
        """Return (task key, request key) of each question that something was entered for."""
        return self._typed.filled()

    def waiting(self, task: str) -> int:
        """Return how many of a task's questions have something typed that was not sent."""
        return sum(1 for of, _request in self._typed.filled() if of == task)

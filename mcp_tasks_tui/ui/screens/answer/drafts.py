"""What was typed and is not sent yet. It lives in memory only: never on disk, never in a log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.ui.screens.answer.sending import Outbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_tasks_tui.forms.model import Form, Question
    from mcp_tasks_tui.forms.values import Entry
    from mcp_tasks_tui.ui.screens.answer.sending import Compose, Outgoing
    from mcp_tasks_tui.ui.screens.answer.state import Answering

#: Entries of a field that was emptied, or left untouched.
_NOTHING = (None, "")


@dataclass(slots=True, repr=False)
class _Draft:
    asked: Any
    entries: dict[str, Entry] = field(default_factory=dict)


class Drafts:
    """Entries by (task key, request key) and field, and which of them are on their way.

    One object serves the whole program.
    """

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], _Draft] = {}
        self.outbox = Outbox()

    def __repr__(self) -> str:
        return f"<Drafts of {len(self._drafts)} questions>"

    def put(self, task: str, question: Question, name: str, entry: Entry) -> None:
        """Remember what one field holds."""
        draft = self._drafts.get((task, question.key))
        if draft is None or draft.asked != question.raw:
            kept = self.entries(task, question)
            draft = _Draft(question.raw, dict(kept))
            self._drafts[task, question.key] = draft
        draft.entries[name] = entry

    def entries(self, task: str, question: Question) -> Mapping[str, Entry]:
        """Return what was entered before, as far as it still fits the question.

        Where the question has changed since, only typed text is kept: a picked place in another
        list of choices would be another answer.
        """
        draft = self._drafts.get((task, question.key))
        if draft is None or question.form is None:
            return {}
        unchanged = draft.asked == question.raw
        return {
            name: entry
            for name, entry in draft.entries.items()
            if _still_fits(question.form, name, entry) and (unchanged or isinstance(entry, str))
        }

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
        self._drafts.pop((task, request), None)

    def forget_all(self, task: str) -> None:
        """Drop what was typed for any question of a task: nobody can ask for it any more."""
        for of, request in list(self._drafts):
            if of == task:
                self.forget(of, request)

    def typed(self) -> Sequence[tuple[str, str]]:
        """Return (task key, request key) of each question that something was entered for."""
        return [
            place
            for place, draft in self._drafts.items()
            if any(entry not in _NOTHING for entry in draft.entries.values())
        ]

    def waiting(self, task: str) -> int:
        """Return how many of a task's questions have something typed that was not sent."""
        return sum(1 for of, _request in self._drafts if of == task)


def _still_fits(form: Form, name: str, entry: Entry) -> bool:
    from mcp_tasks_tui.forms.values import fits_kind  # noqa: PLC0415 - start-up time

    return any(each.name == name and fits_kind(each, entry) for each in form.fields)

"""The pane of each kind of question, and the answers that are filled in on panes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_tasks_tui.forms.answer import compose as compose_answer
from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.ui.widgets.form_link import LinkPane
from mcp_tasks_tui.ui.widgets.form_pane import FormPane, QuestionPane, RawPane

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.forms.values import Entry


def pane_of(
    question: Question,
    entries: Mapping[str, Entry],
    *,
    opener: Callable[[str], bool],
    may_send: Callable[[], bool],
) -> QuestionPane:
    """Return the pane of a question; `entries` were typed before. See LinkPane for the rest."""
    if question.mode == "url":
        return LinkPane(question, opener=opener, may_send=may_send)
    if question.form is not None:
        return FormPane(question, entries)
    return RawPane(question)


@dataclass(frozen=True, slots=True)
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


async def read_answers(
    panes: Mapping[str, QuestionPane],
) -> tuple[dict[str, InputResponse], Refused | None]:
    """Return the answers on these panes by request key, or the first one that has an error."""
    responses: dict[str, InputResponse] = {}
    for key, pane in panes.items():
        if not isinstance(pane, FormPane):
            responses[key] = InputResponse(action="accept")
            continue
        answer = await asyncio.to_thread(compose_answer, pane.form, pane.fields.entries())
        if answer.content is None:
            return {}, Refused(key, pane, answer.errors)
        responses[key] = InputResponse(action="accept", content=answer.content)
    return responses, None

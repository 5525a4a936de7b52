"""Asks once more before a key declines or dismisses a question: both are final."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcp_tasks_tui.sanitize import clean
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen

if TYPE_CHECKING:
    from textual.content import Content

    from mcp_tasks_tui.forms.model import Question

Refusal = Literal["decline", "dismiss"]

#: Characters of the question that are shown again.
_LONGEST = 20_000
#: What is asked, what a yes is called, and what it tells the server.
_WORDS: dict[Refusal, tuple[str, str, str]] = {
    "decline": (
        "Decline to answer?",
        "Decline",
        "Tells the server that you do not want to answer this. It is final.",
    ),
    "dismiss": (
        "Dismiss the question?",
        "Dismiss",
        "Tells the server that you made no choice. It is final.",
    ),
}


def ask_to_refuse(what: Refusal, question: Question, who: Content) -> ConfirmScreen:
    """Return what to ask before `question` is refused; `who` says which server, tool and task."""
    title, yes, hint = _WORDS[what]
    asked = clean(question.message.raw[:_LONGEST].strip())
    return ConfirmScreen(title, [asked] if asked else [], yes=yes, no="Back", hint=hint, who=who)

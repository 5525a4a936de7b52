"""Asks once more before a key declines or dismisses a question: both are final."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen

if TYPE_CHECKING:
    from mcp_tasks_tui.forms.model import Question

Refusal = Literal["decline", "dismiss"]

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


def ask_to_refuse(what: Refusal, question: Question) -> ConfirmScreen:
    title, yes, hint = _WORDS[what]
    asked = one_line(question.message, 200)
    return ConfirmScreen(title, [asked] if asked else [], yes=yes, no="Back", hint=hint)

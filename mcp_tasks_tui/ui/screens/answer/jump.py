"""Going to any of a task's questions by its number, or by a word of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.screens.answer.pick import PickScreen

if TYPE_CHECKING:
    from mcp_tasks_tui.ui.screens.answer.state import Questions


def pick_question(questions: Questions) -> PickScreen:
    """Return the list to search in; it gives the place of the question."""
    labels = [
        f"{place + 1} {questions.sign(place)} {one_line(questions.message(key), 120)}"
        for place, key in enumerate(questions.keys)
    ]
    return PickScreen("Go to a question: its number, or a word of it", labels, (), several=False)

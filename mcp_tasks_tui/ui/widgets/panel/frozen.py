"""What holds still while a person reads, and how much went on meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, width_of

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts


def frozen_word(changed: int) -> str:
    """Return the word for the first line of the window."""
    return f"frozen +{changed} changed" if changed else "frozen"


class Frozen:
    """One task as it was at the moment of `facts`; `note` is told of everything after it."""

    def __init__(self, facts: PanelFacts) -> None:
        self.facts = facts
        self.changes = 0
        self._last = _noticeable(facts.view)

    def note(self, view: TaskView) -> None:
        """Count it, if a person would see that something is different."""
        now = _noticeable(view)
        self.changes += now != self._last
        self._last = now

    def line(self, now: float, width: int, key: str) -> Line:
        """Return since when, what is hidden by it and, with room for it, which `key` ends it."""
        news = f"{words.counted(self.changes, 'change')} since" if self.changes else "no news since"
        said = Piece(f"‖ frozen {words.ago(self.facts.now, now)}, {news}", Tone.NEED)
        how = Piece(f" · {key} goes on", Tone.MUTED)
        return (said, how) if key and width_of([said, how]) <= width else (said,)


def _noticeable(view: TaskView) -> tuple[object, ...]:
    """Return what makes a difference; that the task was read once more does not."""
    known = view.snapshot
    reasons = tuple(each.reason for each in view.attention)
    said = (known.status, known.status_message, known.message_changes, known.error, known.notes)
    asked = (known.input_requests, view.answers, known.cancel_requested_at, known.held)
    return view.handle, view.state, said, asked, known.has_result, reasons, known.read.ok

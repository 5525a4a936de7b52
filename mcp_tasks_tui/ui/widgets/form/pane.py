"""One question: what is asked on top, and under it what to answer with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.message import Message

from mcp_tasks_tui.forms.reading import ELICITATION
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.form.fields import FormFields
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.app import ComposeResult

    from mcp_tasks_tui.forms.model import Form, Question
    from mcp_tasks_tui.forms.values import Entry

_LONGEST_MESSAGE = 20_000
_LONGEST_RAW = 20_000


class ReadingBox(VerticalScroll, can_focus=False):
    """Text to read; a stop for Tab only where there is more of it than can be seen."""

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._see_whether_it_scrolls)

    def _see_whether_it_scrolls(self) -> None:
        self.can_focus = self.max_scroll_y > 0


class QuestionPane(Vertical):
    """What every kind of question shows: the message. Kinds add what they need under it."""

    class Said(Message):
        """Something to tell the person, on one line."""

        def __init__(self, text: str, *, error: bool = False) -> None:
            super().__init__()
            self.text = text
            self.error = error

    def __init__(self, question: Question) -> None:
        super().__init__(classes="question")
        self.question = question

    def compose(self) -> ComposeResult:
        with ReadingBox(classes="question-message"):
            yield Line(content(self._message()))

    def focus_first(self) -> None:
        """Put the focus where a person goes on; nowhere that sends something by Enter alone."""

    def wrong(self) -> list[str]:
        """Return what still keeps it from being sent, by field."""
        return []

    def toggle_secrets(self) -> None:
        """Show or hide masked text, where there is any."""

    def set_locked(self, locked: bool) -> None:
        """Take nothing in while an answer is on its way."""

    @property
    def focused_field(self) -> str | None:
        """The name of the field that a person is in, None where in none."""
        return None

    def focus_field(self, name: str) -> None:
        """Go to the field of that name, where there is one."""

    def _message(self) -> str:
        text = self.question.message.raw.strip()
        if not text:
            return "The server asks without saying what for."
        return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


class FormPane(QuestionPane):
    """Fields to fill in, or a plain question that Send says yes to."""

    def __init__(self, question: Question, entries: Mapping[str, Entry]) -> None:
        super().__init__(question)
        assert question.form is not None
        self.form: Form = question.form
        self.fields = FormFields(self.form, entries)
        self.set_class(not self.form.fields, "-plain")

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.fields
        if not self.form.fields:
            hint = "Nothing to fill in: Send says yes, Decline says no."
            yield Line(content(hint), classes="question-hint")

    def focus_first(self) -> None:
        self.fields.focus_first()

    def wrong(self) -> list[str]:
        return self.fields.wrong()

    def toggle_secrets(self) -> None:
        self.fields.toggle_secrets()

    def set_locked(self, locked: bool) -> None:
        self.fields.disabled = locked

    @property
    def focused_field(self) -> str | None:
        return self.fields.focused_field

    def focus_field(self, name: str) -> None:
        self.fields.focus_field(name)


class RawPane(QuestionPane):
    """A request that cannot be answered here: shown as it came, and left alone."""

    class CancelTaskWanted(Message):
        """A person wants the task cancelled instead."""

    def compose(self) -> ComposeResult:
        if self.question.message:
            yield from super().compose()
        note = one_line(self.question.note or "unknown kind of request", 300)
        asks = self.question.method == ELICITATION
        rest = "You can decline or dismiss it." if asks else "It is left alone; the task may wait."
        hint = content(f"Cannot be answered here: {note}. {rest}")
        yield Line(hint, classes="question-hint")
        with VerticalScroll(classes="question-raw", can_focus=True):
            yield Line(content(_pretty(self.question.raw)))
        yield Button("Cancel the task…", id="cancel-task")

    def focus_first(self) -> None:
        self.query_one(".question-raw").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(self.CancelTaskWanted())


def _pretty(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    except (RecursionError, TypeError, ValueError):
        return "(nested too deep to be shown)"
    return text if len(text) <= _LONGEST_RAW else f"{text[:_LONGEST_RAW]}\n… ({len(text):,} in all)"

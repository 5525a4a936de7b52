"""Names, notes and tags of a task: ours alone, never sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal
from textual.widgets import Input, TextArea

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.commands.keymap import with_key
from mcp_tasks_tui.ui.looks.text import cell
from mcp_tasks_tui.ui.screens.dialog import Dialog, DialogField
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.text_line import TextLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from mcp_tasks_tui.handles.model import Handle

#: How tags are written.
_TAGS = "words, like nightly release"


@record
class Edited:
    """What was written; empty texts are None."""

    label: str | None
    note: str | None
    tags: tuple[str, ...]


def read_tags(text: str) -> tuple[str, ...]:
    """Return the tags in `text`, split at blanks and commas, each once, in their order."""
    return tuple(dict.fromkeys(part for part in text.replace(",", " ").split() if part))


class EditScreen(Dialog[Edited]):
    def __init__(self, handle: Handle, title: str) -> None:
        super().__init__(f"Edit {cell(title, 60)}")
        self._handle = handle

    def body(self) -> Iterable[Widget]:
        handle = self._handle
        label = TextLine(handle.label or "", id="label", placeholder="what you call it")
        tags = TextLine(" ".join(handle.tags), id="tags", placeholder=_TAGS)
        note = TextArea(handle.note or "", id="note", compact=True)
        note.styles.height = 4
        note.cursor_blink = False
        yield DialogField("Label", "optional", label)
        yield DialogField("Tags", "optional", tags)
        yield DialogField("Note", "optional", note)

    def foot(self) -> Iterable[Widget]:
        yield Horizontal(
            Button(with_key(self, "Save", "form.done"), variant="primary", id="save"),
            Button(with_key(self, "Leave as it is", "form.leave"), id="leave"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        self.query_one("#label", Input).focus()

    @on(Input.Submitted)
    @on(Button.Pressed, "#save")
    def action_done(self) -> None:
        label = self.query_one("#label", Input).value.strip()
        note = self.query_one("#note", TextArea).text.strip()
        tags = read_tags(self.query_one("#tags", Input).value)
        self.dismiss(Edited(label or None, note or None, tags))

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.dismiss(None)


class TagScreen(Dialog[tuple[str, ...]]):
    """Tags to add to several tasks at once."""

    def __init__(self, title: str) -> None:
        super().__init__(title)

    def body(self) -> Iterable[Widget]:
        line = TextLine(id="tags", placeholder=_TAGS)
        yield DialogField("Tags to add", "needed", line)

    def foot(self) -> Iterable[Widget]:
        yield Horizontal(
            Button(with_key(self, "Add", "form.done"), variant="primary", id="save"),
            Button(with_key(self, "Leave all as they are", "form.leave"), id="leave"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        self.query_one("#tags", Input).focus()

    @on(Input.Submitted)
    @on(Button.Pressed, "#save")
    def action_done(self) -> None:
        self.dismiss(read_tags(self.query_one("#tags", Input).value) or None)

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.dismiss(None)

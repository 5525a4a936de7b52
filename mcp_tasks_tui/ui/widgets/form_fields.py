"""The fields of a form under each other, scrolling. For answers, and for a tool's arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.message import Message

from mcp_tasks_tui.forms.values import initial
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.text import content
from mcp_tasks_tui.ui.widgets.form_field import FieldBox
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from mcp_tasks_tui.forms.model import Form
    from mcp_tasks_tui.forms.values import Entry


class FormFields(VerticalScroll, can_focus=False):
    """A form to fill in. `entries` are what is there already; others hold their defaults."""

    @dataclass
    class Edited(Message):
        """A person changed one field."""

        fields: FormFields
        name: str
        entry: Entry

        @property
        def control(self) -> FormFields:
            return self.fields

    def __init__(self, form: Form, entries: Mapping[str, Entry]) -> None:
        super().__init__(classes="form-fields")
        self.form = form
        self._boxes = [
            FieldBox(field, entries[field.name] if field.name in entries else initial(field))
            for field in form.fields
        ]

    def compose(self) -> ComposeResult:
        for note in self.form.notes:
            yield Line(content(note), classes="form-note")
        yield from self._boxes

    def on_field_box_edited(self, event: FieldBox.Edited) -> None:
        event.stop()
        self.call_after_refresh(self._show, event.box)
        self.post_message(self.Edited(self, event.box.field.name, event.box.entry))

    def on_descendant_focus(self) -> None:
        focused = self.screen.focused
        for box in self._boxes:
            if focused is not None and box in focused.ancestors:
                # After the focus itself has scrolled to the line to type in.
                self.call_after_refresh(self._show, box)

    def _show(self, box: FieldBox) -> None:
        """Scroll to the whole field, with its help and error; above all to where one types."""
        self.scroll_to_widget(box, animate=False)
        self.scroll_to_widget(box.editor(), animate=False)

    # --- what others ask -----------------------------------------------------------------
    def entries(self) -> dict[str, Entry]:
        """Return what every field holds."""
        return {box.field.name: box.entry for box in self._boxes}

    def wrong(self) -> list[str]:
        """Return the titles of the fields that keep the form from being sent."""
        return [one_line(box.field.title, 40) for box in self._boxes if box.error()]

    def refuse(self, errors: Mapping[str, str]) -> None:
        """Show errors of the whole form's check; the first field with one gets the focus."""
        for box in self._boxes:
            box.refuse(errors.get(box.field.name))
        first = next((box for box in self._boxes if box.field.name in errors), None)
        if first is not None:
            first.editor().focus()

    def focus_first(self) -> bool:
        """Go to the first field that still wants something, else to the first one."""
        target = next((box for box in self._boxes if box.error()), None)
        target = target or (self._boxes[0] if self._boxes else None)
        if target is not None:
            target.editor().focus()
        return target is not None

    def toggle_secrets(self) -> None:
        for box in self._boxes:
            box.toggle_secret()

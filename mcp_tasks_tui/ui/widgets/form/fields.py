"""The fields of a form under each other, scrolling. For answers, and for a tool's arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.message import Message

from mcp_tasks_tui.forms.values import initial
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.form.field import FieldBox
from mcp_tasks_tui.ui.widgets.form.scroll import Extent, line_in, scrolled_to
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.widget import Widget

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
        #: Lines that can be scrolled beyond the end, to cut no field in two.
        self._beyond = 0
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
        """Scroll to the field, with its name; where there is room, with its help and error."""
        if not box.query(".field-editor"):
            return  # the form is being taken down
        scroller = self._scroller()
        top = line_in(box, scroller)
        typed = line_in(box.editor(), scroller) + box.cursor_row + 1
        first = scrolled_to(
            Extent(top, typed, top + box.virtual_region.height),
            at=round(scroller.scroll_y),
            room=scroller.scrollable_content_region.height,
            starts=[0, *(line_in(each, scroller) for each in self._boxes)],
        )
        self._beyond = max(0, first - super().max_scroll_y) if scroller is self else 0
        scroller.scroll_to(y=first, animate=False, immediate=True)

    @property
    def max_scroll_y(self) -> int:
        """As far as the last field's name may be at the top."""
        return super().max_scroll_y + self._beyond

    def _scroller(self) -> Widget:
        """Return what scrolls: this, or what it stands in where it has all its height."""
        outer = (each for each in self.ancestors_with_self if isinstance(each, VerticalScroll))
        return next((each for each in outer if each.max_scroll_y > 0), self)

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

    @property
    def focused_field(self) -> str | None:
        """The name of the field that a person is in."""
        inside = (box.field.name for box in self._boxes if box.has_focus_within)
        return next(inside, None)

    def focus_field(self, name: str) -> None:
        """Go to the field of that name, where there is one."""
        for box in self._boxes:
            if box.field.name == name:
                box.editor().focus()

    def toggle_secrets(self) -> None:
        for box in self._boxes:
            box.toggle_secret()

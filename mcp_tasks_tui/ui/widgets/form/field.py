"""One field of a form: its title, what to fill in, help under it, and the error beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

from mcp_tasks_tui.forms.hints import SENSITIVE_WARNING, limits
from mcp_tasks_tui.forms.model import FieldKind
from mcp_tasks_tui.forms.values import NEEDED, Picked, check, initial
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.looks.text import beside, content, lines
from mcp_tasks_tui.ui.widgets.form.choices import ChoicePicker, InlineChoices, ManyChoices
from mcp_tasks_tui.ui.widgets.form.text import AreaField, LineField
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.content import Content
    from textual.widget import Widget
    from textual.widgets import Input, TextArea

    from mcp_tasks_tui.forms.model import FormField
    from mcp_tasks_tui.forms.values import Entry

#: More choices than these open a list of their own.
_FEW = 7
_LONGEST_HELP = 2_000


class FieldBox(Vertical):
    """`entry` is what the field holds; :class:`Edited` tells when a person changed it."""

    @dataclass
    class Edited(Message):
        box: FieldBox

        @property
        def control(self) -> FieldBox:
            return self.box

    def __init__(self, field: FormField, entry: Entry) -> None:
        super().__init__(classes="field")
        self.field = field
        self.entry = entry
        self._checked = check(field, entry)
        #: Set by the whole form's check; it stands until the field is edited.
        self.refused: str | None = None
        #: A field that nobody has been to yet is not told that it is empty.
        self._visited = False
        self._help_text = self._help()
        self._below = Line()

    def compose(self) -> ComposeResult:
        yield Line(self._heading(), classes="field-heading")
        yield self._editor()
        yield self._below

    def on_mount(self) -> None:
        self._tell()

    # --- what others ask -----------------------------------------------------------------
    def error(self) -> str | None:
        """Return what is wrong with what the field holds."""
        return self.refused or self._checked.error

    def refuse(self, error: str | None) -> None:
        """Show an error found by a check of the whole form, and from now on also `needed`."""
        self.refused = error
        self._visited = True
        self._tell()

    def editor(self) -> Widget:
        return self.query_one(".field-editor")

    @property
    def cursor_row(self) -> int:
        """The line of the editor that the cursor is at."""
        editor = self.editor()
        return editor.cursor_row if isinstance(editor, AreaField | InlineChoices) else 0

    def toggle_secret(self) -> None:
        """Show or hide what is typed in a masked field."""
        if self.field.secret:
            for line in self.query(LineField):
                line.password = not line.password

    # --- what the editors tell -----------------------------------------------------------
    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._edited(event.value)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._edited(event.text_area.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter goes on to the next field; sending has a key of its own."""
        event.stop()
        self.screen.focus_next()

    def on_choice_picker_changed(self, event: ChoicePicker.Changed) -> None:
        event.stop()
        self._edited(self._picked(event.places))

    async def on_line_field_grown(self, event: LineField.Grown) -> None:
        event.stop()
        area = AreaField(event.text, blink=event.field.cursor_blink)
        area.add_class("field-editor")
        await self.mount(area, after=event.field)
        await event.field.remove()
        area.focus()
        area.move_cursor(area.document.end)
        self._edited(event.text)

    def on_descendant_blur(self) -> None:
        if not self._visited and self.entry is not None:
            self._visited = True
            self._tell()

    # --- inside --------------------------------------------------------------------------
    def _edited(self, entry: Entry) -> None:
        if entry == self.entry or (entry == "" and self.entry is None):
            return
        self.entry = entry
        self._checked = check(self.field, entry)
        self.refused = None
        self._visited = True
        self._tell()
        self.post_message(self.Edited(self))

    def _tell(self) -> None:
        under = self._under()
        self._below.show(under)
        self._below.display = bool(under)

    def _under(self) -> Content:
        """What stands under the editor: error or hint, warning, help."""
        error = self.error()
        if error == NEEDED and not self._visited:
            error = None
        parts = []
        if error:
            parts.append(content(f"✗ {one_line(error, 300)}", "bold $state-failed"))
        elif self._checked.hint:
            parts.append(content(one_line(self._checked.hint, 300)))
        if self.field.secret:
            key = keymap_of(self).label("answer.show")
            shows = f" {key} shows what you type." if key else ""
            warning = f"{SENSITIVE_WARNING}{shows}"
            parts.append(content(warning, "$text-warning"))
        if self._help_text:
            parts.append(content(self._help_text, "dim"))
        return lines(*parts)

    def _heading(self) -> Content:
        title = content(one_line(self.field.title, 120) or one_line(self.field.name, 120), "bold")
        needed, _, rest = limits(self.field).partition(" · ")
        return beside(
            title,
            content(f"  {needed}", "bold" if self.field.required else "dim"),
            content(f" · {rest}" if rest else "", "dim"),
        )

    def _help(self) -> str:
        parts = list(self.field.notes)
        if self.field.description:
            shown = self.field.description.raw[:_LONGEST_HELP]
            more = "…" if len(self.field.description.raw) > _LONGEST_HELP else ""
            parts.insert(0, f"{shown.strip()}{more}")
        if keys := self._choice_keys():
            parts.append(keys)
        return "\n".join(parts)

    def _choice_keys(self) -> str:
        """Return what the keys do that a row of choices does not show by itself."""
        if len(self.field.choices) > _FEW:
            return ""
        if self.field.kind is FieldKind.MULTI_CHOICE:
            return "arrows move, space marks"
        optional = self.field.kind is FieldKind.CHOICE and not self.field.required
        return "backspace picks none" if optional else ""

    def _editor(self) -> Widget:
        kind = self.field.kind
        if kind in (FieldKind.BOOLEAN, FieldKind.CHOICE, FieldKind.MULTI_CHOICE):
            editor: Widget = self._chooser()
        else:
            editor = self._text_editor()
        return editor.add_class("field-editor")

    def _text_editor(self) -> Widget:
        text = self.entry if isinstance(self.entry, str) else ""
        blink = self.app.animation_level != "none"
        if self.field.kind is FieldKind.JSON or ("\n" in text and not self.field.secret):
            return AreaField(text, blink=blink)
        default = initial(self.field)
        given = default if isinstance(default, str) else ""
        return LineField(text, filled_in=given, secret=self.field.secret, blink=blink)

    def _chooser(self) -> ChoicePicker:
        several = self.field.kind is FieldKind.MULTI_CHOICE
        labels = [choice.title for choice in self.field.choices]
        if self.field.kind is FieldKind.BOOLEAN:
            options = ["yes", "no"] if self.field.required else ["yes", "no", "not set"]
            return InlineChoices(options, self._switch_place(), several=False)
        places = self.entry.places if isinstance(self.entry, Picked) else ()
        optional = not self.field.required
        if len(labels) > _FEW:
            return ManyChoices(
                labels, places, several=several, title=self.field.title, optional=optional
            )
        return InlineChoices(labels, places, several=several, optional=optional)

    def _switch_place(self) -> tuple[int, ...]:
        if self.entry is None:
            return () if self.field.required else (2,)
        return (0,) if self.entry is True else (1,)

    def _picked(self, places: tuple[int, ...]) -> Entry:
        if self.field.kind is not FieldKind.BOOLEAN:
            return Picked(places)
        return None if places not in ((0,), (1,)) else places == (0,)

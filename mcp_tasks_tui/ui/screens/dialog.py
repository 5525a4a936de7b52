"""A box over the screen. Escape leaves it and does nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rich.cells import cell_len
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from mcp_tasks_tui.ui.commands.keymap import bind_place
from mcp_tasks_tui.ui.commands.model import Place
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.widgets.form.scroll import Extent, line_in, scrolled_to
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

Answer = TypeVar("Answer")
#: Fields look alike in all forms. A whole path: not all dialogs are in one folder.
FORM_STYLES = Path(__file__).parent.parent / "widgets" / "form" / "form.tcss"
#: Lines of a window below which no line of a dialog is left blank.
_LOW = 20
#: What a frame takes of the line of its title.
_CORNERS = 6


class DialogField(Vertical):
    """What a field is called, whether it is needed, and what one types in; then perhaps more."""

    def __init__(self, name: str, says: str, editor: Widget, *more: Widget) -> None:
        """`says` is ``needed`` or ``optional``, with what else there is to say of it."""
        needed = says.startswith("needed")
        heading = beside(content(name, "bold"), content(f"  {says}", "bold" if needed else "dim"))
        editor.add_class("field-editor")
        super().__init__(Line(heading, classes="field-heading"), editor, *more, classes="field")


class Dialog(LeavableScreen[Answer | None], ModalScreen[Answer | None]):
    """Subclasses yield what is in the box from `body`, and what stays in view below it from
    `foot`: that never scrolls away. Dismissing with None means: nothing."""

    CSS_PATH: ClassVar[Any] = FORM_STYLES
    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 70%; }
    Dialog:ansi { background: transparent; }
    Dialog > .dialog-box {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $primary; padding: 0 1;
        border-title-color: $foreground; border-title-style: bold;
        border-subtitle-color: $text-muted;
    }
    Dialog .dialog-title { dock: top; text-style: bold; margin: 0 0 1 0; display: none; }
    Dialog.-wordy .dialog-title { display: block; }
    Dialog .dialog-body {
        height: auto; max-height: 100%; scrollbar-size-vertical: 1;
        scrollbar-background: $surface; scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;
    }
    Dialog .dialog-foot { dock: bottom; height: auto; }
    Dialog .dialog-error { color: $state-failed; text-style: bold; max-height: 3; display: none; }
    Dialog .dialog-error.-told { display: block; }
    Dialog .dialog-hint { color: $quiet; }
    Dialog .dialog-buttons { height: 1; margin: 1 0 0 0; }
    Dialog .field-heading { height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    Dialog.-low .dialog-title { margin: 0; }
    Dialog.-low .dialog-buttons { margin: 0; }
    """
    AUTO_FOCUS = None

    def __init__(self, title: str) -> None:
        super().__init__()
        self._dialog_title = title

    def body(self) -> Iterable[Widget]:
        raise NotImplementedError

    def foot(self) -> Iterable[Widget]:
        return ()

    def on_mount(self) -> None:
        bind_place(self, Place.FORM, priority=True)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _LOW, "-low")
        self.call_after_refresh(self._show_title)
        self.call_after_refresh(self._show_field)

    def retitle(self, title: str) -> None:
        """Have another title from now on."""
        self._dialog_title = title
        self._show_title()

    def _show_title(self) -> None:
        """In the frame, where it never scrolls away; one that is too long for it, below."""
        box = self.query_one(".dialog-box")
        wordy = cell_len(self._dialog_title) > box.outer_size.width - _CORNERS
        self.set_class(wordy, "-wordy")
        box.border_title = content("" if wordy else self._dialog_title)
        self.query_one(".dialog-title", Line).show(content(self._dialog_title if wordy else ""))

    def tell(self, line: Line, why: str) -> None:
        """Say in one of the lines for errors what is wrong; it takes no room without words."""
        line.show(content(why))
        line.set_class(bool(why), "-told")

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        # Textual would bring a field to the middle, some frames later, without what it is called.
        ours = widget is not None and isinstance(widget.parent, DialogField)
        super().set_focus(widget, scroll_visible and not ours, from_app_focus)

    def on_descendant_focus(self) -> None:
        self.call_after_refresh(self._show_field)

    def _show_field(self) -> None:
        """Bring the field that is typed in into view with what it is called; those of a form
        have their own way."""
        editor = self.focused
        field = editor.parent if editor is not None else None
        if editor is None or not isinstance(field, DialogField) or not field.is_attached:
            return
        body = self.query_one(".dialog-body")
        top, height = line_in(field, body), field.virtual_region.height
        typed = line_in(editor, body) + editor.virtual_region.height
        first = scrolled_to(
            Extent(top, typed, top + height),
            at=round(body.scroll_y),
            room=body.scrollable_content_region.height,
            starts=[0, *(line_in(each, body) for each in self.query(DialogField) if each.display)],
        )
        body.scroll_to(y=first, animate=False, immediate=True)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog-box") as box:
            box.border_title = content(self._dialog_title)
            yield Line(classes="dialog-title")
            with VerticalScroll(classes="dialog-body", can_focus=False):
                yield from self.body()
            yield Vertical(*self.foot(), classes="dialog-foot")

    def action_command(self, command_id: str) -> None:
        """Do what a command of the dialogs' part of the vocabulary says."""
        if command_id == "form.leave":
            self.action_leave()
        else:
            self.action_done()

    def action_done(self) -> None:
        """Take what is filled in; dialogs without fields have nothing to take."""

    def action_leave(self) -> None:
        self.dismiss(None)

"""A box over the screen. Escape leaves it and does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen

from mcp_tasks_tui.ui.command import Place
from mcp_tasks_tui.ui.keymap import bind_place
from mcp_tasks_tui.ui.screens.leaving import LeavableScreen
from mcp_tasks_tui.ui.text import content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

Answer = TypeVar("Answer")
#: Lines of a window below which no line of a dialog is left blank; cells, and no margin.
_LOW, _NARROW = 20, 60


class Dialog(LeavableScreen[Answer | None], ModalScreen[Answer | None]):
    """Subclasses yield what is in the box from `body`, and what stays in view below it from
    `foot`: that never scrolls away. Dismissing with None means: nothing."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .dialog-box {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $border; padding: 0 2;
    }
    Dialog .dialog-title { dock: top; text-style: bold; margin: 0 0 1 0; }
    Dialog .dialog-body { height: auto; max-height: 100%; }
    Dialog .dialog-foot { dock: bottom; height: auto; }
    Dialog .dialog-label { color: $quiet; margin: 1 0 0 0; }
    Dialog .dialog-error { color: $state-failed; max-height: 3; }
    Dialog .dialog-hint { color: $quiet; }
    Dialog .dialog-buttons { height: auto; margin: 1 0 0 0; }
    Dialog .dialog-label:first-child { margin: 0; }
    Dialog.-low .dialog-title, Dialog.-low .dialog-label {
        margin: 0; height: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    Dialog.-low .dialog-buttons { margin: 0; }
    Dialog.-low .dialog-buttons Button { height: 1; }
    Dialog.-narrow > .dialog-box { padding: 0; }
    Dialog Input, Dialog TextArea { border: none; padding: 0 1; background: $panel; }
    Dialog Input { height: 1; }
    Dialog Input:focus, Dialog TextArea:focus { background: $boost; background-tint: $primary 12%; }
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
        self.set_class(event.size.width < _NARROW, "-narrow")
        self.call_after_refresh(self._show_field)

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        # Textual would bring the field to the middle, some frames later, without what it is called.
        parent = widget.parent if widget is not None else None
        deeper = parent is not None and not parent.has_class("dialog-body")
        super().set_focus(widget, scroll_visible and deeper, from_app_focus)

    def on_descendant_focus(self) -> None:
        self.call_after_refresh(self._show_field)

    def _show_field(self) -> None:
        """Bring the field that is typed in into view with what it is called; a field inside of
        another part of the box is left to Textual."""
        field = self.focused
        body = field.parent if field is not None else None
        if not isinstance(body, VerticalScroll) or not body.has_class("dialog-body"):
            return
        parts = list(body.children)
        if field not in parts:
            return  # the dialog was left meanwhile
        highest = parts[max(0, parts.index(field) - 1)].virtual_region.y
        lowest = field.virtual_region.bottom - body.size.height
        body.scroll_to(y=min(max(body.scroll_y, lowest), highest), animate=False, immediate=True)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog-box"):
            yield Line(content(self._dialog_title), classes="dialog-title")
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

"""A box over the screen. Escape leaves it and does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from mcp_tasks_tui.ui.command import Place
from mcp_tasks_tui.ui.keymap import bind_place
from mcp_tasks_tui.ui.screens.leaving import LeavableScreen
from mcp_tasks_tui.ui.text import content
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.widget import Widget

Answer = TypeVar("Answer")


class Dialog(LeavableScreen[Answer | None], ModalScreen[Answer | None]):
    """Subclasses yield what is in the box from `body`; dismissing with None means: nothing."""

    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .dialog-box {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        background: $surface; border: round $border; padding: 0 2;
    }
    Dialog .dialog-title { text-style: bold; margin: 0 0 1 0; }
    Dialog .dialog-label { color: $quiet; margin: 1 0 0 0; }
    Dialog .dialog-error { color: $state-failed; }
    Dialog .dialog-hint { color: $quiet; }
    Dialog .dialog-buttons { height: auto; margin: 1 0 0 0; }
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

    def on_mount(self) -> None:
        bind_place(self, Place.FORM, priority=True)

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog-box", can_focus=False):
            yield Line(content(self._dialog_title), classes="dialog-title")
            yield from self.body()

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

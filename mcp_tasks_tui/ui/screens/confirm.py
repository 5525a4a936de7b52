"""Asks before something is sent that cannot be taken back. The answer is no until said else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal

from mcp_tasks_tui.ui.looks.text import cell, content
from mcp_tasks_tui.ui.screens.dialog import Dialog
from mcp_tasks_tui.ui.screens.read_first import ReadFirst
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.binding import BindingType
    from textual.widget import Widget

_MOST = 10


class ConfirmScreen(Dialog[bool], ReadFirst[bool | None]):
    """`items` name what it is about, one line each; dismisses with True only for a plain yes by
    somebody who could have read it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "yes", "Yes"),
        ("n", "leave", "No"),
        ("left", "app.focus_previous", "Other button"),
        ("right", "app.focus_next", "Other button"),
    ]

    DEFAULT_CSS = """
    ConfirmScreen > .dialog-box { border: round $warning; border-title-color: $warning; }
    ConfirmScreen .dialog-hint { margin: 1 0 0 0; }
    ConfirmScreen.-low .dialog-hint { margin: 0; }
    """

    def __init__(
        self, title: str, items: Sequence[str], *, yes: str, no: str, hint: str = ""
    ) -> None:
        super().__init__(title)
        self._items = items
        self._yes = yes
        self._no = no
        self._hint = hint

    def body(self) -> Iterable[Widget]:
        for item in self._items[:_MOST]:
            yield Line(content(cell(item, 70)), classes="confirm-item")
        if len(self._items) > _MOST:
            yield Line(content(f"and {len(self._items) - _MOST:,} more", "$quiet"))
        if self._hint:
            yield Line(content(self._hint), classes="dialog-hint")

    def foot(self) -> Iterable[Widget]:
        yield Line(classes="dialog-error", id="too-early")
        yield Horizontal(
            Button(f"{self._no} n", id="no"),
            Button(f"{self._yes} y", variant="error", id="yes"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        self.query_one("#no", Button).focus()

    @on(Button.Pressed, "#yes")
    def action_yes(self) -> None:
        if self.is_considered():
            self.dismiss(True)

    def tell_too_early(self, why: str) -> None:
        self.tell(self.query_one("#too-early", Line), why)

    @on(Button.Pressed, "#no")
    def _say_no(self) -> None:
        self.dismiss(False)

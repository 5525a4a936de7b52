"""Asks before something is sent that cannot be taken back. The answer is no until said else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.containers import Horizontal

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.looks.text import content, lines
from mcp_tasks_tui.ui.screens.dialog import Dialog
from mcp_tasks_tui.ui.screens.read_first import ReadFirst
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.binding import BindingType
    from textual.content import Content
    from textual.widget import Widget

#: Lines that are shown of what it is about; it can be scrolled through them.
_MOST = 500


class ConfirmScreen(Dialog[bool], ReadFirst[bool | None]):
    """`items` name what it is about: one of them is shown whole, several have one line each; `who`
    stands above them. Dismisses with True only for a plain yes by somebody who could have read it.

    What a yes means stays in view, however much there is to scroll through.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "yes", "Yes"),
        ("n", "leave", "No"),
        ("left", "app.focus_previous", "Other button"),
        ("right", "app.focus_next", "Other button"),
        ("up", "scroll('up')", "Scroll up"),
        ("down", "scroll('down')", "Scroll down"),
        ("pageup", "scroll('page_up')", "Page up"),
        ("pagedown", "scroll('page_down')", "Page down"),
    ]

    DEFAULT_CSS = """
    ConfirmScreen > .dialog-box { border: round $warning; border-title-color: $warning; }
    ConfirmScreen .confirm-who { color: $text-muted; margin: 0 0 1 0; }
    ConfirmScreen .confirm-who, ConfirmScreen .confirm-several {
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    ConfirmScreen .dialog-hint { margin: 1 0 0 0; }
    ConfirmScreen.-low .confirm-who { margin: 0; }
    ConfirmScreen.-low .dialog-hint { margin: 0; }
    """

    def __init__(
        self,
        title: str,
        items: Sequence[str],
        *,
        yes: str,
        no: str,
        hint: str = "",
        who: Content | None = None,
    ) -> None:
        super().__init__(title)
        self._who = who
        self._items = items
        self._yes = yes
        self._no = no
        self._hint = hint

    def body(self) -> Iterable[Widget]:
        if self._who is not None:
            yield Line(self._who, classes="confirm-who")
        if len(self._items) == 1:
            yield Line(content(self._items[0]))
        elif self._items:
            several = lines(*(content(one_line(item)) for item in self._items[:_MOST]))
            yield Line(several, classes="confirm-several")
        if len(self._items) > _MOST:
            yield Line(content(f"and {len(self._items) - _MOST:,} more", "$quiet"))

    def foot(self) -> Iterable[Widget]:
        if self._hint:
            yield Line(content(self._hint), classes="dialog-hint")
        yield Line(classes="dialog-error", id="too-early")
        yield Horizontal(
            Button(f"{self._no} n", id="no"),
            Button(f"{self._yes} y", variant="error", id="yes"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        self.query_one("#no", Button).focus()

    def action_scroll(self, way: Literal["up", "down", "page_up", "page_down"]) -> None:
        getattr(self.query_one(".dialog-body"), f"scroll_{way}")(animate=False)

    @on(Button.Pressed, "#yes")
    def action_yes(self) -> None:
        if self.is_considered():
            self.dismiss(True)

    def tell_too_early(self, why: str) -> None:
        self.tell(self.query_one("#too-early", Line), why)

    @on(Button.Pressed, "#no")
    def _say_no(self) -> None:
        self.dismiss(False)

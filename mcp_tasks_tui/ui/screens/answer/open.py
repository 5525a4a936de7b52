"""Asks once more before a server's page is opened. The default is to go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen

from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.screens.leavable import LeavableScreen
from mcp_tasks_tui.ui.screens.read_first import ReadFirst
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.line import Line

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from mcp_tasks_tui.forms.links import Link

Consent = Literal["open", "open_and_send"]


class OpenScreen(
    LeavableScreen["Consent | None"], ModalScreen["Consent | None"], ReadFirst["Consent | None"]
):
    """Gives what the person agreed to, None for nothing."""

    CSS_PATH = "open.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "back", "Back", id="open.back"),
        Binding("y", "open('open')", "Open", id="open.open"),
        Binding("s", "open('open_and_send')", "Open and send", id="open.send"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, link: Link, *, can_send: bool) -> None:
        super().__init__()
        self._link = link
        self._can_send = can_send

    def compose(self) -> ComposeResult:
        with Vertical(id="open") as box:
            box.border_title = "Open this page?"
            yield Line(content(self._link.host, "bold reverse"), id="open-host")
            if self._link.warnings:
                with VerticalScroll(id="open-warnings"):
                    for warning in self._link.warnings:
                        yield Line(content(f"! {warning}"))
            if not self._can_send:  # a form has the whole link in view, a message may have cut it
                with VerticalScroll(id="open-url"):
                    yield Line(beside(*(content(part) for part in self._link.parts())))
            sending = " To send as well tells the server that you agreed, not that you are done."
            yield Line(content(f"Opens in your browser.{sending if self._can_send else ''}"))
            yield Line(id="open-too-early")
            with Horizontal():
                yield Button("Back n", id="open-back")
                yield Button("Open y", id="open-only")
                if self._can_send:
                    yield Button("Open and send s", id="open-send", variant="primary")

    def on_mount(self) -> None:
        self.query_one("#open-back").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        chosen: dict[str | None, Consent] = {"open-only": "open", "open-send": "open_and_send"}
        consent = chosen.get(event.button.id)
        if consent is None:
            self.action_back()
        else:
            self.action_open(consent)

    def action_open(self, consent: Consent) -> None:
        if (consent == "open" or self._can_send) and self.is_considered():
            self.dismiss(consent)

    def tell_too_early(self, why: str) -> None:
        line = self.query_one("#open-too-early", Line)
        line.show(content(why))
        line.display = True

    def action_back(self) -> None:
        self.dismiss(None)

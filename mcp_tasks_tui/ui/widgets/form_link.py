"""A question whose answer is given on a web page: where it leads, and what to beware of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Button, Static

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.ui.text import beside, content
from mcp_tasks_tui.ui.widgets.form_pane import QuestionPane, ReadingBox

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.content import Content

    from mcp_tasks_tui.forms.links import Link
    from mcp_tasks_tui.forms.model import Question

_CONSENT = (
    "Send tells the server that you agree to open the page; it does not say that you are done "
    "there. What you enter on the page never passes through this program."
)


class LinkPane(QuestionPane):
    """Shows the whole URL with its host standing out. Opens nothing by itself."""

    class OpenWanted(Message):
        """A person wants the page opened; they are to be asked once more."""

        def __init__(self, link: Link) -> None:
            super().__init__()
            self.link = link

    class CopyWanted(Message):
        def __init__(self, link: Link) -> None:
            super().__init__()
            self.link = link

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.link = look_at(question.url or "")

    def compose(self) -> ComposeResult:
        yield from super().compose()
        with ReadingBox(classes="link"):
            if self.link.host:
                yield Static(self._host(), classes="link-host", markup=False)
            yield Static(self._url(), classes="link-url", markup=False)
            if self.link.refusal:
                yield Static(
                    content(f"✗ Not opened from here: {self.link.refusal}."),
                    classes="link-refusal",
                    markup=False,
                )
            for warning in self.link.warnings:
                yield Static(content(f"! {warning}"), classes="link-warning", markup=False)
            yield Static(_CONSENT, classes="question-hint", markup=False)
        with Horizontal(classes="link-buttons"):
            yield Button("Open… (o)", compact=True, id="link-open", disabled=not self.link.openable)
            yield Button("Copy URL (y)", compact=True, id="link-copy")

    def focus_first(self) -> None:
        self.query_one("#link-open" if self.link.openable else "#link-copy").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "link-open":
            self.want_open()
        else:
            self.want_copy()

    def want_open(self) -> None:
        if self.link.openable:
            self.post_message(self.OpenWanted(self.link))

    def want_copy(self) -> None:
        self.post_message(self.CopyWanted(self.link))

    def _host(self) -> Content:
        host = content(self.link.host, "bold")
        if not self.link.decoded_host:
            return host
        return beside(host, content(f"\nreads: {self.link.decoded_host}", "bold"))

    def _url(self) -> Content:
        before, host, behind = self.link.parts()
        return beside(content(before), content(host, "bold reverse"), content(behind))

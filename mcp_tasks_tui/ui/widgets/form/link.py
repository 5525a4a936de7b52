"""A question whose answer is given on a web page: where it leads, and what to beware of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.message import Message

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.ui.commands.keymap import keymap_of, with_key
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.form.pane import QuestionPane, ReadingBox
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import ComposeResult
    from textual.content import Content

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.ui.screens.answer.open import Consent

    #: Opens a URL in a browser; tells whether it could.
    Opener = Callable[[str], Awaitable[bool]]

_CONSENT = (
    "Send tells the server that you agree to open the page; it does not say that you are done "
    "there. What you enter on the page never passes through this program."
)


class LinkPane(QuestionPane):
    """Shows the whole URL with its host standing out. Opens nothing by itself.

    `opener` opens a URL in a browser and returns whether it could; `may_send` tells whether an
    answer can be sent now.
    """

    class SendWanted(Message):
        """A person agreed to have the answer to this question sent along with opening the page."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, question: Question, *, opener: Opener, may_send: Callable[[], bool]) -> None:
        super().__init__(question)
        self.link = look_at(question.url or "")
        self._opener = opener
        self._may_send = may_send

    def compose(self) -> ComposeResult:
        yield from super().compose()
        with ReadingBox(classes="link"):
            if self.link.host:
                yield Line(self._host(), classes="link-host")
            yield Line(self._url(), classes="link-url")
            if self.link.refusal:
                refusal = content(f"✗ Not opened from here: {self.link.refusal}.")
                yield Line(refusal, classes="link-refusal")
            for warning in self.link.warnings:
                yield Line(content(f"! {warning}"), classes="link-warning")
            yield Line(content(_CONSENT), classes="question-hint")
        with Horizontal(classes="link-buttons"):
            button = Button(with_key(self, "Open…", "answer.open"), id="link-open")
            button.disabled = not self.link.openable
            yield button
            yield Button(with_key(self, "Copy URL", "answer.copy"), id="link-copy")

    def focus_first(self) -> None:
        self.query_one("#link-open" if self.link.openable else "#link-copy").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "link-open":
            self.want_open()
        else:
            self.want_copy()

    def want_open(self) -> None:
        """Ask, then open: never without a yes, never anything but http and https."""
        if self.link.openable:
            screen = OpenScreen(self.link, can_send=self._may_send())
            self.app.push_screen(screen, self._agreed)

    def want_copy(self) -> None:
        """Put the URL on the clipboard: the app knows how to reach the terminal's."""
        self.post_message(CopyRequested(self.link.url, "URL"))
        self.post_message(self.Said("If nothing was copied, select the URL with the mouse."))

    def _agreed(self, consent: Consent | None) -> None:
        if consent is not None:
            key = keymap_of(self).label("answer.copy")
            copy = f"copy the URL ({key})" if key else "copy the URL"
            self.post_message(self.Said("Opening it in your browser…"))
            # The app runs it: closing the form does not keep a browser from coming up.
            self.app.run_worker(self._open(consent, copy), exit_on_error=False)

    async def _open(self, consent: Consent, copy: str) -> None:
        if not await self._opener(self.link.url):
            words = f"No browser could be started: {copy}, then Send."
            self.post_message(self.Said(words, error=True))
            return
        self.post_message(self.Said("Opened in your browser."))
        if consent == "open_and_send":
            self.post_message(self.SendWanted(self.question.key))

    def _host(self) -> Content:
        host = content(self.link.host, "bold")
        if not self.link.decoded_host:
            return host
        return beside(
            host, content(f"\nreads: {self.link.decoded_host} (not in ASCII letters)", "bold")
        )

    def _url(self) -> Content:
        before, host, behind = self.link.parts()
        return beside(content(before), content(host, "bold reverse"), content(behind))

"""A question whose answer is given on a web page: where it leads, and what to beware of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal

from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.commands.keymap import keymap_of, with_key
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.answer.sending import PageNotOpened
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.form.pane import QuestionPane, ReadingBox
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.ui.widgets.result.messages import CopyRequested

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App, ComposeResult
    from textual.content import Content

    from mcp_tasks_tui.forms.model import Question
    from mcp_tasks_tui.ui.screens.answer.open import Consent

    #: Opens a URL in a browser; tells whether it could.
    Opener = Callable[[str], Awaitable[bool]]
    #: Opens the page of a question; raises `PageNotOpened` where no browser came up.
    Opening = Callable[[], Awaitable[None]]

_CONSENT = (
    "Send tells the server that you agree to open the page; it does not say that you are done "
    "there. What you enter on the page never passes through this program."
)


class LinkPane(QuestionPane):
    """Shows the whole URL with its host standing out. Opens nothing by itself.

    `opener` opens a URL in a browser and returns whether it could; `may_send` tells whether an
    answer can be sent now; `send` is to do what it is given, the opening of the page, and then to
    send the answer to the question of that key. It is no message: a form that is left at once
    would not get it any more.
    """

    def __init__(
        self,
        question: Question,
        *,
        opener: Opener,
        may_send: Callable[[], bool],
        send: Callable[[str, Opening], None],
    ) -> None:
        super().__init__(question)
        self.link = look_at(question.url or "")
        self._opener = opener
        self._may_send = may_send
        self._send = send

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
        if consent == "open_and_send":
            self._send(self.question.key, self._open)
        elif consent == "open":
            self.post_message(self.Said("Opening it in your browser…"))
            # The app runs it: closing the form does not keep a browser from coming up.
            self.app.run_worker(self._open_alone(self.app), exit_on_error=False)

    async def _open_alone(self, app: App[object]) -> None:
        try:
            await self._open()
        except PageNotOpened as why:
            if not self._say(f"Not opened: {why}", error=True):
                app.notify(one_line(f"Not opened: {why}", 300), severity="error", markup=False)
        else:
            self._say("Opened in your browser.")

    def _say(self, words: str, *, error: bool = False) -> bool:
        """Say it in the form; tell whether there is one any more."""
        return self.is_attached and self.post_message(self.Said(words, error=error))

    async def _open(self) -> None:
        key = keymap_of(self).label("answer.copy")
        copy = f"copy the URL ({key})" if key else "copy the URL"
        if not await self._opener(self.link.url):
            raise PageNotOpened(f"no browser could be started: {copy} in the form, then Send")

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

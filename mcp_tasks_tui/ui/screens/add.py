"""Keeps a task that something else started: its server and its id are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal
from textual.suggester import SuggestFromList
from textual.widgets import Input

from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.ui.commands.keymap import with_key
from mcp_tasks_tui.ui.screens.dialog import Dialog, DialogField
from mcp_tasks_tui.ui.servers import UnknownServer
from mcp_tasks_tui.ui.widgets.button import Button
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.ui.widgets.text_line import TextLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget

    from mcp_tasks_tui.ui.servers import KnownServers

_FIELDS = (
    ("server", "Server", "needed", "a known name, or http://host:port/mcp"),
    ("task-id", "Task id", "needed", "exactly as the server gave it"),
    ("tool", "Tool", "optional", "what was called"),
    ("label", "Label", "optional", "what you call it"),
)


class AddScreen(Dialog[HandleDraft]):
    def __init__(self, servers: KnownServers) -> None:
        super().__init__("Keep a task that something else started")
        self._servers = servers

    def body(self) -> Iterable[Widget]:
        for name, label, says, placeholder in _FIELDS:
            line = TextLine(id=name, placeholder=placeholder)
            if name == "server":
                line.suggester = SuggestFromList(self._servers.names, case_sensitive=False)
            yield DialogField(label, says, line)

    def foot(self) -> Iterable[Widget]:
        yield Line(id="add-error", classes="dialog-error")
        yield Horizontal(
            Button(with_key(self, "Keep it", "form.done"), variant="primary", id="save"),
            Button(with_key(self, "Back", "form.leave"), id="leave"),
            classes="dialog-buttons",
        )

    def on_mount(self) -> None:
        server = self.query_one("#server", TextLine)
        server.fill_in(self._servers.only or "")
        server.focus()

    def _value(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        """Enter goes on to the next empty field that is needed, and saves where none is."""
        missing = next((name for name in ("server", "task-id") if not self._value(name)), None)
        if missing is not None and missing != event.input.id:
            self.query_one(f"#{missing}", Input).focus()
        else:
            self.action_done()

    @on(Button.Pressed, "#save")
    def action_done(self) -> None:
        try:
            url = self._servers.url(self._value("server"))
        except UnknownServer as error:
            self._refuse(str(error), "server")
            return
        task_id = self._value("task-id").strip()
        if not task_id:
            self._refuse("the task id is needed: it is the only thread back to the work", "task-id")
            return
        tool, label = self._value("tool").strip(), self._value("label").strip()
        self.dismiss(HandleDraft(url, task_id, tool=tool or None, label=label or None))

    def _refuse(self, why: str, name: str) -> None:
        self.tell(self.query_one("#add-error", Line), why)
        self.query_one(f"#{name}", Input).focus()

    @on(Button.Pressed, "#leave")
    def _leave(self) -> None:
        self.dismiss(None)

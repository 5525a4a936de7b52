"""The head of the answering screen: who asks, which of the questions this is, what is unusual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.commands.keymap import keymap_of
from mcp_tasks_tui.ui.looks.text import beside, content
from mcp_tasks_tui.ui.widgets.form.strip import QuestionStrip
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.content import Content

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.screens.answer.state import Questions


def asking_server(view: TaskView | None) -> str:
    return one_line(view.server, 40) if view else "Nobody"


def who_asks(view: TaskView | None, key: str) -> Content:
    """Return two lines: the server with its address, and the tool with the task `key`."""
    if view is None:
        return content(f"No saved task {one_line(key, 40)}")
    label = f" {one_line(view.handle.label, 60)}" if view.handle.label else ""
    tool = one_line(view.handle.tool, 60) if view.handle.tool else "(not known)"
    return beside(
        content(f"server {one_line(view.server, 60)}", "bold"),
        content(f"  {short_url(view.handle.server_url)}\n", "dim"),
        content(f"tool {tool}", "bold"),
        content(f"  task {view.key}{label}"),
    )


class AnswerHead(Vertical):
    """Stays in view above every question."""

    DEFAULT_CSS = "AnswerHead { height: auto; }"

    def __init__(self, who: Content) -> None:
        super().__init__()
        self._who = who

    def compose(self) -> ComposeResult:
        yield Line(self._who, id="who")
        yield QuestionStrip()
        yield Line(id="banner")

    def show(self, questions: Questions, current: str | None, *, read_only: bool) -> None:
        """Show how each question stands; `current` is the key of the one that is in front."""
        strip = self.query_one(QuestionStrip)
        strip.display = len(questions) > 1
        if current is not None:
            strip.show(questions.sign, len(questions), questions.place(current))
        show = keymap_of(self).label("answer.show")
        told = questions.told(current, show=show) if current else "The task asks nothing."
        if read_only and not told:
            told = "Read-only: nothing can be sent from here."
        banner = self.query_one("#banner", Line)
        banner.display = bool(told)
        banner.show(content(told))

"""Sections of the panel as text, and what they are made from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts, Section
from tests.ui.fakes import NOW

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


FORM = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Deploy?",
        "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
    },
}


HOSTILE = "\x1b[2J[/foo][@click=app.quit]x[/]\u202e"


def facts(view: TaskView, **changes: Any) -> PanelFacts:
    return replace(PanelFacts(view, NOW, 90, 40, answer_key="u", open_key="enter"), **changes)


def text(section: Section | None) -> str:
    assert section is not None
    return "\n".join(plain(line) for line in section.lines)


def tones(section: Section, words: str) -> set[Tone]:
    return {each.tone for line in section.lines for each in line if each.text.startswith(words)}


def entry(seconds: float, event: Event, said: str | None = None, **data: Any) -> JournalEntry:
    return JournalEntry(NOW - seconds, event, None if said is None else ServerText(said), data)

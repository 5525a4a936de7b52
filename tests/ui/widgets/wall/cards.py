"""Cards of the wall as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.lines.pieces import plain
from mcp_tasks_tui.ui.widgets.wall.card import card
from tests.ui.fakes import NOW

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


HOSTILE = "\x1b[2J[/foo][@click=app.quit]x[/]\u202e処理\n\n" * 50


def shown(view: TaskView, w: int = 60, h: int = 20) -> str:
    return "\n".join(plain(line) for line in card(view, w, h, NOW))

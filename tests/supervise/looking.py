"""What a supervisor shows of one task and of one server."""

from __future__ import annotations

from mcp_tasks_tui.supervise.server_view import ServerView
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import TaskView


def view_of(supervisor: Supervisor, key: str) -> TaskView:
    view = supervisor.view(key)
    assert view is not None
    return view


def line_of(supervisor: Supervisor, place: int = 0) -> ServerView:
    return supervisor.servers()[place]

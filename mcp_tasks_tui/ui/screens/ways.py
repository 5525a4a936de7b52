"""Ways through the list: to the next question, the next trouble, the next server in trouble."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.widgets.server_lines import ill_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.widgets.tasks.list import TaskList


class Ways:
    """`say` shows one line; each way goes round: from the end to the top again."""

    def __init__(self, tasks: TaskList, supervisor: Supervisor, say: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._supervisor = supervisor
        self._say = say

    def next_input(self) -> None:
        self._go(lambda view: bool(view.open_requests), "no task in view waits for an answer")

    def next_attention(self) -> None:
        self._go(lambda view: bool(view.attention), "no task in view wants attention")

    def next_server(self) -> None:
        """Go to the tasks of the server in trouble that is after the one of the cursor."""
        urls = [server.url for server in ill_first(self._supervisor.servers())]
        if not urls:
            self._say("every server is well")
            return
        current = self._tasks.current
        here = current.handle.server_url if current is not None else ""
        after = urls.index(here) + 1 if here in urls else 0
        self.to_server(urls[after % len(urls)])

    def to_server(self, url: str) -> None:
        """Go to the first task of a server that needs it, in the order of the list."""
        model = self._tasks.model
        shown = list(model.keys())
        keys = [key for key in shown if model.views[key].handle.server_url == url]
        going = (key for key in keys if not model.views[key].state.ended)
        key = next(going, keys[0] if keys else None)
        if key is None:
            servers = self._supervisor.servers()
            name = next((server.name for server in servers if server.url == url), url)
            self._say(f"no task in view is on {one_line(name, 60)}")
        else:
            self._tasks.select(key)

    def _go(self, wanted: Callable[[TaskView], bool], else_say: str) -> None:
        key = self._tasks.model.next_where(wanted)
        if key is None:
            self._say(else_say)
        else:
            self._tasks.select(key)

"""Ways through list and wall: to the next question, the next trouble, the next ill server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.widgets.server_lines import ill_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.screens.parts import Parts


class Ways:
    """`say` shows one line; each way goes round: from the end to the top again."""

    def __init__(self, parts: Parts, supervisor: Supervisor, say: Callable[[str], None]) -> None:
        self._screen, self._tasks, _, self._wall, _ = parts
        self._supervisor = supervisor
        self._say = say

    def next_input(self) -> None:
        self._go(lambda view: bool(view.open_requests), "waits for an answer")

    def next_attention(self) -> None:
        self._go(lambda view: bool(view.attention), "wants attention")

    def next_server(self) -> None:
        """Go to the tasks of the server in trouble that is after the one of the cursor."""
        urls = [server.url for server in ill_first(self._supervisor.servers())]
        if not urls:
            self._say("every server is well")
            return
        current = self._wall.current if self._on_wall else self._tasks.current
        here = current.handle.server_url if current is not None else ""
        after = urls.index(here) + 1 if here in urls else 0
        self.to_server(urls[after % len(urls)])

    def to_server(self, url: str) -> None:
        """Go to the first task of a server that needs it, in the order of what is shown."""
        model = self._tasks.model
        shown = self._wall.views if self._on_wall else map(model.views.__getitem__, model.keys())
        views = [view for view in shown if view.handle.server_url == url]
        going = (view for view in views if not view.state.ended)
        view = next(going, views[0] if views else None)
        if view is None:
            servers = self._supervisor.servers()
            name = next((server.name for server in servers if server.url == url), url)
            self._say(f"no {self._thing} is on {one_line(name, 60)}")
        else:
            self._select(view.key)

    @property
    def _on_wall(self) -> bool:
        return self._screen.has_class("-wall")

    @property
    def _thing(self) -> str:
        return "card" if self._on_wall else "task in view"

    def _go(self, wanted: Callable[[TaskView], bool], else_none: str) -> None:
        there = self._wall if self._on_wall else self._tasks.model
        key = there.next_where(wanted)
        if key is None:
            self._say(f"no {self._thing} {else_none}")
        else:
            self._select(key)

    def _select(self, key: str) -> None:
        if self._on_wall:
            self._wall.go_to(key)
        else:
            self._tasks.select(key)

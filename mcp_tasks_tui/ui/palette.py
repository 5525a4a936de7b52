"""The command palette: every command, and every task to go to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import STATES, title
from mcp_tasks_tui.ui.text import beside, content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.app import TasksApp
    from mcp_tasks_tui.ui.command import Command

#: Tasks offered for one query.
_MOST_TASKS = 20


class TaskCommands(Provider):
    @property
    def _tasks_app(self) -> TasksApp:
        return cast("TasksApp", self.app)

    def _commands(self) -> Iterator[Command]:
        return (
            command
            for command in self._tasks_app.keymap.commands.values()
            if command.id not in ("program.palette", "list.clear")
            and not command.id.startswith(("list.down", "list.up", "list.page"))
        )

    def _words(self, command: Command) -> str:
        key = self._tasks_app.keymap.label(command.id)
        return f"{command.help}  ({key})" if key else command.help

    async def discover(self) -> Hits:
        for command in self._commands():
            run = partial(self._tasks_app.main.run_command, command.id)
            yield DiscoveryHit(content(command.title), run, command.title, self._words(command))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                run = partial(self._tasks_app.main.run_command, command.id)
                shown = matcher.highlight(command.title)
                yield Hit(score, shown, run, command.title, self._words(command))
        for view in self._found(query):
            run = partial(self._tasks_app.main.go_to, view.key)
            name = one_line(title(view.handle), 80)
            shown = beside(content(f"Go to {name}"), content(f"  {view.server}", "dim"))
            yield Hit(0.5, shown, run, name, STATES[view.state].word)

    def _found(self, query: str) -> list[TaskView]:
        wanted = query.casefold()
        found: list[TaskView] = []
        for view in self._tasks_app.supervisor.views():
            text = f"{title(view.handle)} {view.handle.task_id} {view.key} {view.server}"
            if wanted in text.casefold():
                found.append(view)
                if len(found) == _MOST_TASKS:
                    break
        return found

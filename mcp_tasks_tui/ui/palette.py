"""The command palette: every command, and every task to go to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.words import STATES, title
from mcp_tasks_tui.ui.text import beside, content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.command import Command
    from mcp_tasks_tui.ui.keymap import Keymap

#: Tasks offered for one query.
_MOST_TASKS = 20


class Offering(Protocol):
    """The app as the palette needs it: what can be chosen, and what then happens."""

    keymap: Keymap
    supervisor: Supervisor

    def run_command(self, command_id: str) -> None: ...

    def go_to(self, key: str) -> None: ...


class TaskCommands(Provider):
    @property
    def _offering(self) -> Offering:
        return cast("Offering", self.app)

    def _commands(self) -> Iterator[Command]:
        return (
            command
            for command in self._offering.keymap.commands.values()
            if command.id not in ("program.palette", "list.clear")
            and not command.id.startswith(("list.down", "list.up", "list.page"))
        )

    def _words(self, command: Command) -> str:
        key = self._offering.keymap.label(command.id)
        return f"{command.help}  ({key})" if key else command.help

    async def discover(self) -> Hits:
        for command in self._commands():
            run = partial(self._offering.run_command, command.id)
            yield DiscoveryHit(content(command.title), run, command.title, self._words(command))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                run = partial(self._offering.run_command, command.id)
                shown = matcher.highlight(command.title)
                yield Hit(score, shown, run, command.title, self._words(command))
        for view in self._found(query):
            run = partial(self._offering.go_to, view.key)
            name = one_line(title(view.handle), 80)
            shown = beside(content(f"Go to {name}"), content(f"  {view.server}", "dim"))
            yield Hit(0.5, shown, run, name, STATES[view.state].word)

    def _found(self, query: str) -> list[TaskView]:
        wanted = query.casefold()
        found: list[TaskView] = []
        for view in self._offering.supervisor.views():
            text = f"{title(view.handle)} {view.handle.task_id} {view.key} {view.server}"
            if wanted in text.casefold():
                found.append(view)
                if len(found) == _MOST_TASKS:
                    break
        return found

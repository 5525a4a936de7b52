"""What the keys, the palette and clicks of the main screen come to: one way for each command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.ui import lost_calls
from mcp_tasks_tui.ui.actions import TaskActions
from mcp_tasks_tui.ui.commands.about_list import holds_at
from mcp_tasks_tui.ui.commands.model import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.ui.actions import Stage
    from mcp_tasks_tui.ui.commands.keymap import Keymap
    from mcp_tasks_tui.ui.screens.looking import Looking
    from mcp_tasks_tui.ui.screens.parts import Parts
    from mcp_tasks_tui.ui.services import Services


class Commanding:
    """`plain`: keys are written in ASCII."""

    def __init__(
        self,
        stage: Stage,
        parts: Parts,
        supervisor: Supervisor,
        services: Services,
        looking: Looking,
        *,
        keymap: Keymap,
        plain: bool,
    ) -> None:
        self._stage = stage
        self._app = parts.screen.app
        self._supervisor = supervisor
        self._services = services
        self._keymap = keymap
        self._looking = looking
        self._plain = plain
        self._actions = TaskActions(stage, supervisor, keymap.label("task.undo"))
        self._inside: dict[Place, Callable[[str], Any]] = {
            Place.PANEL: parts.panel.action_command,
            Place.WALL: parts.wall.action_command,
        }
        self._handlers = self._of_the_program() | looking.handlers()

    def run(self, command_id: str) -> None:
        """Do what a command of the vocabulary says, where that has it."""
        command = self._keymap.commands.get(command_id)
        if command is None:
            return
        if not holds_at(command_id, self._looking.place):
            back = self._keymap.label("view.wall", plain=self._plain)
            how = f" ({back} shows it)" if back else ""
            self._services.say(f"{command.title}: about the list{how}", kind="outcome")
            return
        inside = self._inside.get(command.place)
        if inside is not None:
            inside(command_id)
        elif self._actions.handles(command_id):
            self._actions.run(command_id)
        else:
            self._handlers[command_id]()

    def run_on(self, command_id: str, key: str) -> None:
        """Do it for one task, wherever the cursor and the marks are."""
        view = self._supervisor.view(key)
        if view is not None:
            self._actions.run(command_id, [view])

    def _of_the_program(self) -> dict[str, Callable[[], None]]:
        start = self._stage.start
        return {
            "program.new_call": self._services.new_call,
            "program.add": lambda: start(self._add()),
            lost_calls.FORGET: lambda: start(self._forget_calls()),
            "program.mouse": self._services.toggle_mouse,
            "program.theme": self._services.toggle_theme,
            "program.help": self._help,
            "program.palette": self._app.action_command_palette,
            "program.suspend": self._services.to_the_shell,
            "program.quit": self._services.quit,
        }

    def _help(self) -> None:
        from mcp_tasks_tui.ui.screens.help import HelpScreen

        place = self._looking.place
        self._app.push_screen(HelpScreen(self._keymap, place, plain=self._plain))

    async def _add(self) -> None:
        from mcp_tasks_tui.ui.screens.add import AddScreen

        draft = await self._stage.ask(AddScreen(self._services.known_servers()))
        if draft is not None:
            await self._actions.save(draft)

    async def _forget_calls(self) -> None:
        servers, now = self._services.known_servers(), self._services.now()
        await lost_calls.forget(self._stage, self._supervisor, servers, now)

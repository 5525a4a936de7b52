"""The program with a bug put in, for tests: ``python -m tests.program.crashing WHERE``.

Each shows once saved tasks are on the screen and a key is pressed or news comes.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from mcp_tasks_tui.cli import screen
from mcp_tasks_tui.cli.main import main
from mcp_tasks_tui.ui.screens.main import MainScreen
from mcp_tasks_tui.ui.terminal import output as terminal
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList

#: Looks like something a server sent: it must not reach the terminal raw, nor as markup.
WORDS = "injected [bold]\x1b]0;PWNED\x07[/]"


class InjectedError(RuntimeError):
    pass


def _fail(*_: Any, **__: Any) -> NoReturn:
    raise InjectedError(WORDS)


def _in_a_handler() -> None:
    """In the handler of what a person typed."""
    MainScreen.run_command = _fail  # type: ignore[method-assign]


def _while_drawing() -> None:
    """In drawing, once a key was pressed."""

    def typed(screen: MainScreen, command_id: str) -> None:
        TaskList.render_line = _fail  # type: ignore[method-assign]
        screen.tasks.refresh()

    MainScreen.run_command = typed  # type: ignore[method-assign,assignment]


def _in_the_engine() -> None:
    """In what the engine calls with news."""
    MainScreen.take = _fail  # type: ignore[method-assign]


def _beside() -> None:
    """In what runs beside the screen."""

    async def job() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(_fail))

    vars(screen)["run_screen"] = partial(screen.run_screen, beside=job)


def _held_up() -> None:
    """The event loop is held up for ever, once a key was pressed."""

    def typed(screen: MainScreen, command_id: str) -> None:
        print("\x1b]9;held up\x07", file=sys.__stderr__, flush=True)
        while True:
            time.sleep(0.01)

    MainScreen.run_command = typed  # type: ignore[method-assign,assignment]
    terminal._PATIENCE = 0.3


_WHERE: dict[str, Callable[[], None]] = {
    "handler": _in_a_handler,
    "drawing": _while_drawing,
    "engine": _in_the_engine,
    "beside": _beside,
    "held-up": _held_up,
}

if __name__ == "__main__":
    _WHERE[sys.argv[1]]()
    main([])

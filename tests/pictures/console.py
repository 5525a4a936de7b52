"""Pictures of commands: the real command line, on the tasks of a story, in its time."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

import tomlkit
from rich.console import Console
from rich.text import Text

from mcp_tasks_tui.cli.main import run
from mcp_tasks_tui.demo.scenes import SCENES
from mcp_tasks_tui.protocol.client import TaskClient
from mcp_tasks_tui.protocol.credentials import Credentials
from mcp_tasks_tui.protocol.wire import Wire
from tests.pictures.clock import STEP
from tests.pictures.stage import Show, showing, shown_servers
from tests.pictures.svg import tidy

_SCENE = SCENES["tour"]
_COLUMNS = 112
#: The second of the story at which a script begins to wait for the build.
_WAIT_FROM = 20.0
_BUILD = "Build checkout 2.4.0"
#: Real seconds in which the command has said what has changed.
_PATIENCE = 20.0
CONSOLE_SHOTS = ("cli-wait", "cli-list", "cli-tools")


async def take_console() -> AsyncIterator[tuple[str, str]]:
    """Play the tour once; yield the name and the SVG of each picture."""
    async with showing(_SCENE, size=(120, 36)) as show:
        _save_servers(show)
        await show.play(_SCENE, _WAIT_FROM)
        key = show.find(_BUILD).key
        waiting = _Command(show, "wait", key)
        await waiting.follow(_BUILD)
        waited = await waiting.done()
        result = await _Command(show, "result", key).done()
        wait = f"{_prompt(f'wait {key} && mcp-tasks-tui result {key}')}{waited}{result}"
        yield "cli-wait", _drawn(show, wait)
        for name, arguments in (("cli-list", ("list",)), ("cli-tools", ("tools", "demo"))):
            said = await _Command(show, *arguments).done()
            yield name, _drawn(show, f"{_prompt(' '.join(arguments))}{said}")


class _Command:
    """One command of the program, in a thread of its own, in the time of the story."""

    def __init__(self, show: Show, *arguments: str) -> None:
        self._show = show
        self._output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        self._running = asyncio.create_task(asyncio.to_thread(self._run, arguments))

    def _run(self, arguments: tuple[str, ...]) -> int:
        client = Wire.client

        def connect(wire: Wire, url: str, credentials: Credentials | None = None) -> TaskClient:
            return client(wire, self._show.address(url), credentials)

        with (
            patch.object(Wire, "client", connect),
            patch("time.time", self._show.clock.now),
            patch.dict(os.environ, {"MCP_TASKS_TUI_HOME": str(self._show.home)}),
            redirect_stdout(self._output),
            redirect_stderr(self._output),
        ):
            return run(arguments)

    def said(self) -> str:
        written = self._output.buffer
        assert isinstance(written, io.BytesIO)
        return written.getvalue().decode()

    async def done(self) -> str:
        """Wait for its end; return what it said.

        Raises:
            AssertionError: it did not end well: that is no picture to show.
        """
        status = await asyncio.wait_for(asyncio.shield(self._running), _PATIENCE)
        assert status == 0, f"exit status {status}: {self.said()}"
        return self.said()

    async def follow(self, label: str) -> None:
        """Let the story go on, as fast as the command tells it, until the command ends."""
        told = ""
        while not self._running.done():
            message = str(self._show.find(label).message or "")
            if message != told:
                told = message
                await self._until_said(message)
            if self._show.find(label).state.ended:
                return
            await self._show.clock.advance(STEP, self._show.settle)

    async def _until_said(self, text: str) -> None:
        async with asyncio.timeout(_PATIENCE):
            while text not in self.said() and not self._running.done():
                await asyncio.sleep(0.01)


def _save_servers(show: Show) -> None:
    servers = {entry.name: {"url": entry.url} for entry in shown_servers(_SCENE)}
    (show.home / "config.toml").write_text(tomlkit.dumps({"servers": servers}), encoding="utf-8")


def _prompt(line: str) -> str:
    return f"$ mcp-tasks-tui {line}\n"


def _drawn(show: Show, text: str) -> str:
    lines = [*(line[:_COLUMNS] for line in text.rstrip().splitlines()), ""]
    console = Console(
        record=True,
        width=_COLUMNS,
        height=len(lines),
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        _environ={},
    )
    for line in lines:
        style = "bold" if line.startswith("$ ") else ""
        console.print(Text(line, style=style), soft_wrap=True, highlight=False)
    return tidy(console.export_svg(title="mcp-tasks-tui"), secrets=show.task_ids())

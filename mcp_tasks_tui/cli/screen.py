"""Opens the screen on the saved tasks, and leaves a clean terminal however it ends."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import click

from mcp_tasks_tui.cli.compose import Wiring, supervisor_for
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.failures import log_crash
from mcp_tasks_tui.config import find_paths, load_config
from mcp_tasks_tui.handles.worker import StoreWorker


def open_screen(*, read_only: bool, ascii_only: bool, no_mouse: bool) -> Exit:
    """Run the screen until the person leaves it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("the screen needs a terminal; `list`, `show`, `wait` do not")
    paths = find_paths()
    config = load_config(paths.config_file)
    looks = replace(
        config.screen,
        ascii=config.screen.ascii or ascii_only,
        mouse=config.screen.mouse and not no_mouse,
    )

    async def run() -> Exit:
        from mcp_tasks_tui.ui.app import TasksApp

        wiring = Wiring(config)
        async with StoreWorker.open(paths.data) as store:
            app = TasksApp(
                supervisor_for(store, wiring, config),
                config=looks,
                read_only=read_only,
                on_crash=log_crash,
            )
            try:
                await app.run_async(mouse=looks.mouse)
            finally:
                await wiring.close()
        return Exit(app.return_code or 0)

    return asyncio.run(run())

"""Opens the screen on the saved tasks, and leaves a clean terminal however it ends."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import say
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.places import find_paths
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise import words

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp_tasks_tui.cli.screen_options import ScreenOptions
    from mcp_tasks_tui.config.model import Config
    from mcp_tasks_tui.places import Paths
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.ui.app import TasksApp


#: What TERM is where a terminal takes plain lines only.
_NO_SCREEN = frozenset({"", "dumb", "unknown"})


def open_screen(options: ScreenOptions, *, alone: str | None = None) -> Exit:
    """Run the screen on the saved tasks until the person leaves it.

    The task with the key `alone` fills it.
    """
    paths = find_paths()
    config = as_wished(load_config(paths.config_file), options)
    return run_screen(paths, config, read_only=options.read_only, alone=alone)


def as_wished(config: Config, options: ScreenOptions) -> Config:
    """Return the settings with what the command line asks for besides."""
    screen = replace(
        config.screen,
        ascii=config.screen.ascii or options.ascii_only,
        mouse=config.screen.mouse and not options.no_mouse,
    )
    return replace(config, screen=screen)


def run_screen(
    paths: Paths,
    config: Config,
    *,
    read_only: bool,
    alone: str | None = None,
    beside: Callable[[], Awaitable[None]] | None = None,
) -> Exit:
    """Run the screen; `beside` runs as long as it is open. Where it fails, that is told."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("the screen needs a terminal; list, show and wait do not")
    if (term := os.environ.get("TERM", "")) in _NO_SCREEN:
        said = f"TERM is {term}" if term else "TERM is not set"
        raise click.UsageError(
            f"the screen needs a terminal that can draw ({said}); list, show and wait do not"
        )
    return asyncio.run(_run(paths, config, read_only=read_only, alone=alone, beside=beside))


async def _run(
    paths: Paths,
    config: Config,
    *,
    read_only: bool,
    alone: str | None,
    beside: Callable[[], Awaitable[None]] | None,
) -> Exit:
    from mcp_tasks_tui.cli.compose import Wiring, supervisor_for
    from mcp_tasks_tui.cli.failures import log_crash
    from mcp_tasks_tui.collector import set_aside
    from mcp_tasks_tui.handles.worker import StoreWorker
    from mcp_tasks_tui.ui.app import TasksApp
    from mcp_tasks_tui.ui.commands.settings_check import wrong_in_file
    from mcp_tasks_tui.ui.looks.drawn_lines import free_lines_at_once
    from mcp_tasks_tui.ui.memory import ScreenMemory
    from mcp_tasks_tui.ui.terminal.output import on_end_signals
    from mcp_tasks_tui.ui.terminal.pasting import guard_pastes

    set_aside()  # modules are no garbage: going through them would stop the screen
    guard_pastes()
    free_lines_at_once()
    # The import of HTTP competes with the screen for the processor: saved tasks are shown first.
    shown = asyncio.Event()
    wiring = Wiring(config, paths.config_file, may_begin=shown)
    async with StoreWorker(paths.data) as store:
        supervisor = supervisor_for(store, wiring, config)
        app = TasksApp(
            supervisor,
            config=config.screen,
            read_only=read_only,
            initial=alone,
            alone=alone is not None,
            memory=ScreenMemory(paths.data / "screen.json"),
            known_servers=config.servers,
            on_shown=shown.set,
            on_crash=log_crash,
            why_read_only=store.why_read_only,
            wrong_settings=wrong_in_file(config.screen, paths.config_file),
        )
        failed: list[str] = []
        running = asyncio.ensure_future(_told(beside, failed, app, shown)) if beside else None
        undo = on_end_signals(app, app.told_to_end)
        try:
            await app.run_async(mouse=config.screen.mouse)
        finally:
            if running is not None:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
            await wiring.close()
            undo()
        for line in (app.crash_report, *failed):
            if line:
                say(line)
        _tell_what_is_left(supervisor, config)  # closing may wait for a disk that is locked
    at_fault = bool(failed or supervisor.unsaved_handles())
    return Exit(app.return_code or (Exit.OWN_FAULT if at_fault else Exit.DONE))


async def _told(
    job: Callable[[], Awaitable[None]], failed: list[str], app: TasksApp, shown: asyncio.Event
) -> None:
    """Do `job`; where it fails, say so on the screen, and in `failed` for when that is left."""
    from mcp_tasks_tui.cli.failures import log_crash

    try:
        await job()
    except Exception as error:  # noqa: BLE001 - nobody else would hear of it
        first = error
        while isinstance(first, ExceptionGroup):
            first = first.exceptions[0]
        why = f"{type(first).__name__}: {one_line(str(first), 200)}"
        line = f"what ran beside the screen ended on a bug: {why}; details: {log_crash(error)}"
        failed.append(line)
        await shown.wait()
        app.say(line, "error")


def _tell_what_is_left(supervisor: Supervisor, config: Config) -> None:
    """Say what was not waited for, and print the handles that are nowhere else."""
    from mcp_tasks_tui.cli.failures import tell_unsaved
    from mcp_tasks_tui.cli.sendings import told_of

    for call in supervisor.calls_broken_off():
        say(words.lost_calls([call], config.name_of, time.time()))
    ended = [each for each in supervisor.sendings_ended() if each.what != "taken"]
    for line in told_of(ended, supervisor.view):
        say(line)
    if unsaved := supervisor.unsaved_handles():
        tell_unsaved(one.draft for one in unsaved)

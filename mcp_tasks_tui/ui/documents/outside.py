"""Showing a text in the person's own pager or editor, while the tasks are still watched."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from mcp_tasks_tui.programs import ending_with
from mcp_tasks_tui.sanitize import clean
from mcp_tasks_tui.ui.terminal import output as terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.app import App


class NotOpened(Exception):
    """The program could not be run; the message says what to do."""


def pager(environ: Mapping[str, str]) -> list[str]:
    return _command(environ.get("PAGER"), "less")


def editor(environ: Mapping[str, str]) -> list[str]:
    return _command(environ.get("VISUAL") or environ.get("EDITOR"), "vi")


def _command(setting: str | None, usual: str) -> list[str]:
    try:
        return shlex.split(setting or "") or [usual]
    except ValueError:
        raise NotOpened(f"{setting!r} cannot be run: its quotes do not match") from None


async def open_outside(app: App[object], command: list[str], text: str, name: str) -> None:
    """Hand the terminal to `command` with `text`, cleaned, in a private file of its own.

    Cleaned, because a pager may pass control characters on to the terminal. The file is gone
    when the program ends.

    Raises:
        NotOpened: no such program, or no terminal to hand over.
    """
    with tempfile.TemporaryDirectory(prefix="mcp-tasks-tui-") as folder:
        path = Path(folder) / name
        await asyncio.to_thread(_write, path, text)
        try:
            # No drawing while the terminal is somebody else's; the event loop runs on.
            with app.batch_update(), app.suspend(), _interrupts_are_theirs():
                failure = await _run([*command, str(path)])
        except SuspendNotSupported:
            raise NotOpened("there is no terminal here to hand over") from None
    if failure is not None:
        hint = "set $PAGER or $EDITOR to a program that is installed"
        raise NotOpened(f"{command[0]}: {failure.strerror}; {hint}")


async def _run(command: list[str]) -> OSError | None:
    """Run a program to its end; return why it could not be started.

    That is no exception: only where none passes through it does Textual come back to its screen.
    """
    try:
        process = await asyncio.create_subprocess_exec(*command)
    except OSError as error:
        return error
    with terminal.given_back(lambda: process.returncode):
        async with ending_with(process):
            await process.wait()
    return None


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
        for start in range(0, len(text), 1 << 18):
            file.write(clean(text[start : start + (1 << 18)]))


@contextmanager
def _interrupts_are_theirs() -> Iterator[None]:
    """Ctrl-C goes to the whole foreground group: here it means nothing while they run."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

"""The program as a process of its own, in the test's home."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mcp_tasks_tui.handles.model import HandleDraft, Saved
from mcp_tasks_tui.handles.store import HandleStore
from tests.forking import Forked, fork, fork_in_pipes
from tests.terminal import Terminal

PROGRAM = (sys.executable, "-m", "mcp_tasks_tui")
#: The same with short times: for tests of what comes of the times, not of how long they are.
QUICK = (sys.executable, "-m", "tests.quick")
#: Seconds in which a program that was told to end is gone, also on a busy machine.
SOON = 10.0


def environment(home: Path, **more: str) -> dict[str, str]:
    """The whole environment of the program: this test's home, and nothing of this machine."""
    return {
        "MCP_TASKS_TUI_HOME": str(home),
        "HOME": str(home),
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        **more,
    }


def screen(
    home: Path,
    *arguments: str,
    columns: int = 120,
    rows: int = 40,
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = PROGRAM,
) -> Terminal:
    """Open the screen on a pseudo-terminal."""
    return on_terminal(
        [*program, *arguments], environment(home, **(env or {})), columns=columns, rows=rows
    )


def on_terminal(
    argv: Sequence[str], env: Mapping[str, str], *, columns: int = 120, rows: int = 40
) -> Terminal:
    """Run ``python -m ...`` on a pseudo-terminal."""
    return Terminal(
        argv,
        env,
        columns=columns,
        rows=rows,
        start=lambda argv, env, terminal: fork(argv, env, terminal, terminal, terminal),
    )


def agree(terminal: Terminal, came: Callable[[], bool]) -> None:
    """Say yes to the question on the screen, as often as it takes until what comes of it `came`:
    a yes from before it can have been read does not count."""
    end = time.monotonic() + 40
    while not came():
        assert time.monotonic() < end, f"no yes was taken in: …{terminal.text()[-2000:]}"
        terminal.send("y")
        again = time.monotonic() + 0.5
        while not came() and time.monotonic() < again:
            terminal.read(0.05)


def command(home: Path, *arguments: str) -> Forked:
    """Start a command with its output in pipes and without anything on its stdin."""
    return fork_in_pipes([*PROGRAM, *arguments], environment(home))


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    with command(home, *arguments) as process:
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.wait(), out, err)


def save(home: Path, url: str, *task_ids: str) -> list[str]:
    """Save handles; each is labelled as its task id. Returns their keys."""
    drafts = [HandleDraft(url, task_id, label=task_id) for task_id in task_ids]
    with HandleStore.open(home) as store:
        return [one.handle.key for one in store.save_all(drafts)]


def saved(home: Path) -> dict[str, Saved]:
    """What is on disk, by key, after a look that the database is whole."""
    with sqlite3.connect(home / "tasks.db") as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    connection.close()
    with HandleStore.open(home) as store:
        assert store.notices == []
        return {one.handle.key: one for one in store.load()}

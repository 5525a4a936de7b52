"""How long a cold command takes, beside Python with nothing but the libraries that it needs.

``python -m tests.bench.startup [--check]`` prints a table of medians; with ``--check`` it exits
with 1 where a command is over its budget. The package is copied and byte-compiled first, as an
installer does. Commands and yardsticks run in turn, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mcp_tasks_tui.handles.model import HandleDraft, Saved, Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.sanitize import ServerText
from tests.bench.installation import install

_SERVER = "http://127.0.0.1:9/mcp"
_TASKS = 10
_PARSER = "import click"
_PARSER_AND_STORE = "import click, sqlite3, json"
#: What is run, what it is measured by, and how many times that it may take.
_COMMANDS: Sequence[tuple[Sequence[str], str, float]] = (
    (("--version",), _PARSER, 1.7),
    (("--help",), _PARSER, 1.7),
    (("list",), _PARSER_AND_STORE, 1.7),
    (("show", "task-7"), _PARSER_AND_STORE, 1.9),
    (("add", _SERVER, "task-7", "--no-check"), _PARSER_AND_STORE, 1.9),
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=21, help="runs of each command")
    options.add_argument("--check", action="store_true", help="exit with 1 when over budget")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        environ = install(Path(folder) / "installed", home)
        _fill(home)
        os.chdir(folder)
        print(f"{'command':<42} {'CPU ms':>7} {'yardstick':>9} {'times':>6} {'budget':>6}")
        over = [line for line in _COMMANDS if not _measure(*line, chosen.runs, environ)]
    return 1 if chosen.check and over else 0


def _fill(home: Path) -> None:
    """Save tasks in several states, with the messages that servers send."""
    with HandleStore.open(home) as store:
        drafts = [HandleDraft(_SERVER, f"task-{n}", tool="build") for n in range(_TASKS)]
        store.commit([_seen(n, saved) for n, saved in enumerate(store.save_all(drafts))])


def _seen(number: int, saved: Saved) -> SnapshotWrite:
    status = ("working", "working", "completed", "failed", "input_required")[number % 5]
    message = ServerText(f"step {number} of {_TASKS}: compiling")
    snapshot = Snapshot(
        status=status,
        status_message=message,
        created_at="2026-07-28T10:30:00Z",
        last_updated_at="2026-07-28T10:40:00Z",
        ttl_ms=3_600_000,
        ttl_known=True,
        poll_interval_ms=5000,
        observed_at=saved.handle.saved_at,
        changed_at=saved.handle.saved_at,
        last_message=message,
    )
    return SnapshotWrite(saved.handle.key, saved.version, snapshot)


def _measure(
    command: Sequence[str], yardstick: str, budget: float, runs: int, environ: Mapping[str, str]
) -> bool:
    """Print one line of the table; tell whether the command is within its budget."""
    ours = [sys.executable, "-m", "mcp_tasks_tui", *command]
    bare = [sys.executable, "-c", yardstick]
    pairs = [(_cpu(ours, environ), _cpu(bare, environ)) for _ in range(runs)]
    times = statistics.median(a / b for a, b in pairs)
    took, against = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(
        f"{' '.join(command):<42} {took * 1e3:7.1f} {against * 1e3:9.1f} {times:6.2f} {budget:6.2f}"
    )
    return times <= budget


def _cpu(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """Return the seconds of processor time that one run takes, from start to exit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(environ))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())

"""From process start to the first saved tasks on the terminal: `python -m tests.bench.first_paint`.

The yardstick is a Textual app that says one word. Both run on a pseudo-terminal of 140 x 40, in
turn, so that a busy machine slows them alike; medians of processor time (the reliable figure)
and of wall time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.handles.store import HandleStore
from tests.bench.installation import install
from tests.terminal import Terminal

BUDGET = 1.3
#: Nobody listens there: reading the tasks is no part of this.
_SERVER = "http://127.0.0.1:9/mcp"
_TICK = os.sysconf("SC_CLK_TCK")
_EMPTY_APP = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("HERE")

Empty().run()
"""


def main() -> int:
    options = argparse.ArgumentParser(description="time to the first saved tasks on the screen")
    options.add_argument("--runs", type=int, default=11)
    options.add_argument("--tasks", type=int, default=200)
    options.add_argument("--check", action="store_true", help="exit with 1 when over budget")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        environ = install(Path(folder) / "installed", home)
        _fill(home, chosen.tasks)
        os.chdir(folder)
        empty = [sys.executable, "-c", _EMPTY_APP]
        ours = [sys.executable, "-m", "mcp_tasks_tui"]
        pairs = [
            (_first_paint(empty, "HERE", environ), _first_paint(ours, "job ", environ))
            for _ in range(chosen.runs)
        ]
    within = True
    print(f"{'to the first rows':<18} {'empty app':>10} {chosen.tasks:>6} tasks {'times':>6}")
    for place, name in enumerate(("CPU", "wall")):
        bare = statistics.median(a[place] for a, _ in pairs)
        full = statistics.median(b[place] for _, b in pairs)
        times = statistics.median(b[place] / a[place] for a, b in pairs)
        print(f"{name:<18} {bare * 1e3:7.0f} ms {full * 1e3:9.0f} ms {times:6.2f}")
        within &= times <= BUDGET or name != "CPU"
    print(f"{'within' if within else 'OVER'} the budget of {BUDGET} x")
    return 0 if within or not chosen.check else 1


def _fill(home: Path, count: int) -> None:
    drafts = [HandleDraft(_SERVER, f"t{n}", tool="build", label=f"job {n}") for n in range(count)]
    with HandleStore.open(home) as store:
        store.save_all(drafts)


def _first_paint(
    command: Sequence[str], wanted: str, environ: Mapping[str, str]
) -> tuple[float, float]:
    """Return the CPU and wall seconds until `wanted` is on the terminal."""
    begun = time.perf_counter()
    with Terminal(command, environ, columns=140, rows=40) as terminal:
        while wanted not in terminal.text():
            if terminal.process.poll() is not None:
                raise RuntimeError(f"it ended and showed no {wanted!r}: {terminal.text()}")
            terminal.read(5)
        return _cpu(terminal.process.pid), time.perf_counter() - begun


def _cpu(pid: int) -> float:
    """Return the seconds of processor time of all threads of a process, to a microsecond."""
    each = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in each) / 1e9


if __name__ == "__main__":
    sys.exit(main())

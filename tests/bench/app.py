"""What the whole program costs at scale: ``python -m tests.bench.app``.

The real program runs on a pseudo-terminal of 140 x 40, on a real store full of running tasks, and
reads them from servers in a process of their own. They are four: of one server eight reads may be
under way at a time, which on a busy machine is no thousand a second. `--tasks`, `--interval` and
`--seconds` measure one load, otherwise the loads that have a budget are measured. Shown are the
first seconds, and the time after the first round of reads:

* CPU: processor time of the program (all threads) as a share of one core;
* lag: how late its event loop wakes a sleeper, p99; "own" leaves out the time in which other
  programs had the processor (it counts at most what the loop's thread itself has worked);
* kB/s written to the terminal, and memory per task above that of the program with one task;
* late: how long after its interval a task was read, median and p99 (jitter of up to 5 % of it).
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_tasks_tui.handles.model import HandleDraft, ReadState, Saved, Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.places import HOME_VARIABLE
from mcp_tasks_tui.sanitize import ServerText
from tests.bench.server import BenchServer
from tests.terminal import Terminal

_SAMPLE_EVERY = 0.02
_START = 8.0
_SERVERS = 4
_TICK = os.sysconf("SC_CLK_TCK")
_LAG_BUDGET = 30.0
_BYTES_BUDGET = 25.0
_MEMORY_BUDGET = 5.0


@dataclass(frozen=True, slots=True)
class Load:
    tasks: int
    interval: float
    #: Percent of a core, None where no budget is set.
    budget: float | None = None

    def __str__(self) -> str:
        return f"{self.tasks:,} tasks at {self.interval:g} s"


_LOADS = (Load(100, 5, 3), Load(1000, 1, 55), Load(10_000, 30, 25))


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one span of time: percent, milliseconds, kB/s, seconds."""

    cpu: float
    lag: float
    own_lag: float
    longest: float
    written: float
    reads: float
    late: float
    late_p99: float


def main() -> int:
    options = argparse.ArgumentParser(description="cost of the whole program at scale")
    options.add_argument("--tasks", type=int)
    options.add_argument("--interval", type=float, default=5.0)
    options.add_argument("--seconds", type=float, default=20.0, help="how long to measure")
    options.add_argument("--new", action="store_true", help="handles that were never read before")
    options.add_argument("--check", action="store_true", help="exit with 1 when over budget")
    options.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.inside:
        return _run_program(chosen.inside)
    loads = _LOADS if chosen.tasks is None else (Load(chosen.tasks, chosen.interval),)
    print(
        f"{'':<34} {'CPU %':>6} {'lag p99':>8} {'own':>6} {'most':>6} {'kB/s':>6}"
        f" {'reads/s':>8} {'late':>12}  KiB/task"
    )
    empty = _measure(Load(1, 30), 0, new=chosen.new)[2]
    within = True
    for load in loads:
        start, steady, memory = _measure(load, chosen.seconds, new=chosen.new)
        each = (memory - empty) / max(load.tasks - 1, 1)
        print(_line(f"{load}, first {_START:g} s", start))
        print(f"{_line(f'{load}, then', steady)}  {each:8.2f}")
        within &= _judge(load, steady, each)
    return 0 if within or not chosen.check else 1


def _line(name: str, of: Figures) -> str:
    late = f"{of.late:.2f} {of.late_p99:.2f} s"
    return (
        f"{name:<34} {of.cpu:6.1f} {of.lag:8.1f} {of.own_lag:6.1f} {of.longest:6.0f}"
        f" {of.written:6.1f} {of.reads:8.0f} {late:>12}"
    )


def _judge(load: Load, steady: Figures, memory: float) -> bool:
    budgets = [
        ("lag p99", steady.own_lag, _LAG_BUDGET, "ms"),
        ("to the terminal", steady.written, _BYTES_BUDGET, "kB/s"),
    ]
    if load.budget is not None:
        budgets.append(("CPU", steady.cpu, load.budget, "%"))
    if load.tasks >= 10_000:  # of fewer, the open connections weigh more than the tasks
        budgets.append(("memory per task", memory, _MEMORY_BUDGET, "KiB"))
    for name, value, budget, unit in budgets:
        if value > budget:
            print(f"    OVER: {name} {value:.1f} {unit}, the budget is {budget:g} {unit}")
    return all(value <= budget for _, value, budget, _ in budgets)


def _measure(load: Load, seconds: float, *, new: bool) -> tuple[Figures, Figures, float]:
    """Return the figures of the start, of what follows, and the memory in KiB."""
    with tempfile.TemporaryDirectory() as folder, BenchServer(load.interval, _SERVERS) as server:
        home = Path(folder)
        _fill(home, server.urls, load, new=new)
        lags = home / "lags"
        command = [sys.executable, "-m", "tests.bench.app", "--inside", str(lags)]
        environment = {**os.environ, HOME_VARIABLE: str(home)}
        with Terminal(command, environment, columns=140, rows=40) as terminal:
            terminal.wait_for("job ")
            watch = _Watch(terminal, server, lags)
            start = watch.look(_START)
            steady = start
            if seconds:
                terminal.read_for(max(0.0, load.interval * 1.1 + 2 - _START))
                steady = watch.look(seconds)
            memory = _resident(terminal.process.pid)
            terminal.send("q")
            terminal.wait_exit()
        return start, steady, memory


class _Watch:
    """Looks at the running program from outside, and at what it wrote down of its loop."""

    def __init__(self, terminal: Terminal, server: BenchServer, lags: Path) -> None:
        self._terminal = terminal
        self._server = server
        self._lags = lags

    def look(self, seconds: float) -> Figures:
        self._server.report()
        pid = self._terminal.process.pid
        begun, cpu = time.monotonic(), _cpu(pid)
        written = self._terminal.read_for(seconds)
        cpu = _cpu(pid) - cpu
        ended = time.monotonic()
        reads = self._server.report()
        self._terminal.read_for(0.5)  # until the samples are on the disk
        lines = [line.split() for line in self._lags.read_text().splitlines()[:-1]]
        samples = [(float(a), float(b)) for at, a, b in lines if begun <= float(at) <= ended]
        took = ended - begun
        return Figures(
            cpu=cpu / took * 100,
            lag=_p99([lag for lag, _ in samples]) * 1000,
            own_lag=_p99([own for _, own in samples]) * 1000,
            longest=max(own for _, own in samples) * 1000,
            written=written / took / 1000,
            reads=reads["reads"] / took,
            late=reads["late"],
            late_p99=reads["late_p99"],
        )


def _p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]


def _cpu(pid: int) -> float:
    """Return the seconds of processor time of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def _resident(pid: int) -> float:
    """Return the KiB of memory that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.partition("VmRSS:")[2].split()[0])


def _fill(home: Path, urls: Sequence[str], load: Load, *, new: bool) -> None:
    """Save the tasks, as they are after they were watched an hour ago."""
    with HandleStore.open(home) as store:
        drafts = [
            HandleDraft(
                urls[number % len(urls)],
                f"786512e2-9e0d-44bd-8f29-{number:012d}",
                tool="build",
                arguments={"target": f"//services/{number % 40}:all", "jobs": 8},
                label=f"job {number}",
            )
            for number in range(load.tasks)
        ]
        saved = store.save_all(drafts)
        if not new:
            store.commit([_seen(one, load.interval) for one in saved])


def _seen(saved: Saved, interval: float) -> SnapshotWrite:
    an_hour_ago = saved.handle.saved_at - 3600
    message = ServerText("step 0 of 200: compiling the sources")
    snapshot = Snapshot(
        status="working",
        status_message=message,
        created_at="2026-07-28T10:00:00Z",
        last_updated_at="2026-07-28T10:59:00Z",
        ttl_ms=864_000_000,
        ttl_known=True,
        poll_interval_ms=int(interval * 1000),
        observed_at=an_hour_ago,
        changed_at=an_hour_ago,
        last_message=message,
        last_message_at=an_hour_ago,
        message_changes=17,
        usual_gap=12.5,
        read=ReadState(at=an_hour_ago),
    )
    return SnapshotWrite(saved.handle.key, saved.version, snapshot)


# --- inside the program ------------------------------------------------------------------------


def _run_program(lags: Path) -> int:
    from mcp_tasks_tui.__main__ import COLLECTOR_THRESHOLDS
    from mcp_tasks_tui.cli.screen import run_screen
    from mcp_tasks_tui.config.loading import load_config
    from mcp_tasks_tui.places import find_paths

    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    paths = find_paths()
    config = load_config(paths.config_file)
    return run_screen(paths, config, read_only=False, beside=lambda: _note_lags(lags))


async def _note_lags(path: Path) -> None:
    """Write down how late the loop wakes us: the time, the lag, the lag by its own work."""
    with path.open("w") as file:
        while True:
            begun, worked = time.monotonic(), time.thread_time()
            await asyncio.sleep(_SAMPLE_EVERY)
            now = time.monotonic()
            lag = max(now - begun - _SAMPLE_EVERY, 0.0)
            own = min(lag, time.thread_time() - worked)
            file.write(f"{now:.4f} {lag:.5f} {own:.5f}\n")
            if int(now * 4) != int(begun * 4):
                file.flush()


if __name__ == "__main__":
    sys.exit(main())

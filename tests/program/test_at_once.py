"""An open screen, many commands and a large import on one folder at the same time."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.program.recorder import Recorder
from tests.program.running import PROGRAM, environment, run, saved, screen

_NOWHERE = "http://127.0.0.1:9/mcp"


@pytest.mark.parametrize(
    ("writers", "each", "imported"),
    [(2, 2, 200), pytest.param(8, 8, 5_000, marks=pytest.mark.slow)],
)
def test_nothing_is_lost_between_a_screen_writers_and_an_import(
    home: Path, server: Recorder, writers: int, each: int, imported: int
) -> None:
    """The same tasks come from several of them: each is one handle, with all labels' tags."""
    server.add("watched", statusMessage="step 1 of 4")
    assert run(home, "add", server.url, "watched").returncode == 0
    entries = [{"serverUrl": _NOWHERE, "taskId": f"t{n}", "tags": ["i"]} for n in range(imported)]

    def write(writer: int) -> None:
        for n in range(each):
            told = run(home, "add", _NOWHERE, f"t{n}", "--no-check", "--tag", f"w{writer}")
            assert told.returncode == 0, told.stderr

    with screen(home) as terminal, ThreadPoolExecutor(writers) as pool:
        terminal.wait_for("step 1 of 4")
        jobs = [pool.submit(write, writer) for writer in range(writers)]
        told = subprocess.run(
            [*PROGRAM, "import"],
            input=json.dumps(entries),
            capture_output=True,
            env=environment(home),
            text=True,
            timeout=120,
            check=True,
        )
        assert len(told.stdout.split()) == imported
        for job in jobs:
            job.result(120)
        terminal.wait_for(f"{imported + 1:,} tasks", 60)
        terminal.send("q")
        assert terminal.wait_exit() == 0
    handles = {one.handle.task_id: one.handle for one in saved(home).values()}
    assert set(handles) == {"watched", *(f"t{n}" for n in range(imported))}
    everyone = {"i", *(f"w{writer}" for writer in range(writers))}
    assert all(set(handles[f"t{n}"].tags) == everyone for n in range(each))
    report = json.loads(run(home, "doctor", "--offline", "--json").stdout)
    assert all(finding["ok"] for finding in report["findings"])
    journal = json.loads(run(home, "show", "t0", "--journal", "--json").stdout)["journal"]
    assert [entry["event"] for entry in journal].count("saved") == 1

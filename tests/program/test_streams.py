"""Standard streams that were closed before the program began, as schedulers leave them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.exits import Exit
from tests.program.running import PROGRAM, environment, save, saved

URL = "http://127.0.0.1:9/mcp"


def _run(home: Path, closed: tuple[int, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    closing = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *PROGRAM, *arguments],
        env={**environment(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_commands_do_their_work_without_standard_streams(
    home: Path, closed: tuple[int, ...]
) -> None:
    (key,) = save(home, URL, "t1")
    assert _run(home, closed, "list").returncode == Exit.DONE
    assert _run(home, closed, "import").returncode == Exit.USAGE  # there is nothing in it
    assert _run(home, closed, "show", "nosuch").returncode == Exit.USAGE
    assert _run(home, closed).returncode == Exit.USAGE
    assert _run(home, closed, "add", "--no-check", URL, "t2").returncode == Exit.DONE
    assert len(saved(home)) == 2
    assert key in saved(home)

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
    printed = Exit.OWN_FAULT if 1 in closed else Exit.DONE  # it is for nothing, which is told
    assert _run(home, closed, "list").returncode == printed
    assert _run(home, closed, "import").returncode == Exit.USAGE  # there is nothing in it
    assert _run(home, closed, "show", "nosuch").returncode == Exit.USAGE
    assert _run(home, closed).returncode == Exit.USAGE
    assert _run(home, closed, "add", "--no-check", URL, "t2").returncode == printed
    second = next(one for one in saved(home) if one != key)
    assert _run(home, closed, "archive", key, second).returncode == printed
    assert all(one.handle.archived_at for one in saved(home).values()), "the work is all done"


@pytest.mark.parametrize("arguments", [("export",), ("list", "-q"), ("show", "t1", "--json")])
def test_what_is_asked_for_and_cannot_be_given_is_said(
    home: Path, arguments: tuple[str, ...]
) -> None:
    save(home, URL, "t1")
    told = _run(home, (1,), *arguments)
    assert told.returncode == Exit.OWN_FAULT
    assert told.stderr == "error: the output cannot be written: it is closed\n"
    assert not (home / "log").exists()

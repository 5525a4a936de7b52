"""The servers in a process of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import urllib.request
from asyncio.subprocess import PIPE, Process

import pytest

from mcp_tasks_tui.demo.__main__ import main
from mcp_tasks_tui.demo.scenes import SCENES, Stage, command
from tests.demo.raw import DEADLINE


async def started(*words: str) -> tuple[Process, Stage]:
    process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), DEADLINE)
    return process, Stage.read(line.decode())


async def ended(process: Process) -> tuple[int | None, bytes]:
    _, errors = await asyncio.wait_for(process.communicate(), DEADLINE)
    return process.returncode, errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_says_where_it_listens_and_stops_when_told(number: signal.Signals) -> None:
    process, stage = await started(*command(SCENES["tour"], parent=os.getpid()))
    assert stage.pid == process.pid
    assert list(stage.urls) == ["demo", "edge"]
    process.send_signal(number)
    assert await ended(process) == (0, b"")


async def test_it_stops_when_its_parent_is_gone() -> None:
    child = command(SCENES["tour"])
    script = (
        "import os, subprocess, sys\n"
        f"subprocess.Popen({child!r} + ['--parent', str(os.getpid())])\n"
        "sys.stdin.readline()\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert parent.stdout is not None
    line = await asyncio.wait_for(parent.stdout.readline(), DEADLINE)
    url = Stage.read(line.decode()).urls["demo"]
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(url, timeout=5)
    assert parent.stdin is not None
    parent.stdin.close()
    # The pipes are inherited: they end when the orphan has ended too.
    assert await ended(parent) == (0, b"")
    with pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(url, timeout=5)


async def test_a_taken_port_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        process = await asyncio.create_subprocess_exec(
            *command(SCENES["tour"]), "--port", port, stdout=PIPE, stderr=PIPE
        )
        code, errors = await ended(process)
    assert code == 1
    assert errors.decode().count("\n") == 1
    assert "cannot listen" in errors.decode()


def test_an_unknown_lifecycle_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "nope"]) == 2
    assert capsys.readouterr().err.startswith("demo: no lifecycle is called nope; there are: ")

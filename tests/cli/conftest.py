"""The command line, run in this process, against a demo server in a process of its own."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from mcp_tasks_tui.cli.main import run
from mcp_tasks_tui.demo.scenes import SCENES, Stage, command

#: Seconds of the story per second: lifecycles end within a second or two.
SPEED = 40.0


@dataclass(frozen=True)
class Outcome:
    """What one command ended in."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run one command: `cli("list", "--json")`, with `stdin="..."` piped in."""

    def invoke(*arguments: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = run(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err)

    return invoke


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The demo's servers, up for the whole session."""
    process = subprocess.Popen(
        command(SCENES["tour"], speed=SPEED, parent=os.getpid()),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Stage.read(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def demo(stage: Stage, cli: Cli) -> str:
    """The name of the demo's main server in this test's settings."""
    assert cli("servers", "add", "demo", stage.urls["demo"]).code == 0
    return "demo"

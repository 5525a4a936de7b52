"""The demo's servers in a process of their own, for the commands to talk to."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from mcp_tasks_tui.demo.scenes import SCENES, Stage, command
from tests.commandline import Cli

#: Seconds of the story per second: lifecycles end within a second or two.
SPEED = 40.0


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

"""Starts the real third-party server, in its own environment and process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PYTHON = os.environ.get("MCP_TASKS_PEER_PYTHON")
_WHY = (
    "needs the third-party server: pip install 'fastmcp==4.1.4' 'fastmcp-tasks==4.1.4' into an "
    "environment of its own and name its python in MCP_TASKS_PEER_PYTHON"
)


@contextmanager
def running_peer(*options: str) -> Iterator[str]:
    """Start a server of its own; yields its URL."""
    if _PYTHON is None:
        pytest.skip(_WHY)
    script = Path(__file__).with_name("fastmcp_peer.py")
    process = subprocess.Popen(
        [_PYTHON, str(script), "--port", "0", "--with-parent", "--poll-ms", "500", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        yield ready["url"]
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture(scope="session")
def peer() -> Iterator[str]:
    """The URL of the server, up for the whole session."""
    with running_peer() as url:
        yield url

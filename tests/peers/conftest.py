"""Starts the real third-party server, in its own environment and process."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serving import serving

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
    argv = [_PYTHON, str(script), "--port", "0", "--with-parent", *options]
    with serving(argv, end=signal.SIGKILL) as line:  # told to end, it would wait for its tasks
        yield json.loads(line)["url"]


@pytest.fixture(scope="session")
def peer() -> Iterator[str]:
    """The URL of the server, up for the whole session."""
    with running_peer("--poll-ms", "150") as url:
        yield url

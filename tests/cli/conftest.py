"""The demo's servers in the settings, for the commands to talk to."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.demo.scenes import Stage
from tests.commandline import Cli
from tests.quick import make_quick


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about how long the engine waits between two reads."""
    make_quick(monkeypatch)


@pytest.fixture
def demo(stage: Stage, cli: Cli) -> str:
    """The name of the demo's main server in this test's settings."""
    assert cli("servers", "add", "demo", stage.urls["demo"]).code == 0
    return "demo"

"""The demo's servers in the settings, for the commands to talk to."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.demo.scenes import Stage
from tests.commandline import Cli


@pytest.fixture
def demo(stage: Stage, cli: Cli) -> str:
    """The name of the demo's main server in this test's settings."""
    assert cli("servers", "add", "demo", stage.urls["demo"]).code == 0
    return "demo"

"""What a user may set has one name and one default, in the file and in the engine."""

from __future__ import annotations

from dataclasses import asdict

from mcp_tasks_tui.config.model import EngineConfig
from mcp_tasks_tui.supervise.settings import EngineSettings


def test_the_config_file_and_the_engine_agree() -> None:
    assert EngineSettings(**asdict(EngineConfig())) == EngineSettings()

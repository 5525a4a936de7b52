"""What the settings file says to the engine."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.settings import EngineSettings

if TYPE_CHECKING:
    from mcp_tasks_tui.config import Config


def engine_settings(config: Config) -> EngineSettings:
    """Return what the settings file says to the engine."""
    return EngineSettings(**asdict(config.engine))

"""Where the data folder is when nobody says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME_VARIABLE = "MCP_TASKS_TUI_HOME"
APP = "mcp-tasks-tui"


def data_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return ``MCP_TASKS_TUI_HOME`` where it is set, else the platform's folder for user data."""
    if home := environ.get(HOME_VARIABLE):
        return Path(home).expanduser().absolute()
    import platformdirs  # noqa: PLC0415 - costs start-up time only where it is needed

    return platformdirs.PlatformDirs(APP, appauthor=False).user_data_path

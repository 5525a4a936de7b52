"""Where things lie on disk: one home that a variable names, else the platform's folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

HOME_VARIABLE = "MCP_TASKS_TUI_HOME"
_APP = "mcp-tasks-tui"


class NoHomeError(Exception):
    """The folders cannot be told; the message says what to set."""


@record
class Paths:
    """Folders of this program; nothing is created by looking at them."""

    data: Path
    config: Path
    log: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def log_file(self) -> Path:
        return self.log / "mcp-tasks-tui.log"


def find_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the folders: all under ``MCP_TASKS_TUI_HOME`` where set, else the platform's.

    Raises:
        NoHomeError: the variable names the home of a user whom this machine does not know.
    """
    if home := environ.get(HOME_VARIABLE):
        try:
            root = Path(home).expanduser().absolute()
        except RuntimeError:
            raise NoHomeError(f"{HOME_VARIABLE}={home}: no such user; give a whole path") from None
        return Paths(data=root, config=root, log=root / "log")
    import platformdirs  # noqa: PLC0415 - costs start-up time only where it is needed

    dirs = platformdirs.PlatformDirs(_APP, appauthor=False)
    return Paths(dirs.user_data_path, dirs.user_config_path, dirs.user_log_path)

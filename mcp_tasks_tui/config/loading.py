"""The settings file -> `Config`.

Every command asks for it, so what parses and checks the text is imported only where there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.config.model import Config, ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def load_config(path: Path) -> Config:
    """Read the settings; a missing file is the defaults.

    Raises:
        ConfigError: unreadable, not TOML, an unknown key, or a value of the wrong kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {why_unreadable(error)}") from None
    from mcp_tasks_tui.config.checking import read_config  # noqa: PLC0415 - start-up

    return read_config(path, text)


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return in plain words why the text of a file cannot be had."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is no UTF-8 text"

"""What the settings file says, to the engine and while it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.supervise.settings import EngineSettings

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_tasks_tui.config.model import Config


def engine_settings(config: Config) -> EngineSettings:
    """Return what the settings file says to the engine."""
    return EngineSettings(**asdict(config.engine))


class LiveSettings:
    """The settings as their file has them now: it is read again when it was changed.

    Without a `file` they stay `config`.
    """

    def __init__(self, config: Config, file: Path | None) -> None:
        self._config = config
        self._file = file
        self._stamp = self._look()

    @property
    def last(self) -> Config:
        """What was last read and could be used."""
        return self._config

    def read(self) -> Config:
        """Return them as they are now.

        Raises:
            ConfigError: the file was changed, and cannot be used.
        """
        stamp = self._look()
        if self._file is not None and stamp != self._stamp:
            self._config = load_config(self._file)
            self._stamp = stamp
        return self._config

    def _look(self) -> tuple[int, int, int] | None:
        try:
            seen = self._file.stat() if self._file is not None else None
        except OSError:
            return None
        return (seen.st_ino, seen.st_mtime_ns, seen.st_size) if seen else None


class ServerNames(Mapping[str, str]):
    """URL of a server -> its name, as the settings have it at the moment."""

    def __init__(self, settings: LiveSettings) -> None:
        self._settings = settings

    def _now(self) -> dict[str, str]:
        with suppress(ConfigError):
            self._settings.read()
        return {entry.url: entry.name for entry in self._settings.last.servers}

    def __getitem__(self, url: str) -> str:
        return self._now()[url]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

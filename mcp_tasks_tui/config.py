"""Settings and servers (TOML), and where things lie on disk.

Start-up reads this for every command, so it stays on the standard library; platformdirs and
tomlkit are imported where they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of this program; nothing is created by looking at them."""

    data: Path
    config: Path
    log: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A known server. Header values are templates: ``${NAME}`` is read from the environment."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    token_command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Seconds throughout."""

    min_poll: float = 0.5
    default_poll: float = 5.0
    quiet_after: float = 600.0
    expiring_within: float = 300.0
    cancel_unanswered_after: float = 30.0


@dataclass(frozen=True, slots=True)
class ScreenConfig:
    theme: str | None = None
    alerts: Literal["always", "away", "never"] = "away"
    ascii: bool = False
    mouse: bool = True
    animations: bool = True
    keys: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    servers: tuple[ServerEntry, ...] = ()
    engine: EngineConfig = field(default_factory=EngineConfig)
    screen: ScreenConfig = field(default_factory=ScreenConfig)

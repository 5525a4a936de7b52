"""Settings and servers as values, and their defaults."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping


class ConfigError(Exception):
    """The settings cannot be used; the message names file, line and key and says what to do.

    Of several `mistakes`, one line each, the message has the first. `rest` is what is sound in
    the file all the same, None where nothing is: enough to look on for what else is wrong.
    """

    def __init__(self, *mistakes: str, rest: Config | None = None) -> None:
        self.mistakes = mistakes
        self.rest = rest
        more = len(mistakes) - 1
        others = f" (and {more} more: `doctor` names them all)" if more > 0 else ""
        super().__init__(f"{mistakes[0]}{others}")


@record
class ServerEntry:
    """A known server. Header values are templates: ``${NAME}`` is read from the environment."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    #: A command whose output is the bearer token, as an argument vector; never through a shell.
    token_command: tuple[str, ...] = ()


@record
class EngineConfig:
    """Seconds throughout."""

    min_poll: float = 0.5
    default_poll: float = 5.0
    quiet_after: float = 600.0
    expiring_within: float = 300.0
    cancel_unanswered_after: float = 30.0


@record
class WireConfig:
    #: A larger reply is not read (1024 * 1024 bytes, after decompression).
    max_reply_mib: int = 32


@record
class ScreenConfig:
    """How the screen looks and calls for attention. `keys` maps command ids to key or keys."""

    theme: str | None = None
    alerts: Literal["always", "away", "never"] = "away"
    ascii: bool = False
    mouse: bool = True
    animations: bool = True
    keys: Mapping[str, Any] = field(default_factory=dict)


@record
class Config:
    """What the settings file says; without one, the defaults."""

    servers: tuple[ServerEntry, ...] = ()
    engine: EngineConfig = field(default_factory=EngineConfig)
    wire: WireConfig = field(default_factory=WireConfig)
    screen: ScreenConfig = field(default_factory=ScreenConfig)

    def server(self, name_or_url: str) -> ServerEntry | None:
        """Return the configured server of this name or (in normal form) URL."""
        return next((s for s in self.servers if name_or_url in (s.name, s.url)), None)

    def name_of(self, url: str) -> str:
        """Return the configured name of the server at `url`, else the URL itself."""
        entry = self.server(url)
        return entry.name if entry else url

"""Settings and servers, as the TOML file has them.

Start-up reads this for every command, so it stays on the standard library, and what reads and
checks the file is imported only where there is one.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: ``${NAME}``; text, because `re` keeps what it compiled and few commands need it.
_ENV_REFERENCE = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"


class ConfigError(Exception):
    """The settings cannot be used; the message names file, line and key and says what to do.

    Of several `mistakes`, one line each, the message has the first.
    """

    def __init__(self, *mistakes: str) -> None:
        self.mistakes = mistakes
        more = len(mistakes) - 1
        rest = f" (and {more} more: `doctor` names them all)" if more > 0 else ""
        super().__init__(f"{mistakes[0]}{rest}")


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
    screen: ScreenConfig = field(default_factory=ScreenConfig)

    def server(self, name_or_url: str) -> ServerEntry | None:
        """Return the configured server of this name or (in normal form) URL."""
        return next((s for s in self.servers if name_or_url in (s.name, s.url)), None)

    def name_of(self, url: str) -> str:
        """Return the configured name of the server at `url`, else the URL itself."""
        entry = self.server(url)
        return entry.name if entry else url


def expand(template: str, environ: Mapping[str, str]) -> str:
    """Fill ``${NAME}`` from the environment.

    Raises:
        ConfigError: a name is not set there.
    """

    def filled(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in environ:
            raise ConfigError(f"the environment variable {name} is not set; export it and retry")
        return environ[name]

    return re.sub(_ENV_REFERENCE, filled, template)


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
    from mcp_tasks_tui.config_reading import read_config  # noqa: PLC0415 - start-up

    return read_config(path, text)


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return in plain words why the text of a file cannot be had."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "it is no UTF-8 text"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` most looks like, if any is near."""
    import difflib  # noqa: PLC0415 - only for a mistake

    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else None

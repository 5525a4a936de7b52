"""Settings and servers (TOML), and where things lie on disk.

Start-up reads this for every command, so it stays on the standard library; platformdirs is
imported only where no home is set.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NoReturn

from mcp_tasks_tui.urls import UrlError, normal_url

HOME_VARIABLE = "MCP_TASKS_TUI_HOME"
_APP = "mcp-tasks-tui"
_ENV_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SERVER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class ConfigError(Exception):
    """The settings cannot be used; the message names file, line and key and says what to do."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A known server. Header values are templates: ``${NAME}`` is read from the environment."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    #: A command whose output is the bearer token, as an argument vector; never through a shell.
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
    """How the screen looks and calls for attention. `keys` maps command ids to key or keys."""

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

    def server(self, name_or_url: str) -> ServerEntry | None:
        """Return the configured server of this name or (in normal form) URL."""
        return next((s for s in self.servers if name_or_url in (s.name, s.url)), None)

    def name_of(self, url: str) -> str:
        """Return the configured name of the server at `url`, else the URL itself."""
        entry = self.server(url)
        return entry.name if entry else url


def find_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the folders: all under ``MCP_TASKS_TUI_HOME`` where set, else the platform's."""
    if home := environ.get(HOME_VARIABLE):
        root = Path(home).expanduser().absolute()
        return Paths(data=root, config=root, log=root / "log")
    import platformdirs  # noqa: PLC0415 - costs start-up time only where it is needed

    dirs = platformdirs.PlatformDirs(_APP, appauthor=False)
    return Paths(dirs.user_data_path, dirs.user_config_path, dirs.user_log_path)


def expand(template: str, environ: Mapping[str, str]) -> str:
    """Fill ``${NAME}`` from the environment.

    Raises:
        ConfigError: a name is not set there.
    """

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in environ:
            raise ConfigError(f"the environment variable {name} is not set; export it and retry")
        return environ[name]

    return _ENV_REFERENCE.sub(value, template)


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
        raise ConfigError(f"{path}: cannot be read ({error})") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    return _Reader(path, text).config(data)


class _Reader:
    """Checks one settings file; every complaint names file, line and key."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def config(self, data: dict[str, Any]) -> Config:
        self._known(data, ("servers", "engine", "screen", "keys"), ())
        screen = self._section(data, "screen", _SCREEN_CHECKS)
        keys = self._table(data, "keys", ())
        return Config(
            servers=tuple(self._servers(self._table(data, "servers", ()))),
            engine=EngineConfig(**self._section(data, "engine", _ENGINE_CHECKS)),
            screen=ScreenConfig(**screen, keys=keys),
        )

    def _servers(self, table: dict[str, Any]) -> Iterable[ServerEntry]:
        seen: dict[str, str] = {}
        for name in table:
            where = ("servers", name)
            entry = self._table(table, name, ("servers",))
            self._known(entry, ("url", "headers", "token_command"), where)
            if not SERVER_NAME.fullmatch(name):
                self._fail(where, "a server name is letters, digits, dots, dashes, underscores")
            url = self._url(entry, where)
            if url in seen:
                self._fail(where, f"has the same URL as {seen[url]}; keep one of them")
            seen[url] = name
            yield ServerEntry(name, url, self._headers(entry, where), self._command(entry, where))

    def _url(self, entry: dict[str, Any], where: tuple[str, ...]) -> str:
        value = entry.get("url")
        if not isinstance(value, str):
            self._fail(where, 'needs a line like url = "http://host:port/mcp"')
        try:
            return normal_url(value)
        except UrlError as error:
            self._fail((*where, "url"), str(error))

    def _headers(self, entry: dict[str, Any], where: tuple[str, ...]) -> dict[str, str]:
        headers = self._table(entry, "headers", where)
        for name, value in headers.items():
            if not isinstance(value, str):
                self._fail((*where, "headers", name), "a header value is a string")
        return headers

    def _command(self, entry: dict[str, Any], where: tuple[str, ...]) -> tuple[str, ...]:
        value = entry.get("token_command", [])
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self._fail((*where, "token_command"), 'is a list of strings, as ["pass", "show", "x"]')
        return tuple(value)

    def _section(
        self, data: dict[str, Any], name: str, checks: Mapping[str, _Check]
    ) -> dict[str, Any]:
        table = self._table(data, name, ())
        self._known(table, checks, (name,))
        for key, value in table.items():
            valid, words = checks[key]
            if not valid(value):
                self._fail((name, key), f"is {words}, not {value!r}")
        return table

    def _table(self, data: dict[str, Any], key: str, where: tuple[str, ...]) -> dict[str, Any]:
        value: object = data.get(key, {})
        if not isinstance(value, dict):
            self._fail((*where, key), "is a table")
        return value

    def _known(self, table: dict[str, Any], known: Iterable[str], where: tuple[str, ...]) -> None:
        names = list(known)
        for key in table:
            if key not in names:
                near = nearest(key, names)
                hint = f"did you mean {near}?" if near else f"known: {', '.join(names)}"
                self._fail((*where, key), f"is no setting; {hint}")

    def _fail(self, where: tuple[str, ...], words: str) -> NoReturn:
        line = self._line_of(where[-1])
        place = f"{self._path}, line {line}" if line else str(self._path)
        raise ConfigError(f"{place}: {'.'.join(where)} {words}")

    def _line_of(self, key: str) -> int | None:
        """The first line that defines `key`: TOML values carry no position of their own."""
        name = rf"""["']?{re.escape(key)}["']?"""
        pattern = re.compile(rf"\s*(?:{name}\s*=|\[[^\]]*\b{name}\s*[\].])|.*\b{name}\s*=")
        return next((n for n, line in enumerate(self._lines, 1) if pattern.match(line)), None)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` most looks like, if any is near."""
    import difflib  # noqa: PLC0415 - only for a mistake

    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else None


_Check = tuple[Callable[[object], bool], str]
_SECONDS: _Check = (
    lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e7
    ),
    "a number of seconds above 0",
)
_SWITCH: _Check = (lambda value: isinstance(value, bool), "true or false")
_ENGINE_CHECKS: dict[str, _Check] = dict.fromkeys((f.name for f in fields(EngineConfig)), _SECONDS)
_SCREEN_CHECKS: dict[str, _Check] = {
    "theme": (lambda value: isinstance(value, str), "the name of a theme"),
    "alerts": (lambda value: value in ("always", "away", "never"), "one of always, away, never"),
    "ascii": _SWITCH,
    "mouse": _SWITCH,
    "animations": _SWITCH,
}

"""The settings file -> `Config`, checked: every complaint names file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn

from mcp_tasks_tui.config import (
    Config,
    ConfigError,
    EngineConfig,
    ScreenConfig,
    ServerEntry,
    nearest,
)
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SERVER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def read_config(path: Path, text: str) -> Config:
    """Return what the `text` of the file at `path` says.

    Raises:
        ConfigError: not TOML, an unknown key, or a value of the wrong kind.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except ValueError as error:  # not TOML, or a number with thousands of digits
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

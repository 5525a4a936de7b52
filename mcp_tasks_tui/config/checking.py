"""The text of the settings file -> `Config`: every complaint names file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import fields
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.config.lines import line_of
from mcp_tasks_tui.config.model import (
    Config,
    ConfigError,
    EngineConfig,
    ScreenConfig,
    ServerEntry,
    WireConfig,
)
from mcp_tasks_tui.spelling import nearest
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_TABLES = ("servers", "engine", "wire", "screen", "keys")
SERVER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def read_config(path: Path, text: str) -> Config:
    """Return what the `text` of the file at `path` says.

    Raises:
        ConfigError: not TOML, unknown keys, or values of the wrong kind: all that is wrong.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except ValueError as error:  # not TOML, or a number with thousands of digits
        where = f"at line {len(text.rstrip().splitlines())}, the end of the file"
        words = str(error).replace("at end of document", where)
        raise ConfigError(f"{path}: not valid TOML: {words}") from None
    reader = _Reader(path, text)
    config = reader.config(data)
    if reader.mistakes:
        raise ConfigError(*reader.mistakes, rest=config)
    return config


class _Reader:
    """Checks one settings file, to its end: every one of `mistakes` names file, line and key."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._mistakes: list[tuple[int, str]] = []
        self._text = text

    @property
    def mistakes(self) -> list[str]:
        """In the order of the file."""
        return [words for _, words in sorted(self._mistakes, key=itemgetter(0))]

    def config(self, data: dict[str, Any]) -> Config:
        """Return what is said, without what is wrong."""
        self._known(data, _TABLES, ())
        screen = self._section(data, "screen", _SCREEN_CHECKS)
        keys = self._table(data, "keys", ())
        return Config(
            servers=tuple(self._servers(self._table(data, "servers", ()))),
            engine=EngineConfig(**self._section(data, "engine", _ENGINE_CHECKS)),
            wire=WireConfig(**self._section(data, "wire", _WIRE_CHECKS)),
            screen=ScreenConfig(**screen, keys=keys),
        )

    def _servers(self, table: dict[str, Any]) -> Iterable[ServerEntry]:
        seen: dict[str, str] = {}
        for name in table:
            if (server := self._server(table, name, seen)) is not None:
                yield server

    def _server(self, table: dict[str, Any], name: str, seen: dict[str, str]) -> ServerEntry | None:
        where = ("servers", name)
        entry = self._table(table, name, ("servers",))
        self._known(entry, ("url", "headers", "token_command"), where)
        if not SERVER_NAME.fullmatch(name):
            self._note(where, "a server name is letters, digits, dots, dashes, underscores")
        headers, command = self._headers(entry, where), self._command(entry, where)
        url = self._url(entry, where)
        if url is None:
            return None
        if url in seen:
            self._note(where, f"has the same URL as {seen[url]}; keep one of them")
        seen[url] = name
        return ServerEntry(name, url, headers, command)

    def _url(self, entry: dict[str, Any], where: tuple[str, ...]) -> str | None:
        value = entry.get("url")
        if not isinstance(value, str):
            self._note(where, 'needs a line like url = "http://host:port/mcp"')
            return None
        try:
            return normal_url(value)
        except UrlError as error:
            self._note((*where, "url"), str(error))
            return None

    def _headers(self, entry: dict[str, Any], where: tuple[str, ...]) -> dict[str, str]:
        headers = self._table(entry, "headers", where)
        first: dict[str, str] = {}
        for name, value in headers.items():
            if not isinstance(value, str):
                self._note((*where, "headers", name), "a header value is a string")
            if (before := first.setdefault(name.lower(), name)) != name:
                self._note((*where, "headers", name), f"it is the same header as {before}")
        return {name: value for name, value in headers.items() if isinstance(value, str)}

    def _command(self, entry: dict[str, Any], where: tuple[str, ...]) -> tuple[str, ...]:
        value = entry.get("token_command", [])
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self._note((*where, "token_command"), 'is a list of strings, as ["pass", "show", "x"]')
            return ()
        return tuple(value)

    def _section(
        self, data: dict[str, Any], name: str, checks: Mapping[str, _Check]
    ) -> dict[str, Any]:
        table = self._table(data, name, ())
        self._known(table, checks, (name,))
        used = {key: value for key, value in table.items() if key in checks}
        for key, value in used.items():
            valid, words = checks[key]
            if not valid(value):
                self._note((name, key), f"is {words}, not {value!r}")
        return {key: value for key, value in used.items() if checks[key][0](value)}

    def _table(self, data: dict[str, Any], key: str, where: tuple[str, ...]) -> dict[str, Any]:
        value: object = data.get(key, {})
        if isinstance(value, dict):
            return value
        self._note((*where, key), "is a table")
        return {}

    def _known(self, table: dict[str, Any], known: Iterable[str], where: tuple[str, ...]) -> None:
        names = list(known)
        for key in table:
            if key not in names:
                self._note((*where, key), f"is no setting; {_hint(key, names, where)}")

    def _note(self, where: tuple[str, ...], words: str) -> None:
        line = line_of(self._text, where)
        place = f"{self._path}, line {line}" if line else str(self._path)
        self._mistakes.append((line or 0, f"{place}: {'.'.join(where)} {words}"))


def _hint(key: str, names: list[str], where: tuple[str, ...]) -> str:
    if where and key in _TABLES:
        return f"[{key}] is a table of its own"
    near = nearest(key, names)
    return f"did you mean {near}?" if near else f"known: {', '.join(names)}"


#: MiB; what is read is held in memory, several times over, while it is looked at.
_LARGEST_REPLY = 512
_Check = tuple[Callable[[object], bool], str]
_SECONDS: _Check = (
    lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e7
    ),
    "a number of seconds above 0",
)
_SWITCH: _Check = (lambda value: isinstance(value, bool), "true or false")
_ENGINE_CHECKS: dict[str, _Check] = dict.fromkeys((f.name for f in fields(EngineConfig)), _SECONDS)
_WIRE_CHECKS: dict[str, _Check] = {
    "max_reply_mib": (
        lambda value: type(value) is int and 1 <= value <= _LARGEST_REPLY,
        f"a whole number of MiB from 1 to {_LARGEST_REPLY}",
    )
}
_SCREEN_CHECKS: dict[str, _Check] = {
    "theme": (lambda value: isinstance(value, str), "the name of a theme"),
    "alerts": (lambda value: value in ("always", "away", "never"), "one of always, away, never"),
    "ascii": _SWITCH,
    "mouse": _SWITCH,
    "animations": _SWITCH,
}

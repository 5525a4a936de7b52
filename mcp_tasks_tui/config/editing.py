"""Changes to the settings file that keep its comments and order."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from mcp_tasks_tui import files
from mcp_tasks_tui.config.checking import SERVER_NAME
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.urls import typed_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tomlkit import TOMLDocument

_LOCK_SECONDS = 5.0


def add_server(path: Path, name: str, url: str, headers: Mapping[str, str]) -> None:
    """Add a server to the settings file, which is made where it is missing.

    Raises:
        ConfigError: the name or the URL is taken, or the file cannot be used.
        UrlError: the URL is none.
    """
    import tomlkit  # noqa: PLC0415 - only for a change

    if not SERVER_NAME.fullmatch(name):
        raise ConfigError("a server name is letters, digits, dots, dashes and underscores")
    url = typed_url(url)
    entry = tomlkit.table()
    entry["url"] = url
    if headers:
        shown = tomlkit.inline_table()
        shown.update(headers)
        entry["headers"] = shown
    with _alone(path):
        for taken in load_config(path).servers:
            if name == taken.name:
                raise ConfigError(f"there is a server {name} already; remove it first")
            if url == taken.url:
                raise ConfigError(f"{url} is there already, as {taken.name}")
        document = _read(path)
        servers = document.setdefault("servers", tomlkit.table(is_super_table=True))
        servers[name] = entry
        _write(path, document)


def remove_server(path: Path, name: str) -> None:
    """Take a server out of the settings file. Its saved handles stay.

    Raises:
        ConfigError: there is no such server, or the file cannot be used.
    """
    with _alone(path):
        known = [server.name for server in load_config(path).servers]
        if name not in known:
            raise ConfigError(f"no server named {name!r}; known: {', '.join(known) or 'none'}")
        document = _read(path)
        del document["servers"][name]
        _write(path, document)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Read, change and write while no other program of ours does; its folder is made if missing."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(f"{path}: not written ({error.strerror})") from None
    try:
        with files.lock(folder, _LOCK_SECONDS) as alone:
            if not alone:
                raise ConfigError(f"{path}: another program keeps changing it; try again")
            yield
    finally:
        os.close(folder)


def _read(path: Path) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415

    try:
        return tomlkit.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()


def _write(path: Path, document: TOMLDocument) -> None:
    try:
        files.replace(path, document.as_string().encode())
    except OSError as error:
        raise ConfigError(f"{path}: not written ({error.strerror})") from None

"""Servers out of the settings of other MCP hosts: their `mcpServers` JSON. Pure.

Only servers reached over HTTP can be taken; the others are named with the reason. A secret that
stands there in plain text is not copied: a variable of the environment takes its place.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.config.checking import SERVER_NAME
from mcp_tasks_tui.config.header_values import is_plain_secret
from mcp_tasks_tui.config.model import ServerEntry
from mcp_tasks_tui.records import record
from mcp_tasks_tui.urls import UrlError, normal_url

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLES = ("mcpServers", "servers")
_OTHER_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


@record
class Found:
    """The servers that can be used; (name, reason) of those that cannot; notes, a line each."""

    servers: tuple[ServerEntry, ...]
    refused: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class NoServersError(ValueError):
    """The text is no such settings file; the message says what is wrong with it."""


def read_mcp_servers(text: str) -> Found:
    """Read the `mcpServers` (or `servers`) table of another host's JSON settings.

    Raises:
        NoServersError: not JSON, or no such table in it.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NoServersError(f"not JSON: {error}") from None
    tables = [data.get(name) for name in _TABLES] if isinstance(data, dict) else []
    table = next((one for one in tables if isinstance(one, dict)), None)
    if table is None:
        raise NoServersError('there is no "mcpServers" table in it')
    servers: list[ServerEntry] = []
    refused: list[tuple[str, str]] = []
    notes: list[str] = []
    for name, raw in table.items():
        try:
            servers.append(_entry(name, raw, notes))
        except _Refused as why:
            refused.append((name, str(why)))
    return Found(tuple(servers), tuple(refused), tuple(notes))


class _Refused(Exception):
    """This entry cannot be used; the message says why."""


def _entry(name: str, raw: Any, notes: list[str]) -> ServerEntry:
    if not isinstance(raw, dict):
        raise _Refused("is no object")
    if not SERVER_NAME.fullmatch(name):
        raise _Refused("a server name is letters, digits, dots, dashes, underscores; rename it")
    if "command" in raw:
        raise _Refused("is a program to start (stdio); only servers with a URL are supported")
    if raw.get("type") == "sse":
        raise _Refused("uses the older HTTP+SSE transport, which has no tasks")
    try:
        url = normal_url(str(raw["url"]))
    except KeyError:
        raise _Refused("has no url") from None
    except UrlError as error:
        raise _Refused(str(error)) from None
    headers = raw.get("headers")
    return ServerEntry(
        name, url, _headers(name, headers if isinstance(headers, dict) else {}, notes)
    )


def _headers(server: str, headers: Mapping[str, Any], notes: list[str]) -> dict[str, str]:
    kept = {}
    for name, raw in headers.items():
        value = _OTHER_REFERENCE.sub(r"${\1}", str(raw))
        if is_plain_secret(name, value) or "${input:" in value:
            variable = re.sub(r"\W", "_", f"{server}_{name}").upper()
            value = f"${{{variable}}}"
            notes.append(f"{server}: the value of {name} was not copied; export {variable} with it")
        kept[name] = value
    return kept

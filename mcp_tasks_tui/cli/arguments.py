"""Arguments of a tool from the command line."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.cli.output import say
from mcp_tasks_tui.forms.values import parse_json
from mcp_tasks_tui.protocol.errors import RequestError, RpcError, UnusableReply
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_tasks_tui.supervise.supervisor import Supervisor


async def input_schema(
    supervisor: Supervisor,
    url: str,
    tool: str,
    *,
    server: str,
    check: bool,
    timeout: float | None = None,
) -> dict[str, Any] | None:
    """Return the schema of a tool's arguments, None where the server does not tell it.

    With `check`, what keeps the call from being checked is said on stderr; not that the server is
    away, which the call itself will say. `server` is the server as it was typed, `timeout` is in
    seconds.

    Raises:
        click.UsageError: the server lists its tools, and none of that name; only with `check`.
    """
    try:
        async with asyncio.timeout(timeout):
            listed = await supervisor.tools(url)
    except TimeoutError:
        return None
    except RequestError as error:
        if check and isinstance(error, RpcError | UnusableReply):
            say(f"the call is not checked: this server does not list its tools ({error})")
        return None
    found = next((one.input_schema for one in listed.tools if one.name == tool), None)
    if found is None and check:
        if not listed.warnings:
            names = [one.name for one in listed.tools]
            raise no_tool(tool, names, server, unsent=True)
        left_out = listed.warnings[0]
        say(f"the call is not checked: {one_line(tool, 80)!r} is not listed; {left_out}")
    return found


def split_arguments(
    json_arguments: str | None, pairs: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what ``--args JSON`` gives, and the text of each ``--arg name=value``.

    Raises:
        click.UsageError: one cannot be read.
    """
    named: dict[str, str] = {}
    for name, text in map(_split, pairs):
        if name in named:
            raise click.UsageError(f"--arg {one_line(name, 60)} is given twice; say it once")
        named[name] = text
    return _object(json_arguments), named


def join_arguments(
    schema: dict[str, Any] | None, given: Mapping[str, Any], named: Mapping[str, str]
) -> dict[str, Any]:
    """Join the two parts of `split_arguments`.

    A text that reads as JSON (``3``, ``true``, ``[1]``) is that, unless the tool's schema says
    the argument is a string; anything else is a string.
    """
    arguments = dict(given)
    described = (schema or {}).get("properties")
    properties = described if isinstance(described, dict) else {}
    for name, text in named.items():
        literal = None if _says_string(properties.get(name)) else _json(text)
        arguments[name] = text if literal is None else literal[0]
    return arguments


def refused(schema: dict[str, Any] | None, arguments: dict[str, Any]) -> list[str]:
    """Return one line for each thing that the tool's schema does not allow.

    What cannot be checked, as a reference that leads elsewhere, is left to the server.
    """
    if not schema:
        return []
    from mcp_tasks_tui.forms.validation import validate  # a big import, for calls alone

    found = validate(schema, arguments)
    return [
        f"argument {one_line(name, 60)}: {words}" if name else f"the arguments: {words}"
        for name, words in found.errors
    ]


def no_tool(
    tool: str, known: Iterable[str], server: str, *, unsent: bool = False
) -> click.UsageError:
    """Return the refusal of a tool that `server`, as it was typed, does not list.

    `unsent`: it was to be called, and nothing was sent.
    """
    near = nearest(tool, known)
    hint = f"did you mean {near}?" if near else f"mcp-tasks-tui tools {server} lists them"
    rest = " (nothing was sent; --no-check sends it all the same)" if unsent else ""
    return click.UsageError(
        f"no tool {one_line(tool, 80)!r} on this server; {one_line(hint, 200)}{rest}"
    )


async def check_listed(supervisor: Supervisor, url: str, tool: str) -> None:
    """Look why a server refused the call of a tool: it may have none of that name.

    Raises:
        click.UsageError: the tool is not among those that the server lists.
    """
    try:
        listed = await supervisor.tools(url)
    except RequestError:
        return
    names = [one.name for one in listed.tools]
    if tool not in names and not listed.warnings:  # they tell of tools that were left out
        raise no_tool(tool, names, url) from None


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    value, problem = parse_json(text)
    if problem is not None:
        raise click.UsageError(f"--args is {problem}")
    if not isinstance(value, dict):
        raise click.UsageError("""--args is one JSON object, as '{"name": "value"}'""")
    return value


def _split(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not name or not equals:
        raise click.UsageError(f"--arg {pair!r}: write it as name=value")
    return name, value


def _json(text: str) -> tuple[Any] | None:
    """Return the JSON value in a box (it may be null), None where `text` is plain text."""
    value, problem = parse_json(text)
    return None if problem is not None or isinstance(value, str) else (value,)


def _says_string(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"

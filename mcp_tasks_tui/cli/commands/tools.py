"""`tools`: what a server lets you call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.cli.arguments import no_tool
from mcp_tasks_tui.cli.completion import known_servers
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.failures import talking_to
from mcp_tasks_tui.cli.output import at_server, print_json, print_table, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.sanitize import clean, one_line

if TYPE_CHECKING:
    from mcp_tasks_tui.protocol.messages import Tool

#: Of the values that an argument may have, how many are named.
_CHOICES = 8
#: Cells that the name of a tool gets at most.
_NAME_CELLS = 40


@click.command()
@click.argument("server", metavar="SERVER", shell_complete=known_servers)
@click.argument("tool", required=False, metavar="[TOOL]")
@click.option("--json", "as_json", is_flag=True, help="Names, texts and input schemas as JSON.")
def tools(server: str, tool: str | None, *, as_json: bool) -> Exit:
    """List the tools of a server, or one tool with its arguments.

    Which tools become tasks is the server's choice at each call; no list tells.

    \b
    Example: mcp-tasks-tui tools build slow_build
    """
    session = Session()
    url = session.server_url(server)

    async def run() -> Exit:
        from mcp_tasks_tui.cli.waiting import telling_if_slow

        name = session.config.name_of(url)
        slow = telling_if_slow(f"waiting for the answer of {at_server(name, url)}")
        async with session.supervisor() as supervisor:
            with talking_to(name, url), slow:
                listed = await supervisor.tools(url)
        for warning in listed.warnings:
            say(warning)
        found = {one.name: one for one in listed.tools}
        if tool is None:
            _print_all(listed.tools, as_json=as_json)
        elif tool in found:
            _print_one(found[tool], as_json=as_json)
        else:
            raise no_tool(tool, found, server)
        return Exit.DONE

    return session.run(run())


def to_json(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title.raw if tool.title else None,
        "description": tool.description.raw if tool.description else None,
        "inputSchema": tool.input_schema,
    }


def _print_all(listed: tuple[Tool, ...], *, as_json: bool) -> None:
    if as_json:
        print_json([to_json(tool) for tool in listed])
        return
    if not listed:
        say("this server lists no tools")
        return
    rows = [(tool.name, str(tool.description or tool.title or "")) for tool in listed]
    print_table(("TOOL", "WHAT IT DOES"), rows, widest=_NAME_CELLS)


def _print_one(tool: Tool, *, as_json: bool) -> None:
    if as_json:
        print_json(to_json(tool))
        return
    click.echo(one_line(tool.name))
    if tool.description:
        click.echo(clean(tool.description))
    properties = tool.input_schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        click.echo("\nno arguments")
        return
    required = tool.input_schema.get("required")
    needed = required if isinstance(required, list) else []
    click.echo()
    rows = [
        (name, type_words(schema), "yes" if name in needed else "", _about(schema))
        for name, schema in properties.items()
    ]
    print_table(("ARGUMENT", "TYPE", "NEEDED", "ABOUT"), rows)


def type_words(schema: Any) -> str:
    """Return the kind of value an argument's schema asks for, in a word or two."""
    if not isinstance(schema, dict):
        return "any"
    if isinstance(enum := schema.get("enum"), list):
        shown = [
            value if isinstance(value, str) else json.dumps(value) for value in enum[:_CHOICES]
        ]
        return f"one of {', '.join(shown)}{', …' if len(enum) > _CHOICES else ''}"
    kind = schema.get("type", "any")
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _about(schema: Any) -> str:
    if not isinstance(schema, dict):
        return ""
    words = [str(schema.get("description") or schema.get("title") or "")]
    if "default" in schema:
        words.append(f"(default {schema['default']})")
    return " ".join(word for word in words if word)

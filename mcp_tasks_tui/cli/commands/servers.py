"""`servers`: the servers that have a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.cli.completion import known_servers
from mcp_tasks_tui.cli.exits import Exit, worst
from mcp_tasks_tui.cli.output import print_json, print_table, read_text, say
from mcp_tasks_tui.cli.session import Session, interactive
from mcp_tasks_tui.config.editing import add_server, remove_server
from mcp_tasks_tui.config.header_values import credentials_of, is_plain_secret, with_variable
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.config.other_hosts import NoServersError, read_mcp_servers
from mcp_tasks_tui.supervise.words import counted

if TYPE_CHECKING:
    from mcp_tasks_tui.config.model import ServerEntry


@click.group()
def servers() -> None:
    """Known servers: a name for a URL, and the headers to send.

    \b
    Example: mcp-tasks-tui servers add build http://localhost:8765/mcp \\
               --header 'Authorization: Bearer ${BUILD_TOKEN}'
    """


@servers.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="A JSON array; no values of headers.")
def list_servers(*, as_json: bool) -> Exit:
    """List the known servers, and from where their credentials come.

    \b
    Example: mcp-tasks-tui servers list --json
    """
    known = Session().config.servers
    if as_json:
        print_json([_to_json(entry) for entry in known])
    elif known:
        rows = [(s.name, s.url, "; ".join(map(str, credentials_of(s)))) for s in known]
        print_table(("NAME", "URL", "CREDENTIALS"), rows)
    else:
        say("no servers yet; add one: mcp-tasks-tui servers add NAME URL")
    return Exit.DONE


def _to_json(entry: ServerEntry) -> dict[str, Any]:
    credentials = [
        {"header": one.header, "source": one.source, "names": list(one.names)}
        for one in credentials_of(entry)
    ]
    return {
        "name": entry.name,
        "url": entry.url,
        "headers": list(entry.headers),
        "credentials": credentials,
    }


@servers.command()
@click.argument("name")
@click.argument("url")
@click.option("--header", "headers", multiple=True, metavar="'K: ${ENV}'", help="To send along.")
def add(name: str, url: str, *, headers: tuple[str, ...]) -> Exit:
    """Give a server a name. Secrets stay in the environment: 'Authorization: Bearer ${TOKEN}'.

    \b
    Example: mcp-tasks-tui servers add build http://localhost:8765/mcp
    """
    add_server(Session().paths.config_file, name, url, dict(map(_header, headers)))
    click.echo(f"{name}  added")
    return Exit.DONE


@servers.command(name="import")
@click.argument("file", metavar="FILE|-")
def import_servers(file: str) -> Exit:
    """Take over servers from another MCP host's settings: its `mcpServers` JSON.

    Servers with a URL are added; the others are named with the reason, and where none could be
    added the exit status is 2. A secret in plain text
    is not copied: a variable of the environment takes its place.

    \b
    Example: mcp-tasks-tui servers import ~/.config/host/mcp.json
    """
    try:
        found = read_mcp_servers(read_text(file))
    except NoServersError as error:
        raise click.UsageError(f"{file}: {error}") from None
    path = Session().paths.config_file
    refused = list(found.refused)
    added = 0
    for entry in found.servers:
        try:
            add_server(path, entry.name, entry.url, entry.headers)
        except ConfigError as error:
            refused.append((entry.name, str(error)))
        else:
            added += 1
            click.echo(f"{entry.name}  added")
    for note in found.notes:
        say(note)
    if not added:
        why = "; ".join(f"{name}: {reason}" for name, reason in refused) or "none is in it"
        raise click.UsageError(f"{file}: no server was added: {why}")
    for name, why in refused:
        say(f"{name}: not added: {why}")
    return Exit.DONE


@servers.command()
@click.argument("name", shell_complete=known_servers)
@click.option("--yes", is_flag=True, help="Do not ask, even if tasks of it are saved.")
def remove(name: str, *, yes: bool) -> Exit:
    """Forget a server's name. Its saved tasks stay, under its URL.

    \b
    Example: mcp-tasks-tui servers remove build
    """
    session = Session()
    entry = session.config.server(name)
    saved = [s for s in session.saved() if entry and s.handle.server_url == entry.url]
    if saved and not yes:
        has = counted(len(saved), "saved task")
        if not interactive():
            raise click.UsageError(f"{name} has {has}; say --yes to forget its name (they stay)")
        click.confirm(f"{name} has {has} (they stay). Forget the name?", abort=True)
    remove_server(session.paths.config_file, name)
    click.echo(f"{name}  removed")
    return Exit.DONE


@servers.command()
@click.argument("names", nargs=-1, metavar="[NAME|URL]...", shell_complete=known_servers)
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
def test(names: tuple[str, ...], *, as_json: bool) -> Exit:
    """Ask servers (all known ones, if none is named) who they are and whether they do tasks.

    \b
    Example: mcp-tasks-tui servers test build
    """
    from mcp_tasks_tui.cli.probe import probe_all

    session = Session()
    urls = [session.server_url(name) for name in names] or [s.url for s in session.config.servers]
    if not urls:
        say("no servers yet; add one: mcp-tasks-tui servers add NAME URL")
        return Exit.DONE
    probes = session.run(probe_all(session.config, urls))
    if as_json:
        print_json([probe.to_json() for probe in probes])
    else:
        print_table(("SERVER", "STATUS"), [(probe.name, probe.words) for probe in probes])
    return worst(probe.exit for probe in probes)


_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)")


def _header(text: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(text)
    if match is None or not match.group(2).isascii() or not match.group(2).isprintable():
        raise click.UsageError(f"--header {text!r}: write it as 'Name: value'")
    name, value = match.groups()
    if is_plain_secret(name, value):
        raise click.UsageError(
            f"--header {name}: secrets are not written down; export it and name the variable, "
            f"as '{name}: {with_variable(value, 'MY_TOKEN')}'"
        )
    return name, value

"""`export` and `import`: handles as JSON, out and in."""

from __future__ import annotations

from pathlib import Path

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.interchange import import_text, to_interchange


@click.command()
@click.argument("keys", nargs=-1, metavar="[KEY]...")
def export(keys: tuple[str, ...]) -> Exit:
    """Write handles (all, archived ones too, if none is named) as a JSON array.

    Task ids can open the tasks to anyone who has them: keep the file private.

    \b
    Example: mcp-tasks-tui export > handles.json
    """
    session = Session()
    wanted = set(session.resolve(keys))
    handles = [saved.handle for saved in session.store.load()]
    print_json([to_interchange(h) for h in handles if not wanted or h.key in wanted])
    return Exit.DONE


@click.command(name="import")
@click.argument("file", default="-", metavar="[FILE]")
@click.option("--server", metavar="SERVER", help="For entries that name none.")
@click.option("--json", "as_json", is_flag=True, help="The keys as a JSON array.")
def import_handles(file: str, *, server: str | None, as_json: bool) -> Exit:
    """Save handles from a JSON array, one object, or JSON Lines; from stdin without FILE.

    Takes what `export` writes, and what a server answered to tools/call (with --server). Saving
    a handle twice is harmless. Bad entries are named and the good ones saved; then the exit
    status is 2.

    \b
    Example: mcp-tasks-tui import handles.json
    """
    session = Session()
    url = session.server_url(server) if server else None
    try:
        text = click.get_text_stream("stdin").read() if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file}: cannot be read ({error})") from None
    done = import_text(session.store, text, server_url=url, server_named=session.server_url)
    for problem in done.problems:
        say(problem)
    if as_json:
        print_json([handle.key for handle in done.handles])
    else:
        for handle in done.handles:
            click.echo(handle.key)
    return Exit.USAGE if done.problems else Exit.DONE

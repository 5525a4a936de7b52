"""`export` and `import`: handles as JSON, out and in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, read_text, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles import interchange

if TYPE_CHECKING:
    from collections.abc import Callable

#: So many bad entries of an import are named; the rest is counted.
_NAMED_ENTRIES = 20


@click.command()
@click.argument("keys", nargs=-1, metavar="[KEY]...", shell_complete=saved_keys)
def export(keys: tuple[str, ...]) -> Exit:
    """Write handles (all, archived ones too, if none is named) as a JSON array.

    Task ids can open the tasks to anyone who has them: keep the file private.

    \b
    Example: mcp-tasks-tui export > handles.json
    """
    session = Session()
    wanted = set(session.resolve(keys))
    handles = [saved.handle for saved in session.saved()]
    wished = (one for one in handles if not wanted or one.key in wanted)
    click.echo(interchange.export_json(wished), nl=False)
    return Exit.DONE


@click.command(name="import")
@click.argument("file", default="-", metavar="[FILE]")
@click.option("--server", metavar="SERVER", help="For entries that name none.")
@click.option("--json", "as_json", is_flag=True, help="The keys as a JSON array.")
def import_handles(file: str, *, server: str | None, as_json: bool) -> Exit:
    """Save handles from a JSON array, one object, or JSON Lines; from stdin without FILE.

    Takes what `export` writes, and what a server answered to tools/call (with --server). Saving
    a handle twice is harmless. Bad entries are named (of many the first ones) and the
    good ones saved; then the exit status is 2.

    \b
    Example: mcp-tasks-tui import handles.json
    """
    session = Session()
    url = session.server_url(server) if server else None
    done = interchange.import_handles(
        session.store,
        interchange.parse(read_text(file), server_url=_url_of(session), default_server=url),
    )
    if not done.parsed.drafts and not done.parsed.bad:
        raise click.UsageError(f"{file}: no handle in it")
    for problem in done.parsed.bad[:_NAMED_ENTRIES]:
        say(f"not saved: {problem}")
    if (more := len(done.parsed.bad) - _NAMED_ENTRIES) > 0:
        say(f"not saved: {more:,} more entries")
    if done.parsed.withheld:
        say(f"left out as credentials: {', '.join(done.parsed.withheld)}")
    if (known := len(done.saved) - done.new) > 0:
        say(f"{done.new:,} new, {known:,} saved before")
    keys = [saved.handle.key for saved in done.saved]
    if as_json:
        print_json(keys)
    else:
        for key in keys:
            click.echo(key)
    return Exit.USAGE if done.parsed.bad else Exit.DONE


def _url_of(session: Session) -> Callable[[str], str | None]:
    """How an entry's `server` is read: a configured name; None where there is none such."""

    def url(name: str) -> str | None:
        entry = session.config.server(name)
        return entry.url if entry else None

    return url

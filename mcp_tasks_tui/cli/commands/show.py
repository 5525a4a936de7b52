"""`show`: one task, whole."""

from __future__ import annotations

import click

from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.describe import describe, describe_journal
from mcp_tasks_tui.cli.exits import Exit, of_read
from mcp_tasks_tui.cli.output import print_json, read_fault, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.supervise.history import entry_to_json
from mcp_tasks_tui.supervise.journalling import in_order
from mcp_tasks_tui.supervise.view import to_json


@click.command()
@click.argument("key", metavar="KEY", shell_complete=saved_keys)
@click.option("--refresh", is_flag=True, help="Ask the server first.")
@click.option("--journal", is_flag=True, help="Its history too.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object, with the result.")
def show(key: str, *, refresh: bool, journal: bool, as_json: bool) -> Exit:
    """Show one task as it was last known; with --refresh as its server tells it now.

    \b
    Example: mcp-tasks-tui show k7f2 --refresh --journal
    """
    session = Session()
    (found,) = session.resolve([key])
    status = session.run(_refresh(session, found)) if refresh else Exit.DONE
    saved = session.store.load_one(found)
    assert saved is not None
    (view,) = session.views([saved])
    result = session.store.result(found) if view.snapshot.has_result else None
    entries = in_order(session.store.journal(found)) if journal else []
    if as_json:
        shown = to_json(view, result=result)
        if journal:
            shown["journal"] = [entry_to_json(entry) for entry in entries]
        print_json(shown)
    else:
        click.echo("\n".join([*describe(view, result), *describe_journal(entries)]))
    return status


async def _refresh(session: Session, key: str) -> Exit:
    from mcp_tasks_tui.cli.waiting import telling_if_slow

    async with session.supervisor() as supervisor:
        with telling_if_slow(f"{key}: waiting for the answer of its server"):
            view = await supervisor.refresh(key)
    if not view.snapshot.read.ok:
        say(f"{key}: not refreshed: {read_fault(view)}")
    return of_read(view)

"""`archive` and `restore`: hide tasks and bring them back. Nothing is ever deleted."""

from __future__ import annotations

import time

import click

from mcp_tasks_tui.cli.completion import archived_keys, saved_keys
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.supervise.view import to_json


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=saved_keys)
@click.option("--json", "as_json", is_flag=True, help="The tasks as JSON.")
def archive(keys: tuple[str, ...], *, as_json: bool) -> Exit:
    """Hide tasks from the list; `restore` brings them back, nothing is deleted.

    \b
    Example: mcp-tasks-tui archive k7f2
    """
    return _set(keys, time.time(), "archived", as_json=as_json)


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=archived_keys)
@click.option("--json", "as_json", is_flag=True, help="The tasks as JSON.")
def restore(keys: tuple[str, ...], *, as_json: bool) -> Exit:
    """Bring archived tasks back into the list.

    \b
    Example: mcp-tasks-tui list --all -q --filter is:archived | xargs -r mcp-tasks-tui restore
    """
    return _set(keys, None, "restored", as_json=as_json)


def _set(keys: tuple[str, ...], at: float | None, word: str, *, as_json: bool) -> Exit:
    session = Session()
    found = session.resolve(keys)
    for key in session.store.archive_all(found, at):
        if not as_json:
            click.echo(f"{key}  {word}")
    if as_json:
        saved = (one for key in found if (one := session.store.load_one(key)) is not None)
        print_json([to_json(view) for view in session.views(saved)])
    return Exit.DONE

"""`archive` and `restore`: hide tasks and bring them back. Nothing is ever deleted."""

from __future__ import annotations

import time

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.session import Session


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
def archive(keys: tuple[str, ...]) -> Exit:
    """Hide tasks from the list; `restore` brings them back, nothing is deleted.

    \b
    Example: mcp-tasks-tui archive k7f2
    """
    return _set(keys, time.time(), "archived")


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
def restore(keys: tuple[str, ...]) -> Exit:
    """Bring archived tasks back into the list.

    \b
    Example: mcp-tasks-tui list --all -q --filter is:archived | xargs mcp-tasks-tui restore
    """
    return _set(keys, None, "restored")


def _set(keys: tuple[str, ...], at: float | None, word: str) -> Exit:
    session = Session()
    for key in session.resolve(keys):
        session.store.archive(key, at)
        click.echo(f"{key}  {word}")
    return Exit.DONE

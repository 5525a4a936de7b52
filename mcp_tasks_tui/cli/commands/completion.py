"""`completion`: a static script for the shell, so that completing never starts Python."""

from __future__ import annotations

import click

from mcp_tasks_tui.cli.completion import SHELLS, collect
from mcp_tasks_tui.cli.exits import Exit


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, *, shell: str) -> Exit:
    """Print the completion script for a shell.

    \b
    Example: source <(mcp-tasks-tui completion bash)
    """
    click.echo(SHELLS[shell](collect(ctx.find_root())), nl=False)
    return Exit.DONE

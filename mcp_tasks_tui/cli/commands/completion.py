"""`completion`: what makes the shell complete commands, options, keys and servers."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from mcp_tasks_tui.cli.exits import Exit

_PROGRAM = "mcp-tasks-tui"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, *, shell: str) -> Exit:
    """Print what makes a shell (bash from 4.4, zsh, fish) complete commands, keys and servers.

    \b
    Example: eval "$(mcp-tasks-tui completion bash)"
    """
    asked_by = f"_{_PROGRAM.replace('-', '_')}_COMPLETE".upper()  # where click looks for it
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, _PROGRAM, asked_by).source())
    return Exit.DONE

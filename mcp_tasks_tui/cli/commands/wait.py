"""`wait`: poll until tasks end or ask for input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.numbers import Number
from mcp_tasks_tui.cli.output import say
from mcp_tasks_tui.cli.session import Session

if TYPE_CHECKING:
    from mcp_tasks_tui.cli.exits import Exit
    from mcp_tasks_tui.supervise.supervisor import Supervisor


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=saved_keys)
@click.option("--any", "any_one", is_flag=True, help="Stop at the first that is done.")
@click.option("--timeout", type=Number(min=0), metavar="S", help="Seconds to wait.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per change.")
def wait(keys: tuple[str, ...], *, any_one: bool, timeout: float | None, as_json: bool) -> Exit:
    """Poll until the tasks end or ask for input; one line per change.

    A server that is away, or starts again, is waited for: it is said once, and the wait ends with
    exit status 6 when it was away for ten minutes without a break; at once where trying is in
    vain, as with credentials that it refuses; after a few tries where what answers is no MCP
    server, or no HTTP server at all.

    \b
    Example: mcp-tasks-tui wait k7f2 && mcp-tasks-tui result k7f2
    """
    session = Session()
    found = session.resolve(keys)

    async def run() -> Exit:
        from mcp_tasks_tui.cli.waiting import Limit, change_printer, print_change_json, wait_for

        report = print_change_json if as_json else change_printer()
        async with session.supervisor(watch=found) as supervisor:
            await _release(supervisor, found)
            return await wait_for(
                supervisor, found, any_one=any_one, limit=Limit(timeout), report=report
            )

    return session.run(run(), running=found)


async def _release(supervisor: Supervisor, keys: list[str]) -> None:
    """Let the reads of held tasks go on: nothing else would ever end the wait for them."""
    views = [view for key in keys if (view := supervisor.view(key)) is not None]
    held = [view.key for view in views if view.snapshot.held and not view.state.terminal]
    if held:
        await supervisor.hold(held, False)
        say(f"polling of {' '.join(held)} was held; it goes on, to wait for it")

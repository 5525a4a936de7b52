"""`cancel`: ask servers to stop tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.exits import Exit, worst
from mcp_tasks_tui.cli.failures import exit_of
from mcp_tasks_tui.cli.output import at_server, print_json, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError
from mcp_tasks_tui.supervise.problems import AlreadyEnded
from mcp_tasks_tui.supervise.view import to_json
from mcp_tasks_tui.supervise.words import STATES

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView


@click.command()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=saved_keys)
@click.option("--json", "as_json", is_flag=True, help="The tasks as JSON, after the request.")
def cancel(keys: tuple[str, ...], *, as_json: bool) -> Exit:
    """Ask the server to stop tasks.

    The request is a wish: a server may finish the work all the same. `wait` tells how it ended.

    \b
    Example: mcp-tasks-tui cancel k7f2 && mcp-tasks-tui wait k7f2
    """
    session = Session()
    found = session.resolve(keys)

    async def run() -> Exit:
        async with session.supervisor() as supervisor:
            exits = [await _ask(supervisor, key, quiet=as_json) for key in found]
            if as_json:
                views = [view for key in found if (view := supervisor.view(key)) is not None]
                print_json([to_json(view) for view in views])
            asked = [key for key in found if _is_asked(supervisor.view(key))]
        if asked:
            say(
                f"it may finish all the same; see how it ends: mcp-tasks-tui wait {' '.join(asked)}"
            )
        return worst(exits)

    return session.run(run())


def _is_asked(view: TaskView | None) -> bool:
    if view is None or view.state.terminal:
        return False
    return view.snapshot.cancel_requested_at is not None


async def _ask(supervisor: Supervisor, key: str, *, quiet: bool) -> Exit:
    try:
        await supervisor.cancel(key)
    except AlreadyEnded as ended:
        say(f"{key}: nothing to cancel, it has ended: {STATES[State(ended.state)].word}")
        return Exit.DONE
    except NoSuchTask as error:
        say(f"{key}: gone; its server does not know it (any more), nothing was cancelled: {error}")
        say(f"look again: mcp-tasks-tui show {key} --refresh")
        return exit_of(error)
    except RequestError as error:
        view = supervisor.view(key)
        where = "" if view is None else f"{at_server(view.server, view.handle.server_url)}: "
        say(f"{key}: the request to cancel was not accepted: {where}{error}")
        say(f"try again, or see where it stands: mcp-tasks-tui show {key} --refresh")
        return exit_of(error)
    if not quiet:
        click.echo(f"{key}  cancel requested")
    return Exit.DONE

"""`add`: save a handle that something else received."""

from __future__ import annotations

import click

from mcp_tasks_tui.cli.completion import known_servers
from mcp_tasks_tui.cli.exits import Exit, of_read
from mcp_tasks_tui.cli.output import at_server, print_json, read_fault, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.supervise.view import to_json


@click.command()
@click.argument("server", metavar="SERVER", shell_complete=known_servers)
@click.argument("task_id", metavar="TASK_ID")
@click.option("--tool", metavar="T", help="The tool that was called.")
@click.option("--label", metavar="L", help="A name of your own for it.")
@click.option("--note", metavar="N", help="Anything worth remembering.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="May be given several times.")
@click.option("--no-check", is_flag=True, help="Do not ask the server whether it knows the task.")
@click.option("--json", "as_json", is_flag=True, help="The saved task as JSON.")
def add(
    server: str,
    task_id: str,
    *,
    tool: str | None,
    label: str | None,
    note: str | None,
    tags: tuple[str, ...],
    no_check: bool,
    as_json: bool,
) -> Exit:
    """Save a task handle, then look once whether the server knows it.

    It is on disk before the server is asked, and stays there. Where the server says that it has no
    such task, the exit status is 5; any other failed look is only a warning. Blanks around the id
    are none of it. Put `--` before an id that starts with a dash.

    \b
    Example: mcp-tasks-tui add build --label nightly -- -x7Gf...
    """
    task_id = task_id.strip()
    if not task_id:
        raise click.UsageError("TASK_ID is empty; give the taskId that the server returned")
    session = Session()
    draft = HandleDraft(
        server_url=session.server_url(server.strip()),
        task_id=task_id,
        tool=tool,
        label=label,
        note=note,
        tags=tags,
        saved_by="add",
    )
    saved = session.store.save(draft)
    key = saved.handle.key
    if not as_json:
        click.echo(key)
    status = Exit.DONE if no_check else session.run(_look(session, key, draft.server_url))
    if as_json:
        saved = session.store.load_one(key) or saved
        print_json(to_json(session.views([saved])[0]))
    return status


async def _look(session: Session, key: str, url: str) -> Exit:
    """Look once; GONE where the server does not know the task, else DONE."""
    from mcp_tasks_tui.cli.waiting import telling_if_slow

    where = at_server(session.config.name_of(url), url)
    async with session.supervisor() as supervisor:
        with telling_if_slow(f"saved as {key}; waiting for the answer of {where}"):
            view = await supervisor.refresh(key)
    if not view.snapshot.read.ok:
        say(f"saved as {key}, but the first look failed: {read_fault(view)}")
    return Exit.GONE if of_read(view) is Exit.GONE else Exit.DONE

"""`update`: answer what a task asks."""

from __future__ import annotations

import click

from mcp_tasks_tui.cli.answers import Before, print_questions, responses_for
from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.exits import Exit, of_read
from mcp_tasks_tui.cli.failures import exit_of
from mcp_tasks_tui.cli.output import at_server, print_json, read_fault, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.supervise.answers import request_hash
from mcp_tasks_tui.supervise.history import ever_asked
from mcp_tasks_tui.supervise.view import to_json
from mcp_tasks_tui.supervise.words import counted, state_label


@click.command()
@click.argument("key", metavar="KEY", shell_complete=saved_keys)
@click.option("--accept", multiple=True, metavar="[REQUEST=]JSON", help="Answer with values.")
@click.option("--decline", multiple=True, metavar="REQUEST", help="Say no to a request.")
@click.option("--dismiss", multiple=True, metavar="REQUEST", help="Neither yes nor no.")
@click.option("--again", is_flag=True, help="Answer even what was answered before.")
@click.option("--form", is_flag=True, help="Print the open questions with their schemas as JSON.")
@click.option("--json", "as_json", is_flag=True, help="The task as JSON, after the answer.")
def update(
    key: str,
    *,
    accept: tuple[str, ...],
    decline: tuple[str, ...],
    dismiss: tuple[str, ...],
    again: bool,
    form: bool,
    as_json: bool,
) -> Exit:
    """Answer the input requests of a task.

    REQUEST is a request's key, a unique prefix of it, or its number as --form prints them (`:2` is
    a number even where a key looks like one); write `.` (or leave it out with --accept) where only
    one is open. A number stays a request's own: who repeats the command answers no other. Nothing
    is sent that its schema refuses.

    \b
    Example: mcp-tasks-tui update k7f2 --accept '{"target": "staging"}'
    Several: mcp-tasks-tui update k7f2 --accept 'window={"hour": 4}' --decline drop-column
    """
    if form and (accept or decline or dismiss):
        raise click.UsageError("--form only prints; leave it out to answer")
    if not (form or accept or decline or dismiss):
        raise click.UsageError("say --accept, --decline or --dismiss; --form shows what is asked")
    session = Session()
    (found,) = session.resolve([key])

    async def run() -> Exit:
        async with session.supervisor() as supervisor:
            view = await supervisor.refresh(found)
            if not view.snapshot.read.ok:
                say(f"{found}: what is asked now could not be read: {read_fault(view)}")
                return of_read(view)
            requests = view.snapshot.input_requests
            asked = {k: requests[k] for k in (requests if again else view.open_requests)}
            known = [*requests, *view.answers]
            numbers = ever_asked(await supervisor.journal(found), known)
            if form:
                print_questions(view, asked, numbers)
                return Exit.DONE
            before = Before(numbers, view.answers)
            try:
                responses = responses_for(
                    asked, accept=accept, decline=decline, dismiss=dismiss, before=before
                )
            except click.UsageError as error:
                if asked:
                    raise
                word = state_label(view)
                raise click.UsageError(
                    f"{found} asks nothing now: {word} ({error.message})"
                ) from None
            try:
                shown = {each: request_hash(asked[each]) for each in responses}
                await supervisor.answer(found, responses, shown=shown, again=again)
            except RequestError as error:
                where = at_server(view.server, view.handle.server_url)
                say(f"{found}: the answer was not accepted: {where}: {error}")
                say(f"what it asks now: mcp-tasks-tui update {found} --form")
                return exit_of(error)
            if as_json:
                print_json(to_json(supervisor.view(found) or view))
            else:
                click.echo(f"{found}  answered {len(responses)} of {len(asked)}")
                say(_what_next(found, len(asked) - len(responses)))
            return Exit.DONE

    return session.run(run())


def _what_next(key: str, left: int) -> str:
    if left:
        asks = counted(left, "question")
        return f"it still asks {asks}: mcp-tasks-tui update {key} --form"
    return f"see how it goes on: mcp-tasks-tui wait {key}"

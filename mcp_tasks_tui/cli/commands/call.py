"""`call`: call a tool; if it becomes a task, its handle is saved before its key is printed."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.cli.answers import responses_for
from mcp_tasks_tui.cli.arguments import (
    check_listed,
    input_schema,
    join_arguments,
    refused,
    split_arguments,
)
from mcp_tasks_tui.cli.asking import forget, forget_old, tell_asked
from mcp_tasks_tui.cli.completion import known_servers
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.failures import exit_of, talking_to
from mcp_tasks_tui.cli.numbers import Number
from mcp_tasks_tui.cli.output import print_json, read_text, say
from mcp_tasks_tui.cli.results import print_result
from mcp_tasks_tui.cli.session import Session, say_stopped
from mcp_tasks_tui.cli.waiting import Limit, progress_line, wait_for
from mcp_tasks_tui.forms.values import parse_json
from mcp_tasks_tui.places import find_paths
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_tasks_tui.protocol.messages import InputNeeded, InputResponse
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView


@record
class _Call:
    """One tools/call as it is to be sent."""

    server_url: str
    server_name: str
    tool: str
    arguments: dict[str, Any]
    label: str | None
    tags: tuple[str, ...]
    responses: dict[str, InputResponse] | None = None
    request_state: str | None = None
    #: The file with the questions that this answers.
    resumed: str | None = None


@click.command()
@click.argument("server", required=False, metavar="SERVER", shell_complete=known_servers)
@click.argument("tool", required=False, metavar="TOOL")
@click.option("--args", "json_arguments", metavar="JSON", help="All arguments as one object.")
@click.option("--arg", "pairs", multiple=True, metavar="NAME=VALUE", help="One argument.")
@click.option("--label", metavar="L", help="A name of your own for the task.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="May be given several times.")
@click.option("--wait", "waiting", is_flag=True, help="Wait for the task and print its result.")
@click.option("--timeout", type=Number(min=0), metavar="S", help="Seconds in all.")
@click.option(
    "--resume",
    type=click.Path(path_type=str),
    metavar="FILE|-",
    help="Go on with a call that asked first: what it printed.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="REQUEST=JSON",
    help="With --resume: an answer to one of its questions.",
)
@click.option("--no-check", is_flag=True, help="Send also what the list of tools refuses.")
@click.option("--json", "as_json", is_flag=True, help="The task, or the plain result, as JSON.")
def call(
    server: str | None,
    tool: str | None,
    *,
    json_arguments: str | None,
    pairs: tuple[str, ...],
    label: str | None,
    tags: tuple[str, ...],
    waiting: bool,
    timeout: float | None,
    resume: str | None,
    answers: tuple[str, ...],
    no_check: bool,
    as_json: bool,
) -> Exit:
    """Call a tool. If it becomes a task, its handle is saved and its key printed.

    A plain result is printed. A tool that asks first prints its questions, as JSON with --json and
    into a pipe, and exits 4; go on with --resume. A tool that the server does not list, and
    arguments that its schema refuses, are not sent (exit 2); no call is sent twice by itself.

    \b
    Example: mcp-tasks-tui call build slow_build --arg seconds=60 --label nightly --wait
    """
    session = Session()
    if resume is not None:
        if server or tool or json_arguments or pairs:
            raise click.UsageError("--resume knows server, tool and arguments already")
        ready = _resumed(session, resume, answers, label=label, tags=tags)
    elif not server or not tool:
        raise click.UsageError("name the SERVER and the TOOL; `tools SERVER` lists them")
    elif answers:
        raise click.UsageError("--answer goes with --resume FILE")
    else:
        ready = None
    given, named = split_arguments(json_arguments, pairs)

    async def run() -> Exit:
        limit = Limit(timeout)
        async with session.supervisor() as supervisor:
            made = ready
            if made is None:
                assert server is not None
                assert tool is not None
                url = session.server_url(server)
                schema = None
                if named or not no_check:
                    schema = await input_schema(
                        supervisor,
                        url,
                        tool,
                        server=server,
                        check=not no_check,
                        timeout=limit.left(),
                    )
                arguments = join_arguments(schema, given, named)
                wrong = [] if no_check else refused(schema, arguments)
                if wrong:
                    return _say_refused(server, tool, wrong)
                name = session.config.name_of(url)
                made = _Call(url, name, tool, arguments, label, tags)
            with talking_to(made.server_name, made.server_url):
                return await _send(supervisor, made, limit, waiting=waiting, as_json=as_json)

    began = time.time()
    name = ready.tool if ready else tool
    return session.run(run(), stopped=lambda: _tell_interrupted(session, name, began))


def _tell_interrupted(session: Session, tool: str | None, began: float) -> None:
    """Say what came of a call that was broken off: a reply that was on its way is saved by now."""
    handles = (saved.handle for saved in session.saved())
    made = [one.key for one in handles if one.tool == tool and one.saved_at >= began]
    if made:
        say_stopped(made)
    else:
        say("stopped before the server replied; no handle was received")


def _say_refused(server: str, tool: str, wrong: Sequence[str]) -> Exit:
    """One line for each argument that the tool's schema refuses; nothing was sent."""
    for line in wrong[:-1]:
        say(f"error: {line}")
    about = f"mcp-tasks-tui tools {server} {tool}"
    say(f"error: {wrong[-1]} (nothing was sent; see {about}, or send it all the same: --no-check)")
    return Exit.USAGE


async def _send(
    supervisor: Supervisor, made: _Call, limit: Limit, *, waiting: bool, as_json: bool
) -> Exit:
    from mcp_tasks_tui.protocol.errors import RpcError, TimedOut
    from mcp_tasks_tui.protocol.messages import InputNeeded, ToolResult
    from mcp_tasks_tui.supervise.problems import CallUnanswered

    left = limit.left()
    if left == 0:
        say(
            f"error: no handle was received: the server did not list its tools within {limit}, "
            "and nothing was called"
        )
        return Exit.TIMED_OUT
    try:
        outcome = await supervisor.call(
            made.server_url,
            made.tool,
            made.arguments,
            label=made.label,
            tags=made.tags,
            saved_by="call",
            input_responses=made.responses,
            request_state=made.request_state,
            timeout=left,
        )
    except CallUnanswered as error:
        if left is None or not isinstance(error.error, TimedOut):
            raise
        say(f"error: {CallUnanswered(TimedOut('total', limit.seconds or left))}")
        return Exit.TIMED_OUT
    except RpcError as error:
        await check_listed(supervisor, made.server_url, made.tool)
        say(f"error: {error}")
        say(f"what can be called there: mcp-tasks-tui tools {shlex.quote(made.server_name)}")
        return exit_of(error)
    data = find_paths().data
    if isinstance(outcome, InputNeeded):  # first: a full disk leaves what it goes on from
        tell_asked(_asked(made, outcome), data, as_json=as_json)
    if made.resumed is not None:
        forget(made.resumed, data)
    forget_old(data, time.time())
    if isinstance(outcome, InputNeeded):
        return Exit.INPUT_REQUIRED
    if isinstance(outcome, ToolResult):
        return print_result(outcome.result, as_json=as_json)
    return await _task(supervisor, outcome, limit, waiting=waiting, as_json=as_json)


def _asked(made: _Call, needed: InputNeeded) -> dict[str, Any]:
    """Return what `--resume` takes: the call, its questions, and the state that goes back."""
    return {
        "server": made.server_url,
        "tool": made.tool,
        "arguments": made.arguments,
        "label": made.label,
        "tags": list(made.tags),
        "inputRequests": needed.input_requests,
        "requestState": needed.request_state,
    }


async def _task(
    supervisor: Supervisor, view: TaskView, limit: Limit, *, waiting: bool, as_json: bool
) -> Exit:
    from mcp_tasks_tui.supervise.view import to_json

    if not waiting:
        if as_json:
            print_json(to_json(view))
        else:
            click.echo(view.key)
        return Exit.DONE
    say(f"saved as {view.key}")
    with progress_line() as report:
        ended = await wait_for(supervisor, [view.key], limit=limit, report=report)
    last = supervisor.view(view.key) or view
    if last.state.terminal:
        from mcp_tasks_tui.cli.commands.result import tell

        return tell(last, await supervisor.result(view.key), output=None, as_json=as_json)
    if ended is Exit.INPUT_REQUIRED:
        say(f"{view.key} asks for input; see what: mcp-tasks-tui update {view.key} --form")
    return ended


def _read(source: str) -> dict[str, Any]:
    """Read what a call that asked first has printed."""
    value, problem = parse_json(read_text(source))
    if problem is not None:
        raise click.UsageError(f"--resume {source}: {problem}")
    if not isinstance(value, dict) or not isinstance(value.get("inputRequests"), dict):
        raise click.UsageError(f"--resume {source}: not what `call` printed: no inputRequests")
    return value


def _resumed(
    session: Session,
    source: str,
    answers: tuple[str, ...],
    *,
    label: str | None,
    tags: tuple[str, ...],
) -> _Call:
    """Return the call that was broken off; a label or tags given now win over its own."""
    asked = _read(source)
    arguments, labelled, tagged = asked.get("arguments"), asked.get("label"), asked.get("tags")
    state = asked.get("requestState")
    url = session.server_url(str(asked.get("server")))
    return _Call(
        server_url=url,
        server_name=session.config.name_of(url),
        tool=str(asked.get("tool")),
        arguments=arguments if isinstance(arguments, dict) else {},
        label=label if label is not None or not isinstance(labelled, str) else labelled,
        tags=tags or (tuple(map(str, tagged)) if isinstance(tagged, list) else ()),
        responses=responses_for(asked["inputRequests"], accept=answers),
        request_state=state if isinstance(state, str) else None,
        resumed=source,
    )

"""`list`: saved tasks and their last known state. No network."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import print_json, print_table, say
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise import words
from mcp_tasks_tui.supervise.arrange import arrange
from mcp_tasks_tui.supervise.attention import estimated_end
from mcp_tasks_tui.supervise.view import Reason, TaskView, to_json
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.filter import Filter
    from mcp_tasks_tui.supervise.view import Attention


@click.command(name="list")
@click.option("--all", "everything", is_flag=True, help="Archived tasks too.")
@click.option("--filter", "expression", default="", metavar="EXPR", help="As `/` on the screen.")
@click.option("-q", "--quiet", is_flag=True, help="Keys only.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
def list_tasks(*, everything: bool, expression: str, quiet: bool, as_json: bool) -> Exit:
    """List saved tasks and their last known state, without asking any server.

    \b
    Example: mcp-tasks-tui list --filter 'is:waiting -tag:nightly'
    """
    session = Session()
    wanted = _filter(expression)
    saved = session.views(session.saved())
    within = (view for view in saved if everything or not view.archived)
    now = time.time()
    views = arrange((view for view in within if wanted is None or wanted(view)), now=now)
    if as_json:
        print_json([to_json(view) for view in views])
    elif quiet:
        for view in views:
            click.echo(view.key)
    elif views:
        print_table(
            ("KEY", "STATE", "TASK", "SERVER", "SEEN", "MESSAGE"),
            [_row(view, now) for view in views],
        )
    else:
        hidden = 0 if everything else sum(view.archived for view in saved)
        say(_nothing(hidden, filtered=wanted is not None and bool(saved)))
    _tell_lost_calls(session)
    return Exit.DONE


def _filter(expression: str) -> Filter | None:
    if not expression.strip():
        return None
    from mcp_tasks_tui.supervise.filter import FilterError, parse_filter, unclosed

    wanted = parse_filter(expression)
    mistake = unclosed(wanted)
    if mistake is not None:
        raise FilterError(f"--filter: {mistake}", mistake.position)
    return wanted


def _nothing(hidden: int, *, filtered: bool) -> str:
    """Say why no task is listed; `hidden` is how many archived ones were left out."""
    there = f"; --all adds {words.counted(hidden, 'archived task')}" if hidden else ""
    if filtered:
        return f"no saved task fits the filter{there}"
    if hidden:
        return f"no saved tasks but archived ones{there}"
    return "no saved tasks; `mcp-tasks-tui call SERVER TOOL` makes one, `demo` shows some"


def _tell_lost_calls(session: Session) -> None:
    """Calls whose program died before a reply: there is no handle that a list could show."""
    if session.nothing_saved():
        return
    told = words.lost_calls(session.store.open_intents(), session.config.name_of, time.time())
    if told:
        say(told)


def _row(view: TaskView, now: float) -> tuple[str, ...]:
    seen = view.snapshot.observed_at
    server = view.server if "://" not in view.server else short_url(view.server)
    return (
        view.key,
        words.state_label(view),
        words.title(view.handle),
        server,
        words.ago(seen, now),
        " · ".join(filter(None, (_wants(view, now), _message(view)))),
    )


def _wants(view: TaskView, now: float) -> str:
    """What you should know of the task, and for how long, as before its message on the screen."""
    first = words.foremost(view)
    if first is not None:
        return _why(view, first, now)
    asked = view.snapshot.cancel_requested_at
    if asked is None or view.state.ended:
        return ""
    return f"cancel asked {words.short_age(now - asked)}"


def _why(view: TaskView, first: Attention, now: float) -> str:
    if first.reason is Reason.INPUT_REQUIRED:
        return f"waits {words.short_age(now - first.since)}" if view.open_requests else first.text
    word = words.REASONS[first.reason]
    if first.reason is not Reason.EXPIRING:
        return f"{word} {words.short_age(now - first.since)}"
    end = estimated_end(view.snapshot)
    return word if end is None or end <= now else f"{word} in {words.short_left(end - now)}"


def _message(view: TaskView) -> str:
    """What the server says of the state that is shown: what it asks; of a failure, the error."""
    if view.open_requests:
        from mcp_tasks_tui.cli.describe import question_text

        return question_text(view.snapshot.input_requests.get(view.open_requests[0]))
    if view.state is State.FAILED:
        from mcp_tasks_tui.supervise.results import read_error

        if said := read_error(view.snapshot.error).message:
            return str(said)
    if view.outcome is not None:
        return str(view.outcome)
    if view.message is None or view.message_is_old:
        return ""
    if view.progress is None or view.state.ended:
        return str(view.message)
    return f"{words.percent(view.progress.fraction)} {view.message}"

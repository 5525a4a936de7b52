"""Waiting for tasks: what is reported, when it is over, and how a person comes back."""

from __future__ import annotations

import asyncio
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit, of_task, worst
from mcp_tasks_tui.cli.output import cut, print_json, say
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.view import to_json
from mcp_tasks_tui.supervise.words import state_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

#: Failed reads of a server that never answered since we began, after which waiting is pointless.
_HOPELESS_AFTER = 3
#: Faults that another poll cannot mend.
_HOPELESS_KINDS = frozenset({"auth", "not-sent"})


async def wait_for(
    supervisor: Supervisor,
    keys: Sequence[str],
    *,
    any_one: bool = False,
    timeout: float | None = None,
    report: Callable[[TaskView], None],
) -> Exit:
    """Report each change of the tasks until all (or any) are settled; return how they stand."""
    news = asyncio.Event()
    told: dict[str, tuple[object, ...]] = {}
    last_read = {key: view.snapshot.read.at for key in keys if (view := supervisor.view(key))}

    def listen(batch: Batch) -> None:
        for notice in batch.notices:
            say(notice)
        news.set()

    stop = supervisor.subscribe(listen)
    try:
        async with asyncio.timeout(timeout):
            while True:
                news.clear()
                views = [view for key in keys if (view := supervisor.view(key)) is not None]
                for view in views:
                    if told.get(view.key) != (what := _worth_telling(view)):
                        told[view.key] = what
                        report(view)
                done = [view for view in views if settled(view, last_read[view.key])]
                if len(done) == len(views) or (any_one and done):
                    return worst(map(outcome, done))
                await news.wait()
    except TimeoutError:
        waiting = [k for k in keys if (v := supervisor.view(k)) and not settled(v, last_read[k])]
        say(
            f"not finished after {timeout:g} s; the work goes on. "
            f"Come back with: mcp-tasks-tui wait {' '.join(waiting)}"
        )
        return Exit.TIMED_OUT
    finally:
        stop()


def settled(view: TaskView, last_read: float | None) -> bool:
    """Nothing more comes without a person: ended, asking, or out of reach for good.

    `last_read` is when the task was read before we began to wait: what is only remembered, and
    could have changed since, is not believed.
    """
    if view.state.terminal or _hopeless(view):
        return True
    if view.snapshot.read.at == last_read:
        return False
    return view.state.ended or (view.live and bool(view.open_requests))


def outcome(view: TaskView) -> Exit:
    return Exit.UNREACHABLE if _hopeless(view) else of_task(view)


def _hopeless(view: TaskView) -> bool:
    read = view.snapshot.read
    if read.ok or view.state.terminal or read.error_kind == "no-such-task":
        return False
    return not view.live and (
        read.error_kind in _HOPELESS_KINDS or read.failures >= _HOPELESS_AFTER
    )


def _worth_telling(view: TaskView) -> tuple[object, ...]:
    return view.state, view.message, view.open_requests, view.snapshot.read.error


def print_change(view: TaskView) -> None:
    click.echo(_change(view))
    if not view.snapshot.read.ok:
        say(f"{view.key}: last read failed: {view.snapshot.read.error}")


def print_change_json(view: TaskView) -> None:
    print_json(to_json(view), indent=None)


@contextmanager
def progress_line() -> Iterator[Callable[[TaskView], None]]:
    """One line on stderr that is rewritten with each change; nothing where that is a pipe."""
    if not sys.stderr.isatty():
        yield lambda view: None
        return

    def rewrite(view: TaskView) -> None:
        columns = shutil.get_terminal_size().columns
        click.echo(f"\r\x1b[K{cut(_change(view), columns - 1)}", nl=False, err=True)

    try:
        yield rewrite
    finally:
        click.echo("\r\x1b[K", nl=False, err=True)


def _change(view: TaskView) -> str:
    state = state_label(view.snapshot, answered=view.all_answered)
    return one_line(f"{view.key}  {state}  {view.message or ''}")

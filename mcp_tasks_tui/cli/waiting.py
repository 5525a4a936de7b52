"""Waiting for tasks: what is reported, when it is over, and how a person comes back."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit, worst
from mcp_tasks_tui.cli.numbers import as_typed
from mcp_tasks_tui.cli.output import cut, print_json, say
from mcp_tasks_tui.cli.standing import Standing
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.view import Coverage, to_json
from mcp_tasks_tui.supervise.words import state_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.view import TaskView


#: Seconds that a person waits without a word.
MOMENT = 3.0


class Limit:
    """What a person allows with --timeout, in seconds from now; the text is as it was typed."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._began = asyncio.get_running_loop().time()

    def __str__(self) -> str:
        return "no limit" if self.seconds is None else f"{as_typed(self.seconds)} s"

    def left(self) -> float | None:
        """Return the seconds that are left, None where there is no limit."""
        if self.seconds is None:
            return None
        return max(self.seconds - (asyncio.get_running_loop().time() - self._began), 0.0)


async def wait_for(
    supervisor: Supervisor,
    keys: Sequence[str],
    *,
    any_one: bool = False,
    limit: Limit | None = None,
    report: Callable[[TaskView], None],
) -> Exit:
    """Report each change of the tasks until all (or any) are settled; return how they stand.

    What was only saved before is no change.
    """
    news = asyncio.Event()
    told: dict[str, tuple[object, ...]] = {}
    standing = Standing(supervisor, keys)

    def listen(batch: Batch) -> None:
        for notice in batch.notices:
            say(notice)
        news.set()

    stop = supervisor.subscribe(listen)
    try:
        async with asyncio.timeout(None if limit is None else limit.left()):
            while True:
                news.clear()
                _look(standing, told, report)
                done = [view for view in standing.views if standing.settled(view)]
                if len(done) == len(standing.views) or (any_one and done):
                    for line in standing.without_hope():
                        say(line)
                    return worst(map(standing.outcome, done))
                await _news_within(news, standing.patience())
    except TimeoutError:
        standing.look()
        waiting = [view for view in standing.views if not standing.settled(view)]
        known = any(view.snapshot.observed_at is not None for view in waiting)
        so = "the work goes on" if known else "how it stands was never read"
        say(
            f"not finished after {limit}; {so}. "
            f"Come back with: mcp-tasks-tui wait {' '.join(view.key for view in waiting)}"
        )
        return Exit.TIMED_OUT
    finally:
        stop()


def _look(
    standing: Standing, told: dict[str, tuple[object, ...]], report: Callable[[TaskView], None]
) -> None:
    for line in standing.look():
        say(line)
    for view in standing.views:
        if not (view.state.terminal or standing.was_read(view)):
            continue
        if told.get(view.key) != (what := _worth_telling(view)):
            told[view.key] = what
            report(view)


async def _news_within(news: asyncio.Event, seconds: float | None) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await news.wait()


def _worth_telling(view: TaskView) -> tuple[object, ...]:
    return view.state, view.message, view.open_requests, view.snapshot.read.error


def change_printer() -> Callable[[TaskView], None]:
    """Return what prints a task's line, and why a read of it failed, each when it is another."""
    lines: dict[str, str] = {}
    failures: dict[str, str | None] = {}

    def report(view: TaskView) -> None:
        read = view.snapshot.read
        seen = view.live or view.state.ended
        if seen and lines.get(view.key) != (line := _change(view)):
            lines[view.key] = line
            click.echo(line)
        told_of_server = view.coverage is Coverage.PAUSED
        failure = None if read.ok or told_of_server else read.error
        if failures.get(view.key) != failure:
            failures[view.key] = failure
            if failure is not None:
                say(f"{view.key}: last read failed: {failure}")

    return report


def print_change_json(view: TaskView) -> None:
    print_json(to_json(view), indent=None)


@contextmanager
def telling_if_slow(what: str) -> Iterator[None]:
    """Say what is waited for, once, where it takes longer than a moment."""
    told = asyncio.get_running_loop().call_later(MOMENT, say, what)
    try:
        yield
    finally:
        told.cancel()


@contextmanager
def progress_line() -> Iterator[Callable[[TaskView], None]]:
    """One line on stderr that is rewritten with each change; nothing where that cannot be."""
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
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
    state = state_label(view)
    message = "" if view.message is None or view.message_is_old else one_line(view.message)
    return f"{view.key}  {state}  {message}".rstrip()

"""Waiting for tasks: what is reported, when it is over, and how a person comes back."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit, of_task, worst
from mcp_tasks_tui.cli.output import cut, print_json, say
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.view import Health, to_json
from mcp_tasks_tui.supervise.words import counted, state_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.view import ServerView, TaskView

#: Failed reads of a server that never answered since we began, after which waiting is pointless.
_HOPELESS_AFTER = 3
#: Faults that another poll cannot mend: of one read, and of a whole server.
_HOPELESS_KINDS = frozenset({"auth", "not-sent"})
_HOPELESS_HEALTH = frozenset({Health.AUTH, Health.UNUSABLE})


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
    standing = Standing(supervisor, keys)

    def listen(batch: Batch) -> None:
        for notice in batch.notices:
            say(notice)
        news.set()

    stop = supervisor.subscribe(listen)
    try:
        async with asyncio.timeout(timeout):
            while True:
                news.clear()
                standing.look()
                for view in standing.views:
                    if told.get(view.key) != (what := _worth_telling(view)):
                        told[view.key] = what
                        report(view)
                done = [view for view in standing.views if standing.settled(view)]
                if len(done) == len(standing.views) or (any_one and done):
                    for line in standing.without_hope():
                        say(line)
                    return worst(map(standing.outcome, done))
                await news.wait()
    except TimeoutError:
        standing.look()
        waiting = [view for view in standing.views if not standing.settled(view)]
        known = any(view.snapshot.observed_at is not None for view in waiting)
        so = "the work goes on" if known else "how it stands was never read"
        say(
            f"not finished after {timeout:g} s; {so}. "
            f"Come back with: mcp-tasks-tui wait {' '.join(view.key for view in waiting)}"
        )
        return Exit.TIMED_OUT
    finally:
        stop()


class Standing:
    """How the tasks that are waited for stand, beside their servers.

    What was only remembered when we began, a failed read too, is not believed: it may be
    otherwise by now.
    """

    def __init__(self, supervisor: Supervisor, keys: Sequence[str]) -> None:
        self._supervisor = supervisor
        self._keys = keys
        self.views: list[TaskView] = []
        self._lost: dict[str, ServerView] = {}
        self._before = {view.key: view.snapshot.read for view in self._now()}

    def look(self) -> None:
        """Take in how tasks and servers stand now."""
        self.views = self._now()
        by_server: dict[str, list[TaskView]] = {}
        for view in self.views:
            by_server.setdefault(view.handle.server_url, []).append(view)
        self._lost = {
            server.url: server
            for server in self._supervisor.servers()
            if self._is_lost(server, by_server.get(server.url, ()))
        }

    def settled(self, view: TaskView) -> bool:
        """Nothing more comes without a person: ended, asking, or out of reach for good."""
        if view.state.terminal or self._hopeless(view):
            return True
        if not self._was_read(view):
            return False
        return view.state.ended or (view.live and bool(view.open_requests))

    def outcome(self, view: TaskView) -> Exit:
        return Exit.UNREACHABLE if self._hopeless(view) else of_task(view)

    def without_hope(self) -> Iterator[str]:
        """Yield one line for each server that some of the tasks wait for in vain."""
        for url, server in self._lost.items():
            there = [view for view in self.views if view.handle.server_url == url]
            number = sum(map(self._hopeless, there))
            if number and server.text:
                yield f"{server.name}: {server.text} ({counted(number, 'task')} not read)"

    def _now(self) -> list[TaskView]:
        found = map(self._supervisor.view, self._keys)
        return [view for view in found if view is not None]

    def _was_read(self, view: TaskView) -> bool:
        return view.snapshot.read.at != self._before[view.key].at

    def _failures(self, view: TaskView) -> int:
        return max(view.snapshot.read.failures - self._before[view.key].failures, 0)

    def _hopeless(self, view: TaskView) -> bool:
        read = view.snapshot.read
        if view.state.terminal or view.live:
            return False
        if view.handle.server_url in self._lost:
            return True
        if read.ok or read.error_kind == "no-such-task" or not self._was_read(view):
            return False
        return read.error_kind in _HOPELESS_KINDS or self._failures(view) >= _HOPELESS_AFTER

    def _is_lost(self, server: ServerView, views: Sequence[TaskView]) -> bool:
        """One probe stands for all tasks of a server: its failures count for each of them."""
        if any(view.live or self._not_found(view) for view in views):
            return False
        failures = sum(map(self._failures, views))
        return server.health in _HOPELESS_HEALTH or failures >= _HOPELESS_AFTER

    def _not_found(self, view: TaskView) -> bool:
        return self._was_read(view) and view.snapshot.read.error_kind == "no-such-task"


def _worth_telling(view: TaskView) -> tuple[object, ...]:
    return view.state, view.message, view.open_requests, view.snapshot.read.error


def change_printer() -> Callable[[TaskView], None]:
    """Return what prints a task's line, and why a read of it failed, each when it is another."""
    lines: dict[str, str] = {}
    failures: dict[str, str | None] = {}

    def report(view: TaskView) -> None:
        read = view.snapshot.read
        if lines.get(view.key) != (line := _change(view)):
            lines[view.key] = line
            click.echo(line)
        failure = None if read.ok else read.error
        if failures.get(view.key) != failure:
            failures[view.key] = failure
            if failure is not None:
                say(f"{view.key}: last read failed: {failure}")

    return report


def print_change_json(view: TaskView) -> None:
    print_json(to_json(view), indent=None)


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
    state = state_label(view.snapshot, answered=view.all_answered)
    message = "" if view.message is None or view.message_is_old else one_line(view.message)
    return f"{view.key}  {state}  {message}".rstrip()

"""One run of a command: settings, store and engine, put together when first asked for.

This is where the real client, store and clock are handed to the engine.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcp_tasks_tui.cli.output import say
from mcp_tasks_tui.cli.settings import engine_settings
from mcp_tasks_tui.config.loading import load_config
from mcp_tasks_tui.places import find_paths
from mcp_tasks_tui.urls import UrlError, typed_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence

    from mcp_tasks_tui.config.model import Config
    from mcp_tasks_tui.handles.model import Saved
    from mcp_tasks_tui.handles.store import HandleStore
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

T = TypeVar("T")
#: From kill, a scheduler, or a terminal that is gone; one that is ignored (nohup) stays so.
_END_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Session:
    """What one command works with. Nothing is opened before it is used."""

    def __init__(self) -> None:
        self.paths = find_paths()

    @cached_property
    def config(self) -> Config:
        return load_config(self.paths.config_file)

    @cached_property
    def store(self) -> HandleStore:
        from mcp_tasks_tui.handles.store import HandleStore

        store = HandleStore.open(self.paths.data)
        click.get_current_context().call_on_close(lambda: _close(store))
        _say_notices(store)
        return store

    def saved(self) -> list[Saved]:
        """Return all saved tasks; where nothing was ever saved, no folder is made for that."""
        return [] if self.nothing_saved() else self.store.load()

    def nothing_saved(self) -> bool:
        """Tell whether there is no data folder yet: what only reads leaves it at that."""
        try:
            os.lstat(self.paths.data)
        except FileNotFoundError:
            return True
        except OSError:
            return False  # opening it will say why
        return False

    def resolve(self, keys: Iterable[str]) -> list[str]:
        """Return the local keys meant by `keys` (key, unambiguous prefix or task id), no doubles.

        Raises:
            StoreError: one is unknown or ambiguous.
        """
        wanted = list(keys)
        if wanted and self.nothing_saved():
            from mcp_tasks_tui.handles.errors import NoSuchHandle

            raise NoSuchHandle(wanted[0])
        return list(dict.fromkeys(self.store.resolve(key).key for key in wanted))

    def server_url(self, text: str) -> str:
        """Return the URL of a server given by its configured name or as a URL."""
        if entry := self.config.server(text):
            return entry.url
        if "://" not in text:
            names = ", ".join(entry.name for entry in self.config.servers) or "none yet"
            raise click.UsageError(
                f"no server named {text!r} (known: {names}); give a URL, "
                f"or save it: mcp-tasks-tui servers add {text} URL"
            )
        try:
            url = typed_url(text)
        except UrlError as error:
            raise click.UsageError(f"{text}: {error}") from None
        return url

    def views(self, saved: Iterable[Saved]) -> list[TaskView]:
        """Saved tasks as they were last known, without any network."""
        from mcp_tasks_tui.supervise.building import build_view
        from mcp_tasks_tui.supervise.progress import parse

        settings, now = engine_settings(self.config), time.time()
        return [
            build_view(
                one.handle,
                one.snapshot,
                one.answers,
                settings,
                now=now,
                server=self.config.name_of(one.handle.server_url),
                progress=parse(one.snapshot.status_message or one.snapshot.last_message),
            )
            for one in saved
        ]

    @asynccontextmanager
    async def supervisor(self, *, watch: Sequence[str] = ()) -> AsyncIterator[Supervisor]:
        """Start the engine; of all saved tasks only `watch` is polled by itself.

        Where Ctrl-C breaks the work off, nothing is sent any more, and it is told what became of
        that which was on its way; a handle that did not get to the disk is printed.
        """
        import asyncio

        from mcp_tasks_tui.cli.compose import running_supervisor
        from mcp_tasks_tui.cli.failures import tell_unsaved
        from mcp_tasks_tui.cli.sendings import told_of, waiting_for

        supervisor: Supervisor | None = None
        try:
            async with running_supervisor(self.paths, self.config, watch=watch) as supervisor:
                try:
                    yield supervisor
                except asyncio.CancelledError:
                    if waited_for := supervisor.send_no_more():
                        say(waiting_for(waited_for, supervisor.view))
                    raise
        except asyncio.CancelledError:
            if supervisor is not None:
                for line in told_of(supervisor.sendings_ended(), supervisor.view):
                    say(line)
                if unsaved := supervisor.unsaved_handles():
                    tell_unsaved(one.draft for one in unsaved)
            raise

    def run(
        self,
        work: Coroutine[Any, Any, T],
        *,
        running: Sequence[str] = (),
        stopped: Callable[[], None] | None = None,
    ) -> T:
        """Run `work` to its end. Where Ctrl-C or the system ends it before, say how to come back to
        the tasks in `running`, or let `stopped` say what came of it."""
        import asyncio

        ended_by: list[int] = []
        try:
            return asyncio.run(_until_told_to_end(work, ended_by))
        except (KeyboardInterrupt, asyncio.CancelledError):
            if running:
                say_stopped(running)
            if stopped is not None:
                stopped()
            for number in ended_by:  # whoever sent it sees that it did its work
                signal.raise_signal(number)
            raise


async def _until_told_to_end(work: Coroutine[Any, Any, T], ended_by: list[int]) -> T:
    """Break `work` off on the first signal that asks to end, and note it; a second one ends all."""
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    ours = _END_SIGNALS if threading.current_thread() is threading.main_thread() else ()
    caught = [number for number in ours if signal.getsignal(number) is signal.SIG_DFL]

    def let_go() -> None:
        for number in caught:
            loop.remove_signal_handler(number)

    def end(number: int) -> None:
        let_go()
        ended_by.append(number)
        if task is not None:
            task.cancel()

    for number in caught:
        loop.add_signal_handler(number, end, number)
    try:
        return await work
    finally:
        let_go()


def _close(store: HandleStore) -> None:
    """Damage is also found, and mended, while something is read."""
    _say_notices(store)
    store.close()


def _say_notices(store: HandleStore) -> None:
    for notice in store.take_notices():
        say(notice)


def say_stopped(keys: Iterable[str]) -> None:
    """Say how to come back to tasks that were waited for until Ctrl-C."""
    command = f"mcp-tasks-tui wait {' '.join(keys)}"
    say(f"stopped waiting; no task is stopped by that. Come back with: {command}")


def interactive() -> bool:
    """A person is at the keyboard: only then may anything be asked."""
    return sys.stdin.isatty()

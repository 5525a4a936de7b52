"""Every failure a command can end in: one line that says what to do, and an exit status."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.output import OutputError, at_server, say
from mcp_tasks_tui.config.model import ConfigError
from mcp_tasks_tui.handles.errors import KeyFault, StoreError
from mcp_tasks_tui.places import NoHomeError, find_paths
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError
from mcp_tasks_tui.supervise.filter import FilterError
from mcp_tasks_tui.supervise.problems import EngineError
from mcp_tasks_tui.urls import UrlError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_tasks_tui.handles.model import HandleDraft

#: First match wins.
_EXITS: tuple[tuple[type[Exception], Exit], ...] = (
    (NoSuchTask, Exit.GONE),
    (RequestError, Exit.UNREACHABLE),
    (KeyFault, Exit.USAGE),
    (StoreError, Exit.OWN_FAULT),
    (EngineError, Exit.USAGE),
    (ConfigError, Exit.USAGE),
    (NoHomeError, Exit.USAGE),
    (FilterError, Exit.USAGE),
    (UrlError, Exit.USAGE),
    (OutputError, Exit.OWN_FAULT),
)


class AtServer(Exception):
    """A request failed; the text says which server it went to."""

    def __init__(self, error: RequestError, name: str, url: str) -> None:
        self.error = error
        super().__init__(f"{at_server(name, url)}: {error}")


@contextmanager
def talking_to(name: str, url: str) -> Iterator[None]:
    """Have a failed request told with the server's name and address."""
    try:
        yield
    except RequestError as error:
        raise AtServer(error, name, url) from error


def exit_of(error: Exception) -> Exit:
    """Return the exit status for a failure; OWN_FAULT where it is none that we know."""
    return next((code for kind, code in _EXITS if isinstance(error, kind)), Exit.OWN_FAULT)


def report(error: Exception) -> int:
    """Say what failed in one line; a bug of ours goes to the log, and the line says where."""
    if isinstance(error, AtServer):
        say(f"error: {error}")
        return exit_of(error.error)
    if any(isinstance(error, kind) for kind, _ in _EXITS):
        say(f"error: {error}")
        if isinstance(error, StoreError) and error.unsaved:
            tell_unsaved(error.unsaved)
        return exit_of(error)
    say(f"error: this is a bug: {type(error).__name__}: {error}; details in {log_crash(error)}")
    return Exit.OWN_FAULT


def tell_unsaved(drafts: Iterable[HandleDraft]) -> None:
    """Give handles that are not on disk to the person, whole; where stderr is gone, go on."""
    from mcp_tasks_tui.handles.interchange import draft_json

    say("not on disk; keep this, and give it to `mcp-tasks-tui import` later:")
    with suppress(OSError):
        click.echo("\n".join(map(draft_json, drafts)), err=True)


def log_requests() -> None:
    """Open the log for `--debug`, and say where it is."""
    from mcp_tasks_tui.cli.logs import open_log

    path = find_paths().log_file
    try:
        open_log(path, debug=True)
    except OSError as error:
        say(f"no log: {path}: {error.strerror}")
    else:
        say(f"logging to {path}")


def log_crash(error: BaseException) -> str:
    """Write the traceback to the private log file; return its path, or why there is none."""
    from mcp_tasks_tui.cli.logs import open_log

    path = find_paths().log_file
    try:
        if not logging.getLogger("mcp_tasks_tui").handlers:
            open_log(path)
    except OSError as problem:
        return f"no log ({path}: {problem.strerror})"
    logging.getLogger("mcp_tasks_tui").error("unhandled error", exc_info=error)
    return str(path)

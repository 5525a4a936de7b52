"""`result`: the final result of a task."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcp_tasks_tui import files
from mcp_tasks_tui.cli.completion import saved_keys
from mcp_tasks_tui.cli.exits import Exit, of_read, of_task
from mcp_tasks_tui.cli.output import OutputError, print_json, read_fault, say
from mcp_tasks_tui.cli.results import print_result, tell_rest, words_alone
from mcp_tasks_tui.cli.session import Session
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import RESULT_NOT_READ
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.results import LOST, NO_ERROR_DETAIL, read_error, read_result
from mcp_tasks_tui.supervise.words import state_label

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView

_STDOUT = Path("-")
#: No mistake of who named the file.
_DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


@click.command()
@click.argument("key", metavar="KEY", shell_complete=saved_keys)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it there, over what is there; a new file is for you alone to read. `-` is stdout.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as the server sent it.")
def result(key: str, *, output: Path | None, as_json: bool) -> Exit:
    """Print the final result of a task, from the disk where it is there, else from the server.

    It is the texts alone, as the server wrote them, with a blank line between two; what there is
    beside them (files, structured content) is named on stderr, and --json has it. Exit status 7
    while the task is not finished.

    \b
    Example: mcp-tasks-tui result k7f2 -o build.log
    """
    session = Session()
    (found,) = session.resolve([key])
    saved = session.store.load_one(found)
    assert saved is not None
    (view,) = session.views([saved])
    if view.state.terminal:
        return tell(view, session.store.result(found), output=output, as_json=as_json)

    async def run() -> Exit:
        from mcp_tasks_tui.cli.waiting import telling_if_slow

        async with session.supervisor() as supervisor:
            with telling_if_slow(f"{found}: waiting for the answer of its server"):
                fresh = await supervisor.refresh(found)
            if not fresh.snapshot.read.ok:
                say(f"{found}: {read_fault(fresh)}")
                return of_read(fresh)
            raw = await supervisor.result(found)
            return tell(fresh, raw, output=output, as_json=as_json)

    return session.run(run())


def tell(view: TaskView, raw: object, *, output: Path | None, as_json: bool) -> Exit:
    """Print (or write) how the task ended; return the exit status for that."""
    if not view.state.terminal:
        word = state_label(view)
        say(f"{view.key}: not finished, {word}; {_what_next(view)}")
        return Exit.NOT_FINISHED
    if raw is None:  # no result is null: there is none, or it is not here any more
        return _tell_none(view, as_json=as_json)
    whole = f"mcp-tasks-tui result {view.key} --json"
    if output is None or output == _STDOUT:
        print_result(raw, as_json=as_json, whole=whole)
    elif as_json:
        _write(output, json.dumps(raw))
    else:
        doc = read_result(raw)
        text = words_alone(doc)
        if text is None:
            raise click.UsageError(f"-o {output}: there is no text to write; all of it: {whole}")
        _write(output, text)
        tell_rest(doc, whole)
    return of_task(view)


def _tell_none(view: TaskView, *, as_json: bool) -> Exit:
    """Say why there is no result; a task that must have had one is no success without it."""
    lost = view.snapshot.has_result or view.snapshot.result_lost
    if view.state is State.CANCELLED and not lost:
        say(f"{view.key}: was cancelled; there is no result")
        return Exit.CANCELLED
    if view.state is State.FAILED and not lost:
        _tell_error(view, as_json=as_json)
        return Exit.FAILED
    why = f"{LOST}; ask the server again" if lost else _not_kept(view)
    say(f"{view.key}: {why}: mcp-tasks-tui show {view.key} --refresh")
    return Exit.UNREACHABLE


def _not_kept(view: TaskView) -> str:
    """Say why no result is kept, and what to do before the server is asked again."""
    for note in view.snapshot.notes:
        if note.endswith(RESULT_NOT_READ):
            return f"{note}; raise max_reply_mib under [wire] in the settings, then ask again"
    return "no result is kept here; ask the server again"


def _what_next(view: TaskView) -> str:
    """Which command brings the task on: to wait for one that asks would end at once."""
    if view.open_requests:
        return f"see what it asks: mcp-tasks-tui update {view.key} --form"
    return f"wait for it: mcp-tasks-tui wait {view.key}"


def _tell_error(view: TaskView, *, as_json: bool) -> None:
    if as_json:
        print_json(view.snapshot.error)
        return
    error = read_error(view.snapshot.error)
    words = one_line(error.message.raw, 1000) if error.message is not None else ""
    if not words and error.has_data:
        words = f"{error.note or NO_ERROR_DETAIL}: {one_line(json.dumps(error.data), 1000)}"
    aside = f" ({error.code})" if error.code is not None else ""
    say(f"{view.key}: failed: {words or error.note or NO_ERROR_DETAIL}{aside}")


def _write(path: Path, text: str) -> None:
    """Write `text` so that only the user can read it: results are as private as handles."""
    try:
        files.replace(path, text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        if error.errno in _DISK_FAULTS:
            raise OutputError(error, str(path)) from None
        raise click.UsageError(f"-o {path}: cannot be written ({error.strerror})") from None
    say(f"written to {path}")

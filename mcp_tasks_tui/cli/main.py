"""The entry point: parse, run, and turn every failure into one line and an exit status."""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NoReturn, TextIO

import click

from mcp_tasks_tui import __version__
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.screen_options import refuse_without_screen, screen_options, wished
from mcp_tasks_tui.locales import PLAIN_ASCII, PLAIN_SIGNS, wants_ascii

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from _typeshed import ReadableBuffer

#: Name -> where the command is, and its line in the help. Nothing is imported until it is used.
_COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo:demo", "Watch task lifecycles on a server of its own."),
    "call": ("call:call", "Call a tool; if it becomes a task, save its handle."),
    "add": ("add:add", "Save a handle that something else received."),
    "list": ("list:list_tasks", "Saved tasks and their last known state."),
    "show": ("show:show", "One task, whole."),
    "wait": ("wait:wait", "Poll until tasks end or ask for input."),
    "update": ("update:update", "Answer what a task asks."),
    "cancel": ("cancel:cancel", "Ask servers to stop tasks."),
    "result": ("result:result", "The final result of a task."),
    "archive": ("archive:archive", "Hide tasks; nothing is deleted."),
    "restore": ("archive:restore", "Bring archived tasks back."),
    "tools": ("tools:tools", "What a server lets you call."),
    "servers": ("servers:servers", "Known servers: list, add, remove, test."),
    "export": ("transfer:export", "Write handles as JSON."),
    "import": ("transfer:import_handles", "Save handles from JSON."),
    "completion": ("completion:completion", "Completion for bash, zsh or fish."),
    "doctor": ("doctor:doctor", "Check folders, database and servers."),
}

#: Commands that open a screen, which the options before them are for.
_WITH_SCREEN = frozenset({"demo"})

#: How a write to a file or device fails that was opened by whoever started us.
_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


class _ReaderGone(Exception):
    """What we write to was closed. Under its own name click would make it a failure."""


@contextmanager
def _naming_failed_output() -> Iterator[None]:
    """Tell a failing stdout from other faults: commands name the file in every other one."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGone from error
    except OSError as error:
        if error.filename is not None or error.errno not in _CANNOT_WRITE:
            raise
        from mcp_tasks_tui.cli.output import OutputError

        raise OutputError(error) from error


class LazyGroup(click.Group):
    """Imports a command's module only when that command runs: start-up time is a feature."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        with _naming_failed_output():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _naming_failed_output():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[name][0].partition(":")
        found: click.Command = getattr(
            importlib.import_module(f"mcp_tasks_tui.cli.commands.{module}"), attribute
        )
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            if (key := _saved_key(args[0])) is not None:
                return args[0], _opening(key), args[1:]
            from mcp_tasks_tui.spelling import nearest

            near = nearest(args[0], _COMMANDS)
            hint = f"did you mean {near}?" if near else "see mcp-tasks-tui --help"
            what = f"no command {args[0]!r}, and no saved task has that key"
            raise click.UsageError(f"{what}; {hint}", ctx) from None


def _saved_key(word: str) -> str | None:
    """Return the key of the saved task that `word` means, None where it means none.

    Raises:
        click.UsageError: it fits several.
    """
    from mcp_tasks_tui.cli.session import Session
    from mcp_tasks_tui.handles.errors import AmbiguousKey, StoreError

    session = Session()
    if word.startswith("-") or not (session.paths.data / "receipts.jsonl").exists():
        return None  # a typing mistake makes no store
    try:
        return session.resolve([word])[0]
    except AmbiguousKey as error:
        raise click.UsageError(f"no command {word!r}, and as a key {error}") from None
    except StoreError:
        return None


def _opening(key: str) -> click.Command:
    """Return the command that fills the screen with one task."""

    @click.command("KEY")
    @click.pass_context
    def open_task(ctx: click.Context) -> Exit:
        from mcp_tasks_tui.cli.screen import open_screen

        return open_screen(wished(ctx), alone=key)

    return open_task


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="mcp-tasks-tui")
@screen_options
@click.option("--debug", is_flag=True, help="Log how each request ends; nothing of its contents.")
@click.pass_context
def cli(ctx: click.Context, *, debug: bool) -> Exit | None:
    """Keep, watch and steer the long-running tasks that MCP servers hand out.

    Without a command the screen opens on every saved task; with the KEY of a task in its place
    that one fills it.
    """
    if debug:
        from mcp_tasks_tui.cli.failures import log_requests

        log_requests()
    if ctx.invoked_subcommand is not None:
        if ctx.invoked_subcommand in _COMMANDS and ctx.invoked_subcommand not in _WITH_SCREEN:
            refuse_without_screen(ctx, ctx.invoked_subcommand)
        return None
    from mcp_tasks_tui.cli.screen import open_screen

    return open_screen(wished(ctx))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit status."""
    _fill_closed_streams()
    _let_through(sys.stdout)
    status = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        _let_go(stream)
    gc.freeze()  # the interpreter's last collection would go through all that ends anyway
    sys.exit(status)


class _Nowhere(io.FileIO):
    """Stands where stdout was closed: the work goes on, and at its end is told what was lost."""

    lost = False

    def write(self, data: ReadableBuffer) -> int:
        self.lost = True
        return memoryview(data).nbytes


def _fill_closed_streams() -> None:
    """Put nothing where a standard stream was closed before we began: schedulers do that, and the
    next file that is opened would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        nothing = os.open(os.devnull, os.O_RDWR)
        if name == "stdout":
            stream: IO[Any] = io.TextIOWrapper(io.BufferedWriter(_Nowhere(nothing, mode)), "utf-8")
        else:
            stream = os.fdopen(nothing, mode)
        setattr(sys, name, stream)


def _flush_output() -> None:
    """Write what is left. Raises OSError if it, or what went before, cannot be written."""
    sys.stdout.flush()
    file = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(file, _Nowhere) and file.lost:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _let_through(stream: TextIO) -> None:
    """Have what the terminal does not know written as plain signs or escapes: it is no failure.

    In the C locale Python writes UTF-8, whatever the terminal can show.
    """
    if (reconfigure := getattr(stream, "reconfigure", None)) is None:
        return
    if stream.isatty() and wants_ascii(os.environ):
        reconfigure(encoding=PLAIN_ASCII, errors=PLAIN_SIGNS)
    else:
        reconfigure(errors="backslashreplace")


def _let_go(stream: TextIO) -> None:
    """Write what is left, or drop it where nobody reads any more: Python would complain at exit
    and change the exit status."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _say_wrong_usage(error: click.ClickException) -> None:
    """One line: what is wrong, and where the right usage is told."""
    from mcp_tasks_tui.cli.output import say  # what was typed may come from anywhere

    context = getattr(error, "ctx", None)
    path = context.command_path if context else "mcp-tasks-tui"
    hint = f"see {path} --help"
    if isinstance(error, click.NoSuchOption) and not error.option_name.startswith("--"):
        hint = f"put -- before an id that starts with a dash; {hint}"
    message = error.format_message()
    say(f"error: {message}" if hint in message else f"error: {message} ({hint})")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; nothing but bugs of ours is ever a traceback."""
    try:
        with _naming_failed_output():
            outcome: Any = cli.main(arguments, prog_name="mcp-tasks-tui", standalone_mode=False)
            _flush_output()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return Exit.DONE
    except click.ClickException as error:
        _say_wrong_usage(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except _ReaderGone:
        _let_go(sys.stdout)  # whoever read our output has seen enough
        return Exit.DONE
    except Exception as error:  # noqa: BLE001 - the last resort: a line and a log, not a traceback
        from mcp_tasks_tui.cli.failures import report

        return report(error)
    return int(outcome or Exit.DONE)

"""How the screen is to be: options that mean the same before `demo` and behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")

_WISHED = "mcp_tasks_tui.screen"


class ScreenOptions(NamedTuple):
    """What was asked for of the screen."""

    read_only: bool = False
    ascii_only: bool = False
    no_mouse: bool = False


def _wish(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if value and option.name is not None:
        ctx.meta.setdefault(_WISHED, {})[option.name] = option.opts[0]


_OPTIONS = (
    ("--read-only", "read_only", "A screen that sends nothing but reads."),
    ("--ascii", "ascii_only", "Draw with ASCII characters only."),
    ("--no-mouse", "no_mouse", "Leave the mouse to the terminal."),
)


def screen_options(command: Command) -> Command:
    """Give a command the options of the screen; `wished` tells what became of them."""
    for flag, name, words in reversed(_OPTIONS):
        option = click.option(
            flag, name, is_flag=True, help=words, expose_value=False, callback=_wish
        )
        command = option(command)
    return command


def wished(ctx: click.Context) -> ScreenOptions:
    """Return what was asked for, by the command of `ctx` and those above it."""
    return ScreenOptions(**dict.fromkeys(ctx.meta.get(_WISHED, ()), True))


def refuse_without_screen(ctx: click.Context, command: str) -> None:
    """Refuse options that `command`, which opens no screen, would silently not follow.

    Raises:
        click.UsageError: there are such.
    """
    if flags := ctx.meta.get(_WISHED):
        raise click.UsageError(f"{', '.join(flags.values())}: {command} opens no screen; leave out")

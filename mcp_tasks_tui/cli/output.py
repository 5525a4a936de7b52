"""What commands print: JSON for programs, aligned text for people.

Results go to stdout, everything said about them to stderr. Text of a server is cleaned here; JSON
keeps the raw values (its encoder escapes control characters).
"""

from __future__ import annotations

import errno
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui.sanitize import clean, one_line
from mcp_tasks_tui.urls import short_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.supervise.view import TaskView

#: Cells between two columns, of a column that gives way, and of the last one, where there is room.
_GAP = 2
_LEAST_COLUMN = 8
_LAST_COLUMN = 12


class OutputError(Exception):
    """What a command has to give cannot be written: a full disk, mostly."""

    def __init__(self, error: OSError, where: str = "the output") -> None:
        closed = error.errno == errno.EBADF
        why = "it is closed" if closed else error.strerror or str(error)
        super().__init__(f"{where} cannot be written: {why}")


def say(text: str) -> None:
    """One clean line to stderr: what happened, what to do. Where it cannot go, work goes on."""
    with suppress(OSError):
        click.echo(one_line(text, 2000), err=True)


def at_server(name: str, url: str) -> str:
    """Return which server is meant: its name, if it has one, with host and port."""
    place = short_url(url)
    return f"{name} ({place})" if name != url else place


def read_fault(view: TaskView) -> str:
    """Return why the last read of a task failed, and where."""
    where = at_server(view.server, view.handle.server_url)
    return f"{where}: {view.snapshot.read.error}"


def read_text(source: str) -> str:
    """Return the text of a file, of stdin for ``-``.

    Raises:
        click.UsageError: it cannot be read as UTF-8 text.
    """
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        from mcp_tasks_tui.config.loading import why_unreadable

        raise click.UsageError(f"{source}: cannot be read: {why_unreadable(error)}") from None


def print_json(value: Any, *, indent: int | None = 2) -> None:
    # Non-ASCII is escaped too: C1 and bidi characters would otherwise reach a terminal raw.
    click.echo(json.dumps(value, indent=indent, ensure_ascii=True))


def print_text(text: str) -> None:
    """Text of any length, cleaned on its way to a terminal and raw into a pipe or file."""
    if sys.stdout.isatty():
        click.echo(clean(text))
    else:
        data = text.encode("utf-8", "surrogatepass")
        sys.stdout.flush()
        sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, widest: int = 200) -> None:
    """Aligned columns; on a terminal they are cut to its width, in a pipe nothing is.

    No column but the last is wider than `widest` cells, whatever a server put into one of its rows:
    a longer cell is cut on a terminal, and moves the rest of its own row in a pipe.
    """
    cells = [list(head), *([one_line(cell) for cell in row] for row in rows)]
    widths = [
        min(max(width(row[column]) for row in cells), widest) for column in range(len(head) - 1)
    ]
    if sys.stdout.isatty():
        limit = _terminal_width()
        widths = fit(widths, limit - _LAST_COLUMN)
        cells = [[*map(cut, row, widths), row[-1]] for row in cells]
        lines = [cut(line, limit) for line in _aligned(cells, widths)]
    else:
        lines = list(_aligned(cells, widths))
    click.echo("\n".join(lines))


def fit(widths: Sequence[int], limit: int) -> list[int]:
    """Return column widths that take `limit` cells at most with their gaps: the widest give way,
    as far as there is something left to read of them."""
    fitted = list(widths)
    while sum(fitted) + len(fitted) * _GAP > limit and max(fitted) > _LEAST_COLUMN:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _aligned(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    for row in cells:
        yield (" " * _GAP).join([*map(pad, row, widths), row[-1]]).rstrip()


def _terminal_width() -> int:
    import shutil  # it brings the archive formats along, and pipes do without

    return shutil.get_terminal_size().columns


def width(text: str) -> int:
    """Return how many terminal cells `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # only where a wide character is really there

    return cell_len(text)


def pad(text: str, cells: int) -> str:
    return text + " " * (cells - width(text))


def cut(text: str, cells: int) -> str:
    """Return `text` cut to `cells` with an ellipsis where something is missing."""
    if width(text) <= cells:
        return text
    if text.isascii():
        return f"{text[: cells - 1]}…"
    from rich.cells import set_cell_size

    return f"{set_cell_size(text, cells - 1).rstrip()}…"

"""A tool that asks before it starts: its questions, and how the call goes on with the answers."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcp_tasks_tui import files
from mcp_tasks_tui.cli.answers import example_answer
from mcp_tasks_tui.cli.output import OutputError, print_json, say
from mcp_tasks_tui.forms.reading import read_question
from mcp_tasks_tui.sanitize import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_tasks_tui.forms.model import FormField

#: Questions and fields that are shown; the file has all of them.
_ENOUGH = 20
_KEPT = re.compile(r"asked-[0-9a-f]{6}\.json")
#: Seconds after which no server can be thought to wait for the answer to a call any more.
_WAITED_FOR = 7 * 24 * 3600.0


def tell_asked(call: Mapping[str, Any], data: Path, *, as_json: bool) -> None:
    """Give a call that asked first (what `--resume` takes) to a program, or tell it to a person.

    A person gets the questions in words; the call is kept in a private file in the folder `data`.

    Raises:
        OutputError: the file cannot be written; the call was given as to a program.
    """
    if as_json or not sys.stdout.isatty():
        print_json(call)
        say(_how("FILE", "REQUEST=JSON"))
        return
    requests = call["inputRequests"]
    kept = data / f"asked-{secrets.token_hex(3)}.json"
    try:
        files.make_private_folder(data)
        files.replace(kept, json.dumps(call, indent=2).encode("ascii"))
    except OSError as error:
        print_json(call)  # nothing else has the state that goes back to the server
        raise OutputError(error, str(kept)) from None
    for line in questions(requests):
        click.echo(line)
    say(_how(shlex.quote(str(kept)), example_answer(requests) if requests else None))


def forget(source: str, data: Path) -> None:
    """Remove what a person's call was kept in, once it was answered: its questions are over."""
    kept = Path(source)
    with suppress(OSError):
        if _KEPT.fullmatch(kept.name) and kept.parent.resolve() == data.resolve():
            kept.unlink()


def forget_old(data: Path, now: float) -> None:
    """Remove what calls were kept in that nobody has answered: they hold what was asked, and the
    arguments. `now` is in seconds since the epoch."""
    with suppress(OSError), os.scandir(data) as entries:
        for entry in entries:
            if _KEPT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                age = now - entry.stat(follow_symlinks=False).st_mtime
                if age > _WAITED_FOR:
                    Path(entry.path).unlink()


def _how(source: str, answer: str | None) -> str:
    given = "" if answer is None else f" --answer {answer}"
    return f"the tool asks first; answer with: mcp-tasks-tui call --resume {source}{given}"


def questions(requests: Mapping[str, Any]) -> Iterator[str]:
    """Yield clean lines: the number and key of each question, what it says, and its fields."""
    for number, (key, request) in enumerate(list(requests.items())[:_ENOUGH], 1):
        question = read_question(key, request)
        yield f"{number}  {one_line(key, 80)}"
        for line in clean(question.message.raw).splitlines()[:_ENOUGH]:
            yield f"   {line}"
        if question.url is not None:
            yield f"   to open: {one_line(question.url, 2000)}"
        if question.note:
            yield f"   {one_line(question.note, 300)}"
        for field in question.form.fields[:_ENOUGH] if question.form else ():
            yield f"   - {_field(field)}"
    if len(requests) > _ENOUGH:
        yield f"and {len(requests) - _ENOUGH:,} more"


def _field(field: FormField) -> str:
    kind = field.kind.value.replace("_", " ")
    if field.choices:
        kind = "one of " + ", ".join(json.dumps(one.value) for one in field.choices[:_ENOUGH])
    needed = ", needed" if field.required else ""
    about = str(field.description or field.title)
    told = f": {about}" if about and about != field.name else ""
    return one_line(f"{field.name} ({kind}{needed}){told}", 300)

"""On which line of the settings file something is: TOML values carry no position of their own."""

from __future__ import annotations

import re

_KEY = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_PATH = rf"({_KEY}(?:\s*\.\s*{_KEY})*)"
_HEADER = re.compile(rf"\s*\[\[?\s*{_PATH}\s*\]")
_ENTRY = re.compile(rf"\s*{_PATH}\s*=")
_PART = re.compile(_KEY)


def line_of(text: str, where: tuple[str, ...]) -> int | None:
    """Return the line (from 1) of `text` that defines the key at the path `where`.

    For a key inside of a table on one line that is the line of the table; None where none is.
    """
    table: tuple[str, ...] = ()
    inside: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            path = table = _parts(header[1])
        elif entry := _ENTRY.match(line):
            path = (*table, *_parts(entry[1]))
            if path == where[: len(path)]:
                inside = number
        else:
            continue
        if path[: len(where)] == where:
            return number
    return inside


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(path))

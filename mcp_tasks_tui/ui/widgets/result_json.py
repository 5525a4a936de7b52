"""Reading a large text as JSON without holding anybody up.

The usual decoder is one call into C, which no other thread can interrupt: for a text of several
megabytes the keyboard would feel it. Its counterpart in Python does the same bit by bit.
"""

from __future__ import annotations

import json
from json import scanner
from typing import Any

from mcp_tasks_tui.collector import collector_paused

#: Texts up to this many characters are read at once.
QUICK = 1_000_000
#: Longer ones are not made a tree: it would take many times their size in memory.
LONGEST_JSON = 16_000_000


class NoJson(ValueError):
    """The text is none; or it is nested too deeply to be shown."""


class _Patient(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__()
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]


def looks_like_json(text: str) -> bool:
    """Tell whether a text begins as an object or a list does."""
    return text[:100].lstrip()[:1] in ("{", "[")


def read_json(text: str) -> Any:
    """Read a text as JSON; a long one takes a while, during which other threads run.

    Raises:
        NoJson: it is none.
    """
    try:
        if len(text) <= QUICK:
            return json.loads(text)
        with collector_paused():
            return _Patient().decode(text)
    except (ValueError, RecursionError) as error:
        raise NoJson(str(error)) from None

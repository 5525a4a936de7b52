"""Reading a large text as JSON while other threads run.

The usual decoder is one call into C, which no other thread can interrupt: for a text of several
megabytes the keyboard would feel it. Its counterpart in Python does the same bit by bit, for ten
times the time.
"""

from __future__ import annotations

import json
from json import scanner
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.collector import collector_paused

if TYPE_CHECKING:
    from collections.abc import Callable

#: Texts up to this many characters are read at once: that takes some twenty milliseconds.
QUICK = 1_000_000


def read_patiently(
    text: str,
    *,
    parse_float: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
) -> Any:
    """Return the JSON value of a text; as for `json.loads`. Not for the event loop.

    Raises:
        ValueError, RecursionError: it is none; it is nested too deeply.
    """
    decoder = json.JSONDecoder(parse_float=parse_float, parse_constant=parse_constant)
    if len(text) <= QUICK:
        return decoder.decode(text)
    decoder.scan_once = scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    with collector_paused():
        return decoder.decode(text)

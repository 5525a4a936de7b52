"""A text that may be JSON, as the value that a tree shows."""

from __future__ import annotations

from typing import Any

from mcp_tasks_tui.patient_json import read_patiently

#: Longer texts are not made a tree: it would take many times their size in memory.
LONGEST_JSON = 16_000_000


class NoJson(ValueError):
    """The text is none; or it is nested too deeply to be shown."""


def looks_like_json(text: str) -> bool:
    """Tell whether a text begins as an object or a list does."""
    return text[:100].lstrip()[:1] in ("{", "[")


def read_json(text: str) -> Any:
    """Read a text as JSON; a long one takes a while, during which other threads run.

    Raises:
        NoJson: it is none.
    """
    try:
        return read_patiently(text)
    except (ValueError, RecursionError) as error:
        raise NoJson(str(error)) from None

"""What the screen remembers from one run to the next: a small private file beside the tasks.

It holds conveniences only. One that is missing, broken or cannot be written changes nothing else.
"""

from __future__ import annotations

import json
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui import files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: More than this was not written by us.
_LARGEST = 10_000


class ScreenMemory:
    """`path` is the file; its folder has to exist. May be used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()

    def recall(self) -> Mapping[str, Any]:
        """Return what was kept, nothing where there is nothing usable."""
        with suppress(OSError, ValueError, RecursionError):
            with self._path.open("rb") as file:
                kept = json.loads(file.read(_LARGEST))
            if isinstance(kept, dict):
                return kept
        return {}

    def keep(self, what: Mapping[str, Any]) -> None:
        """Write it in place of what was kept; failing to is no matter."""
        data = json.dumps(dict(what)).encode()
        with self._lock, suppress(OSError):
            files.replace(self._path, data)

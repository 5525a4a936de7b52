"""One rotating, private log file. Nothing of an answer, a token or a header goes into it."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import TextIOWrapper
    from pathlib import Path


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper[Any]:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def open_log(path: Path, *, debug: bool = False) -> None:
    """Send this program's log to `path` (0600 in a 0700 folder), at most two files of 1 MB.

    With `debug`, how each request ended is in it too.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = _PrivateFile(path, maxBytes=1_000_000, backupCount=1, delay=False)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("mcp_tasks_tui")
    for other in logger.handlers[:]:
        logger.removeHandler(other)
        other.close()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if debug else logging.INFO)

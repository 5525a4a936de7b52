"""One rotating, private log file. Nothing of an answer, a token or a header goes into it."""

from __future__ import annotations

import errno
import logging
import os
import re
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from io import TextIOWrapper
    from pathlib import Path

_OUR_LINE = rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:,]{12} [A-Z]+ mcp_tasks_tui"


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper[Any]:
        descriptor = os.open(self.baseFilename, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _refuse_others(descriptor)
        except OSError:
            os.close(descriptor)
            raise
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def _refuse_others(descriptor: int) -> None:
    """Raise OSError where the file is none of our logs, whatever name or link led to it."""
    head = os.pread(descriptor, 4096, 0)
    if head and not re.match(_OUR_LINE, head):
        raise OSError(errno.EINVAL, "it is no log of ours: move it away")


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

"""One rotating, private log for all processes, with nothing of an answer, a token or a header."""

from __future__ import annotations

import errno
import logging
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui import files

if TYPE_CHECKING:
    from pathlib import Path

_LIMIT = 1_000_000
_OUR_LINE = rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:,]{12} [A-Z]+ mcp_tasks_tui"


class _PrivateLog(logging.Handler):
    """Appends to the file that has the name `path` at that moment, one write for each record.

    A full file becomes the second one, ``.1``, in place of the one before it. Where several
    processes write, one of them does that, and the others follow: no line of another is lost.
    """

    def __init__(self, path: Path) -> None:
        """Raises OSError: there is no such file to be had, or a file of somebody else is there."""
        super().__init__()
        self._path = path
        self._second = path.with_name(f"{path.name}.1")
        with suppress(FileNotFoundError):
            _refuse_others(self._second)
        self._file = _open(path)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = f"{self.format(record)}\n".encode(errors="backslashreplace")
            self._follow()
            if self._full(line):
                self._rotate(line)
            files.write_all(self._file, line)
        except Exception:  # noqa: BLE001 - whatever it is: a log must not end what it tells of
            self.handleError(record)

    def close(self) -> None:
        super().close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _full(self, line: bytes) -> bool:
        size = os.fstat(self._file).st_size
        return size > 0 and size + len(line) > _LIMIT

    def _follow(self) -> None:
        """Go over to the new file where another process made this one the second."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._file), self._path.stat()):
                return
        new = _open(self._path)
        os.close(self._file)
        self._file = new

    def _rotate(self, line: bytes) -> None:
        """Make the full file the second one.

        Where another process is about to, or the second file is none of ours any more, this one
        goes on growing.
        """
        with suppress(OSError):
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_CLOEXEC)
            try:
                with files.lock(folder, 0.0) as ours:
                    self._follow()
                    if ours and self._full(line):
                        with suppress(FileNotFoundError):
                            _refuse_others(self._second)
                        self._path.replace(self._second)
                        self._follow()
            finally:
                os.close(folder)


def _open(path: Path) -> int:
    file = files.open_private(path)
    try:
        _check_ours(file, path)
    except OSError:
        os.close(file)
        raise
    return file


def _refuse_others(path: Path) -> None:
    """Raise OSError where there is a file that is none of our logs."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_ours(file, path)
    finally:
        os.close(file)


def _check_ours(file: int, path: Path) -> None:
    """Raise OSError where the file is none of our logs, whatever name or link led to it."""
    head = os.pread(file, 4096, 0)
    if head and not re.match(_OUR_LINE, head):
        raise OSError(errno.EINVAL, f"{path.name} is no log of ours: move it away")


def open_log(path: Path, *, debug: bool = False) -> None:
    """Send this program's log to `path` (0600 in a 0700 folder), at most two files of 1 MB.

    With `debug`, how each request ended is in it too.

    Raises:
        OSError: the file cannot be written, or it or the second one is somebody else's.
    """
    files.make_private_folder(path.parent)
    handler = _PrivateLog(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("mcp_tasks_tui")
    for other in logger.handlers[:]:
        logger.removeHandler(other)
        other.close()
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if debug else logging.INFO)

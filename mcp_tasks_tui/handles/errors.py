"""Every way the store can fail.

::

    StoreError
    ├── StoreUnusable    the folder or a file cannot be opened, or the disk fails
    ├── DiskFull         the disk took no more data: full, over quota, or at its size limit
    ├── StoreReadOnly    the folder or the layout can only be read
    ├── StoreLocked      another process held the database for longer than we wait
    ├── StoreDamaged     the database is damaged and could not be replaced
    ├── StoreClosed      the store was closed
    └── KeyFault         the key names no handle, or several
        ├── NoSuchHandle
        └── AmbiguousKey

`str(error)` is one clean line that says what to do.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_tasks_tui.handles.model import Handle, HandleDraft


class StoreError(Exception):
    """Something could not be kept or read. Nothing that was saved before is harmed."""

    #: The handles that a failing save leaves unsaved: to be printed whole, to copy by hand.
    unsaved: tuple[HandleDraft, ...] = ()


class StoreUnusable(StoreError):
    """The folder or a file cannot be opened, or the disk fails."""


class DiskFull(StoreError):
    """The disk took no more data."""


class StoreReadOnly(StoreError):
    """The folder or the layout of the database can only be read."""


class StoreLocked(StoreError):
    """Another process held the database for longer than we wait."""


class StoreDamaged(StoreError):
    """The database is damaged, and a new one could not be put in its place."""


class StoreClosed(StoreError):
    """The store was closed."""

    def __init__(self) -> None:
        super().__init__("the store is closed")


class KeyFault(StoreError):
    """The text does not name exactly one handle."""


class NoSuchHandle(KeyFault):
    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(f"no saved task {one_line(text, 80)!r}; `list --all` shows every key")


class AmbiguousKey(KeyFault):
    """`candidates` are the handles that the text fits, oldest first."""

    def __init__(self, text: str, candidates: tuple[Handle, ...]) -> None:
        self.text = text
        self.candidates = candidates
        shown = ", ".join(_candidate(handle) for handle in candidates[:5])
        more = f" and {len(candidates) - 5} more" if len(candidates) > 5 else ""
        super().__init__(f"{one_line(text, 80)!r} fits several: {shown}{more}; write a whole key")


def _candidate(handle: Handle) -> str:
    name = handle.label or handle.tool or handle.server_url
    return f"{handle.key} ({one_line(name, 40)})"


class WrongCell(sqlite3.DatabaseError):
    """A value in the database is none that we, or any version, would have put there."""


_FULL_ERRNO = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY_ERRNO = {errno.EROFS, errno.EACCES, errno.EPERM}


def from_os(error: OSError, path: Path, *, before: str = "") -> StoreError:
    """Return the StoreError for a failed system call on `path`; `before` begins its line."""
    why = f"{before}{path}: {error.strerror or error}"
    if error.errno in _FULL_ERRNO:
        return DiskFull(f"{why}; free some room and try again")
    if error.errno in _READ_ONLY_ERRNO:
        return StoreReadOnly(
            f"{why}; make it writable, or set MCP_TASKS_TUI_HOME to a folder that is"
        )
    return StoreUnusable(f"{why}; MCP_TASKS_TUI_HOME can name another folder")


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether the file itself is bad (not the disk, not a lock).

    SQLite says so, or text in it is none any more, which Python finds and gives no code, or we
    find a value that cannot be where it is.
    """
    if isinstance(error, WrongCell):
        return True
    if _primary(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return True
    return _is_no_text(error)


def damage_words(error: Exception) -> str:
    """Return in one line what is damaged; the bytes that are no text do not belong into it."""
    return "text in it is none any more" if _is_no_text(error) else one_line(str(error), 200)


def _is_no_text(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and str(error).startswith("Could not decode")


def is_locked(error: sqlite3.Error) -> bool:
    """Tell whether another connection holds what the statement wanted."""
    return _primary(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_passing(error: sqlite3.Error) -> bool:
    """Tell whether the file may be whole, and only cannot be had now: a lock, a disk that is full
    or fails, permissions."""
    return is_locked(error) or _primary(error) in {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
    }


def from_sqlite(error: sqlite3.Error, path: Path, waited: float) -> StoreError:
    """Return the StoreError for a failed statement on the database at `path`; it was `waited` for
    (seconds) where that is locked."""
    code = _primary(error)
    if is_locked(error):
        return StoreLocked(
            f"another program has kept {path} locked for {_seconds(waited)} s; "
            "close what holds it (a backup, a database browser) and try again"
        )
    if code == sqlite3.SQLITE_FULL or _extended(error) == sqlite3.SQLITE_IOERR_WRITE:
        return DiskFull(f"no room for {path}: the disk is full or over quota; free some")
    if code == sqlite3.SQLITE_READONLY:
        return StoreReadOnly(f"{path} can only be read; make it and its folder writable")
    if is_damage(error):
        why = damage_words(error)
        return StoreDamaged(f"{path} is damaged ({why}); `doctor --repair` puts it right")
    if code == sqlite3.SQLITE_IOERR:  # also a full disk: not every file can say so
        return StoreUnusable(
            f"{path}: {error}: the disk is full, was removed or fails; "
            "free some room or look at the disk, and try again"
        )
    return StoreUnusable(f"{path}: {error}")


def _seconds(waited: float) -> str:
    return f"{waited:.0f}" if waited >= 1 else f"{waited:.1g}"


def _extended(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", None) or 0)


def _primary(error: sqlite3.Error) -> int:
    return _extended(error) & 0xFF

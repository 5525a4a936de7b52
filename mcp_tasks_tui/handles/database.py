"""The connection to `tasks.db`: how it is opened, and transactions that lose no update."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import schema
from mcp_tasks_tui.handles.changes import ChangeLog
from mcp_tasks_tui.handles.errors import is_passing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Connect = Callable[..., sqlite3.Connection]

#: Files that SQLite keeps beside a database; they belong to it and move with it.
COMPANIONS = ("-wal", "-shm", "-journal")


class Damaged(Exception):
    """The file is no usable database of ours; the message says why, `file` which one it was."""

    def __init__(self, why: str, file: os.stat_result | None = None) -> None:
        super().__init__(why)
        self.file = file


class Database:
    """One open connection. `read_only` is why nothing can be written, None where it can."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        read_only: str | None = None,
        notices: tuple[str, ...] = (),
    ) -> None:
        self.connection = connection
        self.path = path
        self.read_only = read_only
        self.notices = notices
        self.file = _stat(path)
        self.changes = ChangeLog(connection)
        self._waits: float | None = None

    def is_in_place(self) -> bool:
        """Tell whether the file under our path is still the one that is open."""
        now = _stat(self.path)
        if now is None or self.file is None:
            return now is self.file
        return os.path.samestat(self.file, now)

    def wait(self, seconds: float) -> None:
        """Have each statement wait so long for a lock of others."""
        if seconds != self._waits:
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
            self._waits = seconds

    @contextmanager
    def not_synced(self) -> Iterator[None]:
        """Let transactions in here end before they are on the medium: a receipt is there already.

        A power cut may take them back, whole and the last ones first, and then what they did is
        done again from the receipts. Without a write-ahead log they are synced all the same.
        """
        self.connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._has_log else 'FULL'}")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self.connection.execute("PRAGMA synchronous = FULL")

    @cached_property
    def _has_log(self) -> bool:
        (mode,) = self.connection.execute("PRAGMA journal_mode").fetchone()
        return str(mode) == "wal"

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing, alone: the lock is taken before anything is read."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()


def open_database(path: Path, *, busy_seconds: float, connect: Connect) -> Database:
    """Open the database for writing where the folder allows it; make it where it is missing.

    Raises:
        Damaged: the file is there, but it is no usable database of ours.
        sqlite3.Error, OSError: it cannot be opened now.
    """
    if why := no_file(path):
        raise Damaged(why, _stat(path))
    if not files.writable(path.parent):
        return open_read_only(path, busy_seconds=busy_seconds, connect=connect)
    _refuse_orphaned_wal(path)
    _make_private(path)
    connection = connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        kind = schema.kind_of(connection)
        if kind is schema.Kind.FOREIGN:
            raise Damaged("it is another program's database")
        notices = _tighten(path)
        notices += _set_up(connection, newer=kind is schema.Kind.NEWER)
        if kind is schema.Kind.NEWER:
            words = f"{path} was made by a newer version: it is only read; new handles are kept"
            return Database(connection, path, read_only=words, notices=(*notices, words))
        _bring_up_to_date(connection, kind)
        return Database(connection, path, notices=notices)
    except BaseException:
        connection.close()
        raise


def no_file(path: Path) -> str | None:
    """Say why `path` can be no database: a folder, or a pipe, whose other end never comes."""
    found = _stat(path)
    if found is None or stat.S_ISREG(found.st_mode):
        return None
    kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
    return f"it is {kind} and no file"


def damage_of(connection: sqlite3.Connection) -> str | None:
    """Look at every page (slow for a large file): what is wrong, None where nothing is.

    Raises:
        sqlite3.Error: it cannot be looked at now.
    """
    try:
        rows = connection.execute("PRAGMA quick_check(3)").fetchall()
    except sqlite3.Error as error:
        if is_passing(error):
            raise
        return str(error)
    found = "; ".join(str(row[0]) for row in rows)
    return None if found == "ok" else found


def _make_private(path: Path) -> None:
    """Make the file where it is missing, 0600 whatever the umask; what SQLite adds takes its mode.

    An existing file is never opened here: closing it would drop the locks that another
    connection of this process holds on it.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, files.FILE_MODE)
    except FileExistsError:
        return
    os.fchmod(fd, files.FILE_MODE)
    os.close(fd)
    files.sync_folder(path.parent)


def _tighten(path: Path) -> tuple[str, ...]:
    """Make the files of a database private, now that it is known to be ours."""
    news = (files.tighten(path.with_name(path.name + end), 0o600) for end in ("", *COMPANIONS))
    return tuple(words for words in news if words)


def _refuse_orphaned_wal(path: Path) -> None:
    """SQLite would silently delete a log that belongs to an emptied or vanished database."""
    if _size(path.with_name(path.name + "-wal")) > 0 and _size(path) == 0:
        raise Damaged("it is empty, but its log is not")


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _size(path: Path) -> int:
    found = _stat(path)
    return found.st_size if found else 0


def _set_up(connection: sqlite3.Connection, *, newer: bool) -> tuple[str, ...]:
    """Durable commits; WAL, or the older way where a network home cannot have WAL."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")
    if newer:
        connection.execute("PRAGMA query_only = ON")
        return ()
    mode = _journal_mode(connection, "wal")
    if mode == "wal":
        return ()
    _journal_mode(connection, "delete")
    return (
        "this folder cannot have a write-ahead log (a network home?): the slower journal is on",
    )


def _journal_mode(connection: sqlite3.Connection, mode: str) -> str:
    try:
        return str(connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()[0])
    except sqlite3.OperationalError as error:
        if (error.sqlite_errorcode & 0xFF) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL}:
            raise
        return "unknown"


def _bring_up_to_date(connection: sqlite3.Connection, kind: schema.Kind) -> None:
    if kind is schema.Kind.OURS and schema.is_whole(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        schema.complete(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def open_read_only(path: Path, *, busy_seconds: float, connect: Connect) -> Database:
    """Open what a folder that cannot be written holds; its log is read where SQLite still can.

    Raises:
        Damaged: it is no usable database of ours.
        sqlite3.Error: it cannot be opened now.
    """
    words = f"{path.parent} can only be read: nothing new is kept there"
    if _size(path) == 0:  # the receipts alone then: they are laid over an empty database
        connection = connect(":memory:", isolation_level=None)
        schema.create(connection)
        return Database(connection, path, read_only=words, notices=(words,))
    log_pending = _size(path.with_name(path.name + "-wal")) > 0
    options: tuple[str, ...] = (
        ("mode=ro", "mode=ro&immutable=1") if log_pending else ("mode=ro&immutable=1",)
    )
    failure: sqlite3.Error | None = None
    for option in options:
        connection = connect(
            f"{path.as_uri()}?{option}", uri=True, timeout=busy_seconds, isolation_level=None
        )
        try:
            connection.execute("PRAGMA query_only = ON")
            if schema.kind_of(connection) in {schema.Kind.OURS, schema.Kind.NEWER}:
                return Database(connection, path, read_only=words, notices=(words,))
        except sqlite3.Error as error:
            failure = error
        connection.close()
    if failure is not None:
        raise failure
    raise Damaged("it is empty, or another program's database")

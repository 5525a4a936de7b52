"""What can still be read of a damaged database, for the new one. Nothing here ever fails."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import ledger, rows, schema
from mcp_tasks_tui.handles.tables import handle_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp_tasks_tui.handles.merge import Kept

_COPIES = (
    ("snapshots", "version, body"),
    ("results", "stored_at, body"),
    ("journal", "seq, at, event, text, data"),
    ("answers", "request_key, request_hash, state, action, at, claimed_by"),
)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the damaged file for reading; yields None where it is no database of ours at all."""
    connection = None
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        ours = schema.kind_of(connection) is schema.Kind.OURS
    except sqlite3.Error:
        ours = False
    try:
        yield connection if ours else None
    finally:
        if connection is not None:
            connection.close()


def handles(old: sqlite3.Connection | None) -> list[Kept]:
    """Return the handles that can still be read."""
    columns = rows.KEPT_COLUMNS
    found = []
    for row in _readable(old, f"SELECT {columns} FROM handles"):  # noqa: S608 - constants of ours
        with suppress(TypeError, AttributeError):
            found.append(rows.kept_from(row))
    return found


def copy(old: sqlite3.Connection | None, new: sqlite3.Connection) -> None:
    """Copy what is known of each task into a database that has just been filled from receipts."""
    ids = _ids(old, new)
    for table, columns in _COPIES:
        rows_by_handle: dict[int, list[tuple[Any, ...]]] = {}
        sql = f"SELECT handle, {columns} FROM {table}"  # noqa: S608 - constants of ours
        for row in _readable(old, sql):
            if row[0] in ids:
                rows_by_handle.setdefault(ids[row[0]], []).append((ids[row[0]], *row[1:]))
        for handle, found in rows_by_handle.items():
            _put(new, table, columns, handle, found)
    for row in _readable(
        old, "SELECT server_url, tool, arguments, label, at, process FROM intents"
    ):
        with suppress(sqlite3.Error):
            new.execute(
                "INSERT INTO intents (server_url, tool, arguments, label, at, process) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )


def _put(
    new: sqlite3.Connection, table: str, columns: str, handle: int, found: list[tuple[Any, ...]]
) -> None:
    places = ", ".join("?" * len(found[0]))
    with suppress(sqlite3.Error):
        new.execute(f"DELETE FROM {table} WHERE handle = ?", (handle,))  # noqa: S608
        new.executemany(
            f"INSERT OR REPLACE INTO {table} (handle, {columns}) VALUES ({places})",  # noqa: S608
            found,
        )


def _ids(old: sqlite3.Connection | None, new: sqlite3.Connection) -> dict[int, int]:
    """Map the numbers of handles in the old file to those in the new one."""
    ids = {}
    for number, server_url, task_id in _readable(
        old, "SELECT id, server_url, task_id FROM handles"
    ):
        with suppress(TypeError, AttributeError):
            kept = ledger.find(new, rows.from_ascii(server_url), rows.from_ascii(task_id))
            row = handle_id(new, kept.handle.key) if kept else None
            if row is not None:
                ids[number] = row
    return ids


def _readable(old: sqlite3.Connection | None, sql: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows as long as pages can be read."""
    if old is None:
        return
    with suppress(sqlite3.Error):
        yield from old.execute(sql)

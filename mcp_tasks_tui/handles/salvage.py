"""What can still be read of a damaged database, for the new one. Nothing here ever fails."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import keys, ledger, rows, schema
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import Handle
from mcp_tasks_tui.handles.tables import handle_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: table -> its key besides the handle, the other columns
_COPIES = {
    "snapshots": ("", "version, body"),
    "results": ("", "stored_at, body"),
    "journal": (", seq", "at, event, text, data"),
    "answers": (", request_key", "request_hash, state, action, at, claimed_by"),
}
_INTENT = "server_url, tool, arguments, label, at, process"


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the damaged file for reading; yields None where it is no database of ours at all."""
    if not path.is_file():
        yield None
        return
    log = path.with_name(path.name + "-wal")
    option = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    connection = None
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?{option}", uri=True, isolation_level=None)
        ours = schema.kind_of(connection) is schema.Kind.OURS
    except sqlite3.Error:
        ours = False
    try:
        yield connection if ours else None
    finally:
        if connection is not None:
            connection.close()


def handles(old: sqlite3.Connection | None, now: float) -> list[Kept]:
    """Return the handles that can still be read; of some perhaps nothing but their identity."""
    found: dict[ledger.Identity, Kept] = {}
    for row in _readable(old, rows.KEPT_COLUMNS, "handles", "id"):
        with suppress(TypeError, AttributeError):
            kept = rows.kept_from(row)
            found[ledger.identity(kept)] = kept
    for server_url, task_id in _readable(old, "server_url, task_id", "handles", "task_id"):
        with suppress(TypeError, AttributeError):
            where = rows.from_ascii(server_url), rows.from_ascii(task_id)
            if where not in found:
                key = keys.choose(*where, None, lambda _: False)
                found[where] = Kept(Handle(key, *where, saved_at=now))
    return list(found.values())


def copy(old: sqlite3.Connection | None, new: sqlite3.Connection) -> None:
    """Copy what is known of each task into a database that has just been filled from receipts."""
    ids = _ids(old, new)
    for table, (key, columns) in _COPIES.items():
        found: dict[int, list[tuple[Any, ...]]] = {}
        for row in _readable(old, f"handle{key}, {columns}", table, f"handle{key}"):
            if row[0] in ids:
                found.setdefault(ids[row[0]], []).append((ids[row[0]], *row[1:]))
        for handle, copied in found.items():
            _put(new, table, f"handle{key}, {columns}", handle, copied)
    for row in _readable(old, _INTENT, "intents", "id"):
        with suppress(sqlite3.Error):
            new.execute(
                f"INSERT INTO intents ({_INTENT}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
                row,
            )


def _put(
    new: sqlite3.Connection, table: str, columns: str, handle: int, found: list[tuple[Any, ...]]
) -> None:
    places = ", ".join("?" * len(found[0]))
    with suppress(sqlite3.Error):
        new.execute(f"DELETE FROM {table} WHERE handle = ?", (handle,))  # noqa: S608
        new.executemany(
            f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({places})",  # noqa: S608
            found,
        )


def _ids(old: sqlite3.Connection | None, new: sqlite3.Connection) -> dict[int, int]:
    """Map the numbers of handles in the old file to those in the new one."""
    ids = {}
    for number, server_url, task_id in _readable(old, "id, server_url, task_id", "handles", "id"):
        with suppress(TypeError, AttributeError):
            kept = ledger.find(new, rows.from_ascii(server_url), rows.from_ascii(task_id))
            row = handle_id(new, kept.handle.key) if kept else None
            if row is not None:
                ids[number] = row
    return ids


def _readable(
    old: sqlite3.Connection | None, columns: str, table: str, order: str
) -> Iterator[tuple[Any, ...]]:
    """Yield rows from the beginning to the first bad page, then from the end to the last one."""
    if old is None:
        return
    sql = f"SELECT {columns} FROM {table} ORDER BY "  # noqa: S608 - constants of ours
    try:
        yield from old.execute(sql + order)
    except sqlite3.Error:
        backwards = ", ".join(f"{column} DESC" for column in order.split(", "))
        with suppress(sqlite3.Error):
            yield from old.execute(sql + backwards)

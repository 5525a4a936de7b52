"""The tables, and how a layout of another version is recognised.

`handles` only ever grows by nullable columns, so that an older version can always save. Anything
else that an older version could not live with raises `LAYOUT`; a database with a higher one is
opened read-only. Text that others chose is kept as ASCII (see `rows.to_ascii`), JSON as text.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles import changes, rows

if TYPE_CHECKING:
    import sqlite3

LAYOUT = 1
#: "MCPt": tells our database from another program's.
APPLICATION_ID = 0x4D435074

_TABLES = """
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;
CREATE TABLE handles (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    server_url TEXT NOT NULL,
    task_id TEXT NOT NULL,
    saved_at REAL NOT NULL,
    tool TEXT,
    arguments TEXT,
    label TEXT,
    note TEXT,
    tags TEXT,
    saved_by TEXT,
    archived_at REAL,
    edited_at REAL,
    extra TEXT,
    UNIQUE (task_id, server_url)
);
CREATE TABLE snapshots (
    handle INTEGER PRIMARY KEY REFERENCES handles (id),
    version INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE results (
    handle INTEGER PRIMARY KEY REFERENCES handles (id),
    stored_at REAL NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE journal (
    handle INTEGER NOT NULL REFERENCES handles (id),
    seq INTEGER NOT NULL,
    at REAL NOT NULL,
    event TEXT NOT NULL,
    text TEXT,
    data TEXT,
    PRIMARY KEY (handle, seq)
) WITHOUT ROWID;
CREATE TABLE answers (
    handle INTEGER NOT NULL REFERENCES handles (id),
    request_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    action TEXT NOT NULL,
    at REAL NOT NULL,
    claimed_by TEXT NOT NULL,
    PRIMARY KEY (handle, request_key)
) WITHOUT ROWID;
CREATE TABLE intents (
    id INTEGER PRIMARY KEY,
    server_url TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT,
    label TEXT,
    at REAL NOT NULL,
    process TEXT NOT NULL
);
"""
#: The columns of `handles` that an older version may not have made yet.
_SQL_TYPES = {"text?": "TEXT", "time?": "REAL"}
_NULLABLE = {
    name: _SQL_TYPES[kind] for name, kind in rows.HANDLE.kinds.items() if kind in _SQL_TYPES
}


class Kind(Enum):
    """Whose database a file is."""

    NEW = "new"
    OURS = "ours"
    NEWER = "newer"
    FOREIGN = "foreign"


def kind_of(connection: sqlite3.Connection) -> Kind:
    """Tell whose database this is. Raises sqlite3.Error where the file is none.

    The tables are looked for first: another process may be making them just now, and they come
    with our mark, in one transaction. Tables without a mark are then another program's.
    """
    anything = connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    application = _pragma(connection, "application_id")
    if application == APPLICATION_ID:
        return Kind.NEWER if _pragma(connection, "user_version") > LAYOUT else Kind.OURS
    return Kind.FOREIGN if anything or application else Kind.NEW


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, in the caller's transaction, unless another process was faster."""
    if kind_of(connection) is not Kind.NEW:
        return
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    changes.create(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {LAYOUT}")


def is_whole(connection: sqlite3.Connection) -> bool:
    """Tell whether a database of ours has all that this version makes."""
    return not _missing_columns(connection) and changes.is_logged(connection)


def complete(connection: sqlite3.Connection) -> None:
    """Make what is missing: all of it, or what an older version did not make yet.

    In the caller's transaction.
    """
    create(connection)
    for name in _missing_columns(connection):
        connection.execute(f"ALTER TABLE handles ADD COLUMN {name} {_NULLABLE[name]}")
    changes.create(connection)


def _missing_columns(connection: sqlite3.Connection) -> list[str]:
    there = {row[1] for row in connection.execute("PRAGMA table_info(handles)")}
    return [name for name in _NULLABLE if name not in there]


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])

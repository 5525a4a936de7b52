"""Rows -> `Saved`: handles with what is known of their tasks."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.collector import collector_paused
from mcp_tasks_tui.handles import ledger, rows, snapshot_json, tables
from mcp_tasks_tui.handles.model import AnswerRecord, Saved, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_tasks_tui.handles.merge import Kept

_EMPTY = Snapshot()
#: A task that nothing was seen of has no snapshot; its version is 0.
_SELECT = (
    f"SELECT {rows.KEPT.columns}, coalesce(version, 0), body "  # noqa: S608 - constants of ours
    "FROM handles LEFT JOIN snapshots ON handle = id"
)


def fresh(kept: Kept) -> Saved:
    return Saved(kept.handle, _EMPTY, 0)


def load(connection: sqlite3.Connection, *, whole: bool) -> list[Saved]:
    """Everything; of a layout that is only read, at least the handles."""
    try:
        answers = _answers(connection)
        found = connection.execute(f"{_SELECT} ORDER BY id")
        with collector_paused():
            return [_saved(row, answers) for row in found]
    except sqlite3.OperationalError:
        if whole:
            raise
        return load_sound(connection)


def load_sound(connection: sqlite3.Connection) -> list[Saved]:
    """Return the handles alone, without those that are damaged."""
    return [fresh(kept) for kept in ledger.sound(connection)]


def examine(connection: sqlite3.Connection) -> None:
    """Read every value there is. Raises WrongCell at the first that cannot be where it is."""
    load(connection, whole=True)
    for shape, check in rows.CHECKS.items():
        for row in connection.execute(shape.select):
            check(row)


def load_one(connection: sqlite3.Connection, key: str) -> Saved | None:
    row = connection.execute(f"{_SELECT} WHERE key = ?", (key,)).fetchone()
    return None if row is None else _saved(row, _answers(connection, key))


def load_some(connection: sqlite3.Connection, numbers: Iterable[int]) -> list[Saved]:
    """Return the handles with these numbers in their table, as far as they are there."""
    found = (connection.execute(f"{_SELECT} WHERE id = ?", (one,)).fetchone() for one in numbers)
    return [_saved(row, _answers(connection, row[0])) for row in found if row is not None]


def load_identity(connection: sqlite3.Connection, where: ledger.Identity) -> Saved | None:
    server_url, task_id = map(rows.to_ascii, where)
    row = connection.execute(
        f"{_SELECT} WHERE task_id = ? AND server_url = ?", (task_id, server_url)
    ).fetchone()
    return None if row is None else _saved(row, _answers(connection, row[0]))


def _saved(row: Sequence[Any], answers: Mapping[str, Mapping[str, AnswerRecord]]) -> Saved:
    rows.SAVED.check(row)
    return Saved(
        handle=rows.handle_from(row),
        snapshot=snapshot_json.loads(row[-1]),
        version=row[-2],
        answers=answers.get(row[0], {}),
    )


def _answers(
    connection: sqlite3.Connection, key: str | None = None
) -> dict[str, dict[str, AnswerRecord]]:
    """Return the answers by handle key and request key, of one handle or of all."""
    found: dict[str, dict[str, AnswerRecord]] = {}
    for of, record in tables.answers(connection, key):
        found.setdefault(of, {})[record.request_key] = record
    return found

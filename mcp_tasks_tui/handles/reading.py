"""Rows -> `Saved`: handles with what is known of their tasks."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles import ledger, snapshot_json, tables
from mcp_tasks_tui.handles.model import AnswerRecord, Saved, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_tasks_tui.handles.merge import Kept

_EMPTY = Snapshot()


def fresh(kept: Kept) -> Saved:
    return Saved(kept.handle, _EMPTY, 0)


def load(connection: sqlite3.Connection, *, whole: bool) -> list[Saved]:
    """Everything; of a layout that is only read, at least the handles."""
    known: Mapping[str, tuple[int, str]] = {}
    answers: dict[str, dict[str, AnswerRecord]] = {}
    try:
        known = tables.snapshots(connection)
        for key, record in tables.answers(connection):
            answers.setdefault(key, {})[record.request_key] = record
    except sqlite3.OperationalError:
        if whole:
            raise
    return [_saved(kept, known, answers) for kept in ledger.every(connection)]


def _saved(
    kept: Kept,
    known: Mapping[str, tuple[int, str]],
    answers: Mapping[str, Mapping[str, AnswerRecord]],
) -> Saved:
    key = kept.handle.key
    version, body = known.get(key, (0, ""))
    return Saved(kept.handle, snapshot_json.loads(body), version, answers.get(key, {}))


def load_one(connection: sqlite3.Connection, key: str) -> Saved | None:
    kept = ledger.find_key(connection, key)
    return None if kept is None else _with_knowledge(connection, kept)


def load_identity(connection: sqlite3.Connection, where: ledger.Identity) -> Saved | None:
    kept = ledger.find(connection, *where)
    return None if kept is None else _with_knowledge(connection, kept)


def _with_knowledge(connection: sqlite3.Connection, kept: Kept) -> Saved:
    key = kept.handle.key
    answers = {record.request_key: record for _, record in tables.answers(connection, key)}
    return _saved(kept, tables.snapshots(connection, key), {key: answers})

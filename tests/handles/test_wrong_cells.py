"""Any kind of value in any column: SQLite takes it, and no command ends in it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.handles import rows, schema, snapshot_json
from mcp_tasks_tui.handles.check import check, repair
from mcp_tasks_tui.handles.errors import StoreError, WrongCell
from mcp_tasks_tui.handles.interchange import export_json
from mcp_tasks_tui.handles.ledger import read_mark
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    JournalEntry,
    Snapshot,
    SnapshotWrite,
)
from mcp_tasks_tui.handles.receipts import Mark
from mcp_tasks_tui.handles.shapes import Shape
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, make_read_only

VALUES: dict[str, object] = {
    "an integer": 7,
    "a negative one": -1,
    "a huge integer": 2**63 - 1,
    "a float": 1.5,
    "a huge float": 1e300,
    "infinity": float("inf"),
    "bytes": b"\xff\x00",
    "no bytes": b"",
    "text": "text",
    "no text": "",
    "JSON": '{"observed_at": 1e999, "usual_gap": NaN, "read": {"at": 1e300}}',
    "an array": '[1, {"a": 2}]',
    "deep": "[" * 3000,
    "NULL": None,
}
TASKS = {f"t{number:02}" for number in range(len(VALUES) + 1)}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a row in every table."""
    home = tmp_path_factory.mktemp("filled") / "home"
    seen = Snapshot(status="completed", has_result=True, observed_at=5.0)
    line = JournalEntry(1.0, Event.STATUS, None, {"to": "completed"})
    answer = AnswerRecord("r", "hash", AnswerState.SENT, "accept", 2.0)
    with HandleStore.open(home) as store:
        drafts = [draft(name, label=f"label {name}") for name in sorted(TASKS)]
        keys = [saved.handle.key for saved in store.save_all(drafts)]
        store.commit(
            [SnapshotWrite(key, 0, seen, (line,), {"a": 1}, has_result=True) for key in keys]
        )
        for key in keys:
            store.claim_answer(key, answer, again=False)
            store.begin_call(URL, "tool", {"a": 1}, "label")
        store.archive(keys[-1], 7.0)
        store.edit(keys[-1], label="edited", note="note", tags=["tag"])
    with closing(sqlite3.connect(home / "tasks.db")) as raw:
        raw.execute("UPDATE intents SET process = 'gone|boot|1|1'")
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return home


def _columns() -> Iterator[tuple[str, str]]:
    connection = sqlite3.connect(":memory:")
    schema.create(connection)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    for table in tables:
        for _, name, *_ in connection.execute(f"PRAGMA table_info({table})"):
            yield table, name
    connection.close()


COLUMNS = list(_columns())
WITHOUT_ROWID = {"meta": "name", "journal": "handle, seq", "answers": "handle, request_key"}
#: Another task's identity is as sound as this one's: only a look at the receipts finds it.
IDENTITY = {"task_id", "server_url"}


def _put(home: Path, table: str, column: str, *values: object) -> None:
    """Put a value into each row of a table, as far as SQLite takes them there."""
    with closing(sqlite3.connect(home / "tasks.db")) as raw:
        keys = WITHOUT_ROWID.get(table, "rowid")
        there = raw.execute(f"SELECT {keys} FROM {table} ORDER BY 1").fetchall()
        where = " AND ".join(f"{key} = ?" for key in keys.split(", "))
        for row, value in zip(there, values, strict=False):
            with suppress(sqlite3.Error):
                raw.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *row))
        raw.commit()


def _use(home: Path) -> set[str]:
    """Do all that commands and the screen do; return the tasks that are listed."""
    with HandleStore.open(home) as store:
        listed = {saved.handle.task_id: saved.handle.key for saved in store.load()}
        for task_id, key in listed.items():
            assert store.load_one(key) is not None
            assert store.resolve(task_id).key == key
            json.dumps([entry.data for entry in store.journal(key)])
            store.result(key)
        json.loads(export_json(saved.handle for saved in store.load()))
        assert all(isinstance(one.tool, str) for one in store.open_intents())
        first = store.save(draft("t00", note="more"))
        key = first.handle.key
        record = AnswerRecord("r", "hash", AnswerState.INTENDED, "accept", 3.0)
        store.claim_answer(key, record, again=True)
        line = JournalEntry(9.0, Event.HELD)
        store.commit([SnapshotWrite(key, first.version, first.snapshot, (line,))])
        store.changed_by_others()
        return set(listed)


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=[".".join(one) for one in COLUMNS])
def test_no_value_in_any_column_costs_a_task(
    filled: Path, home: Path, table: str, column: str
) -> None:
    shutil.copytree(filled, home)
    _put(home, table, column, *VALUES.values())
    check(home)
    assert _use(home) >= TASKS or column in IDENTITY
    repair(home)
    assert [one.text for one in check(home) if not one.ok] == []
    assert _use(home) >= TASKS


KINDS = {"id": "INTEGER", "count": "INTEGER", "text": "TEXT", "time": "REAL"}


@pytest.mark.parametrize("shape", [rows.HANDLE, *rows.CHECKS], ids=lambda shape: shape.table)
def test_the_columns_are_those_of_the_tables(shape: Shape) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        found = connection.execute(f"PRAGMA table_info({shape.table})").fetchall()
    there = [(name, kind, bool(needed or key)) for _, name, kind, needed, _, key in found]
    told = [(name, KINDS[kind.rstrip("?")], "?" not in kind) for name, kind in shape.kinds.items()]
    assert told == there


ROWS: dict[Callable[[Sequence[Any]], object], tuple[object, ...]] = {
    rows.kept_from: ("bcdf", URL, "t", 1.0, "t", "{}", "l", "n", "[]", "s", 1.0, 1.0, "{}"),
    rows.check_snapshot: (1, 1, "{}"),
    rows.check_result: (1, 1.0, "{}"),
    rows.check_entry: (1, 1, 1.0, "status", "text", "{}"),
    rows.answer_from: ("r", "hash", "sent", "accept", 1.0),
    rows.CLAIMED.check: (1, "r", "hash", "sent", "accept", 1.0, "process"),
    rows.intent_from: (1, URL, "t", "{}", "l", 1.0, "process"),
    lambda row: snapshot_json.loads(row[0]): ("{}",),
}


@pytest.mark.parametrize("read", ROWS)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_row_is_read_or_said_to_be_wrong(
    read: Callable[[Sequence[Any]], object], value: object
) -> None:
    row = ROWS[read]
    read(row)
    for place in range(len(row)):
        with suppress(WrongCell):
            read((*row[:place], value, *row[place + 1 :]))


@pytest.mark.parametrize("value", [*VALUES.values(), "[1e999, 1]", "[-1, 1]", "[1, null]", "[1]"])
def test_a_mark_that_is_none_has_the_receipts_read_again(value: object) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        connection.execute("INSERT INTO meta VALUES ('receipts_read', ?)", (value,))
        assert read_mark(connection) == Mark()


def test_numbers_in_a_state_that_nothing_has_are_left_out() -> None:
    numbers = f'"observed_at": 1e999, "ttl_ms": 1{"0" * 99}, "usual_gap": NaN'
    body = f'{{"status": "working", {numbers}}}'
    assert snapshot_json.loads(body) == Snapshot(status="working")


WRONG = [
    ("handles", "label", b"x"),
    ("handles", "saved_at", "x"),
    ("handles", "archived_at", 1e300),
    ("handles", "server_url", "x"),
    ("handles", "tags", "{}"),
    ("snapshots", "body", "[]"),
    ("results", "body", b"x"),
    ("results", "stored_at", "x"),
    ("journal", "at", "x"),
    ("journal", "data", "[]"),
    ("answers", "at", "x"),
    ("answers", "claimed_by", b"x"),
    ("intents", "tool", b"x"),
]


@pytest.mark.parametrize(("table", "column", "value"), WRONG)
def test_doctor_finds_what_is_wrong_and_repair_puts_it_right(
    filled: Path, home: Path, table: str, column: str, value: object
) -> None:
    shutil.copytree(filled, home)
    with HandleStore.open(home) as store:
        handles = {saved.handle.task_id: saved.handle for saved in store.load()}
    _put(home, table, column, value)
    (finding,) = [one.text for one in check(home) if not one.ok]
    assert "`doctor --repair` moves it aside" in finding
    done = repair(home)
    assert any("moved to tasks.db.damaged-" in line for line in done)
    with HandleStore.open(home) as store:
        found = {saved.handle.task_id: saved.handle for saved in store.load()}
    assert {name: found[name] for name in TASKS} == handles, "the receipts have all of it"


def test_a_handle_without_a_receipt_keeps_what_is_sound_of_it(filled: Path, home: Path) -> None:
    shutil.copytree(filled, home)
    for column in ("note", "archived_at", "arguments"):
        _put(home, "handles", column, b"x")
    (home / "receipts.jsonl").write_bytes(b"")
    with HandleStore.open(home) as store:
        found = {saved.handle.task_id: saved.handle for saved in store.load()}
        assert {name: handle.label for name, handle in found.items()} == {
            name: "edited" if name == max(TASKS) else f"label {name}" for name in TASKS
        }


def test_what_cannot_be_mended_still_lists_the_sound_handles(
    filled: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(filled, home)
    _put(home, "handles", "label", b"x")
    _put(home, "snapshots", "body", b"x")
    _put(home, "intents", "at", b"x")
    make_read_only(monkeypatch)
    with HandleStore.open(home) as store:
        assert {saved.handle.task_id for saved in store.load()} == TASKS - {"t00"}
        assert store.open_intents() == []
        assert any("is damaged (handles.label holds bytes" in one for one in store.notices)
        with pytest.raises(StoreError, match="damaged"):
            store.resolve("t00")

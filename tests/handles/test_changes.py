"""What others changed is found without a look at everything."""

from __future__ import annotations

import functools
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.handles import changes
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState
from mcp_tasks_tui.handles.receipts import SAVED, Receipt, ReceiptFile
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, make_read_only, write


def _changed(store: HandleStore) -> set[str] | None:
    """Return the task ids of what others changed."""
    found = store.changed_by_others()
    return None if found is None else {one.handle.task_id for one in found}


def _answer(store: HandleStore, key: str) -> None:
    record = AnswerRecord("k", "hash", AnswerState.INTENDED, "accept", 1.0)
    assert store.claim_answer(key, record, again=False)


def test_what_others_changed_is_told_once_and_what_we_did_is_not(
    home: Path, store: HandleStore
) -> None:
    keys = {one.handle.task_id: one.handle.key for one in store.save_all([draft("a"), draft("b")])}
    assert len(store.load()) == 2
    assert _changed(store) == set()
    with HandleStore.open(home) as other:
        assert _changed(other) is None, "it has not read anything yet"
        assert len(other.load()) == 2

        store.commit([write(keys["a"], 0)])
        assert _changed(store) == set()
        assert _changed(other) == {"a"}
        assert _changed(other) == set()

        other.save(draft("c"))
        store.commit([write(keys["a"], 1)])  # between two changes of the other
        other.edit(keys["b"], label="theirs", note=None, tags=())
        assert _changed(store) == {"b", "c"}

        _answer(other, keys["a"])
        found = store.changed_by_others()
        assert found is not None
        assert [(one.handle.task_id, set(one.answers)) for one in found] == [("a", {"k"})]


def test_a_receipt_of_another_process_that_we_brought_in_is_news(
    home: Path, store: HandleStore
) -> None:
    key = store.save(draft("mine")).handle.key
    store.load()
    ReceiptFile(home / "receipts.jsonl").append([Receipt(SAVED, 5.0, draft("theirs"))])
    store.commit([write(key, 0)])
    assert _changed(store) == {"theirs"}


def test_who_has_not_looked_for_long_reads_everything(
    home: Path, store: HandleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(draft("a"))
    store.load()
    raw = sqlite3.connect(home / "tasks.db")
    raw.executemany(
        "INSERT INTO changes (handle) VALUES (?)",
        [(1,)] * (changes.KEPT + 2000),
    )
    raw.commit()
    (kept,) = raw.execute("SELECT count(*) FROM changes").fetchone()
    raw.close()
    assert changes.KEPT <= kept < changes.KEPT + 2000
    assert _changed(store) is None
    assert len(store.load()) == 1
    assert _changed(store) == set()


def test_of_a_database_made_anew_everything_is_read(home: Path, store: HandleStore) -> None:
    store.save(draft("a"))
    store.load()
    for path in home.glob("tasks.db*"):
        path.unlink()
    assert _changed(store) is None
    assert [one.handle.task_id for one in store.load()] == ["a"]
    assert _changed(store) == set()


def test_a_database_of_an_older_version_keeps_the_log_from_now_on(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("a"))
    raw = sqlite3.connect(home / "tasks.db")
    for (trigger,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
        raw.execute(f"DROP TRIGGER {trigger}")
    raw.execute("DROP TABLE changes")
    raw.commit()
    raw.close()
    with HandleStore.open(home) as store, HandleStore.open(home) as other:
        store.load()
        other.save(draft("b"))
        assert _changed(store) == {"b"}


def test_of_a_folder_that_can_only_be_read_everything_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as writer:
        writer.save(draft("a"))
        make_read_only(monkeypatch)
        with HandleStore.open(home) as store:
            store.load()
            assert _changed(store) is None


class _Counting(sqlite3.Connection):
    """Counts the steps of SQLite's machine: each row that is looked at takes some."""

    steps = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.set_progress_handler(self._count, 1)

    def _count(self) -> int:
        _Counting.steps += 1
        return 0


def _fill(home: Path, handles: int) -> None:
    raw = sqlite3.connect(home / "tasks.db")
    raw.executemany(
        "INSERT INTO handles (key, server_url, task_id, saved_at) VALUES (?, ?, ?, 1)",
        [(f"k{number}", URL, f"t{number}") for number in range(handles)],
    )
    raw.commit()
    raw.close()


def _steps_for_one_foreign_save(home: Path, handles: int) -> int:
    with HandleStore.open(home) as other:
        _fill(home, handles)
        connect = functools.partial(sqlite3.connect, factory=_Counting)
        with HandleStore.open(home, connect=connect) as store:
            assert len(store.load()) == handles
            assert _changed(store) == set()
            other.save(draft("theirs"))
            before = _Counting.steps
            assert _changed(store) == {"theirs"}
            return _Counting.steps - before


def test_one_foreign_save_costs_the_same_among_ten_and_among_ten_thousand(tmp_path: Path) -> None:
    few = _steps_for_one_foreign_save(tmp_path / "few", 10)
    many = _steps_for_one_foreign_save(tmp_path / "many", 10_000)
    assert few == pytest.approx(many, abs=20)
    assert many < 500

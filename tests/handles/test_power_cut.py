"""A power cut takes back what the database had not synced: the receipts bring it in again."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from mcp_tasks_tui.handles.model import Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft

FULL, NORMAL = 2, 1


class _Watched(sqlite3.Connection):
    """Notes with what `synchronous` each transaction ended."""

    ended: list[int]

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if sql == "COMMIT":
            self.ended.append(super().execute("PRAGMA synchronous").fetchone()[0])
        return super().execute(sql, *rest)


def test_only_what_a_receipt_holds_is_not_synced(home: Path) -> None:
    _Watched.ended = []

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return sqlite3.connect(*args, factory=_Watched, **options)

    def ended() -> list[int]:
        taken, _Watched.ended = _Watched.ended, []
        return taken

    with HandleStore.open(home, connect=connect) as store:
        assert set(ended()) == {FULL}
        call = store.begin_call(URL, "build", None, None)
        assert ended() == [FULL]
        key = store.save(draft("a"), intent_id=call).handle.key
        store.edit(key, label="mine", note=None, tags=[])
        assert ended() == [NORMAL, NORMAL]
        store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
        assert ended() == [FULL]


def test_what_was_saved_is_there_after_a_power_cut(home: Path, tmp_path: Path) -> None:
    log = home / "tasks.db-wal"
    with HandleStore.open(home) as store:
        known = store.save(draft("known")).handle.key
        store.commit([SnapshotWrite(known, 0, Snapshot(status="working"))])
        call = store.begin_call(URL, "build", None, None)
        synced = log.stat().st_size
        new = store.save(draft("new", tool="build"), intent_id=call).handle.key
        store.edit(new, label="mine", note=None, tags=[])
        assert log.stat().st_size > synced
        after = shutil.copytree(home, tmp_path / "after")
    (after / "tasks.db-wal").write_bytes((after / "tasks.db-wal").read_bytes()[:synced])
    (after / "tasks.db-shm").unlink()
    with HandleStore.open(after) as store:
        found = {saved.handle.key: saved for saved in store.load()}
        assert found.keys() == {known, new}
        assert found[known].snapshot.status == "working"
        assert (found[new].handle.tool, found[new].handle.label) == ("build", "mine")
        assert store.commit([SnapshotWrite(new, 0, Snapshot(status="working"))]) == [1]
    raw = sqlite3.connect(after / "tasks.db")
    assert raw.execute("SELECT count(*) FROM intents").fetchone() == (0,)
    raw.close()

"""How long the store takes, beside SQLite alone: ``python -m tests.bench.store``.

Prints medians. Budgets: a durable save at most 2.5 x a bare SQLite insert with
``synchronous=FULL`` on the same disk; memory per handle under 5 KiB.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from mcp_tasks_tui.handles.model import (
    Event,
    HandleDraft,
    JournalEntry,
    ReadState,
    Saved,
    Snapshot,
    SnapshotWrite,
)
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.sanitize import ServerText

_ARGUMENTS = {"repository": "example/project", "ref": "refs/heads/main", "steps": ["build", "test"]}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--handles", type=int, default=10_000)
    options.add_argument("--saves", type=int, default=300)
    options.add_argument("--dir", type=Path, help="where to write; the disk matters")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.dir) as folder:
        _saves(Path(folder), chosen.saves)
        _bulk(Path(folder) / "bulk", chosen.handles)


def _saves(folder: Path, count: int) -> None:
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE handles (id INTEGER PRIMARY KEY, body TEXT)")
    insert, body = "INSERT INTO handles (body) VALUES (?)", str(_draft(0))
    with HandleStore.open(folder / "home") as store:
        ours: list[float] = []
        theirs: list[float] = []
        for number in range(count):  # alternating, so that a busy disk hits both alike
            ours.append(_seconds(lambda n=number: store.save(_draft(n))))  # type: ignore[misc]
            theirs.append(_seconds(lambda: bare.execute(insert, (body,))))
        again = statistics.median(_seconds(lambda: store.save(_draft(0))) for _ in range(count))
    bare.close()
    save, insert_time = statistics.median(ours), statistics.median(theirs)
    print(f"bare FULL insert         {insert_time * 1e3:9.3f} ms")
    print(f"save                     {save * 1e3:9.3f} ms  ({save / insert_time:.2f} x)")
    print(f"save, nothing new        {again * 1e3:9.3f} ms")


def _bulk(home: Path, count: int) -> None:
    with HandleStore.open(home) as store:
        drafts = [_draft(number) for number in range(count)]
        print(
            f"save_all({count:,})        {_seconds(lambda: store.save_all(drafts)) * 1e3:9.0f} ms"
        )
        writes = [_write(saved) for saved in store.load()]
        took = _seconds(lambda: store.commit(writes))
        print(f"commit({count:,}), one batch {took * 1e3:8.0f} ms")
        single = [_seconds(lambda w=w: store.commit([_next(w)])) for w in writes[:200]]  # type: ignore[misc]
        print(f"commit(1)                {statistics.median(single) * 1e3:9.3f} ms")
    with HandleStore.open(home) as store:
        print(f"load({count:,})            {_seconds(store.load) * 1e3:9.0f} ms")
        tracemalloc.start()
        loaded = store.load()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"memory per handle        {size / len(loaded) / 1024:9.2f} KiB")
        versions = [_seconds(store.data_version) for _ in range(200)]
        print(f"data_version             {statistics.median(versions) * 1e6:9.1f} us")
    size_on_disk = sum(path.stat().st_size for path in home.iterdir())
    print(f"on disk                  {size_on_disk / 1e6:9.1f} MB")


def _draft(number: int) -> HandleDraft:
    return HandleDraft(
        server_url="https://build.example.com/mcp",
        task_id=f"786512e2-9e0d-44bd-8f29-{number:012d}",
        tool="build",
        arguments=_ARGUMENTS,
        label=f"nightly {number}",
        tags=("nightly", "ci"),
        saved_by="bench",
    )


def _write(saved: Saved) -> SnapshotWrite:
    snapshot = Snapshot(
        status="working",
        status_message=ServerText("step 17 of 40: compiling"),
        created_at="2026-07-28T10:30:00Z",
        last_updated_at="2026-07-28T10:40:00Z",
        ttl_ms=3_600_000,
        ttl_known=True,
        poll_interval_ms=5000,
        observed_at=1.8e9,
        changed_at=1.8e9,
        last_message=ServerText("step 17 of 40: compiling"),
        last_message_at=1.8e9,
        message_changes=17,
        usual_gap=12.5,
        read=ReadState(at=1.8e9),
    )
    entry = JournalEntry(1.8e9, Event.STATUS, None, {"to": "working"})
    return SnapshotWrite(saved.handle.key, saved.version, snapshot, (entry,))


def _next(write: SnapshotWrite) -> SnapshotWrite:
    return SnapshotWrite(write.key, write.base_version + 1, write.snapshot, write.journal)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

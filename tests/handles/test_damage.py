"""Whatever happens to the files: what is good loads, what is bad is kept beside, and it is said."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.handles.check import check, repair
from mcp_tasks_tui.handles.errors import from_sqlite
from mcp_tasks_tui.handles.model import Event, HandleDraft, JournalEntry, Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.receipts import ReceiptFile
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, ids, mode

COUNT = 300


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A folder of tasks with snapshots, results and journals, to be copied; key by task id."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with HandleStore.open(home) as store:
        saved = store.save_all([draft(f"t{n}", label=f"label {n}") for n in range(COUNT)])
        entry = JournalEntry(1.0, Event.STATUS, None, {"to": "completed", "pad": "x" * 100})
        snapshot = Snapshot(status="completed", has_result=True)
        store.commit(
            [
                SnapshotWrite(
                    one.handle.key,
                    0,
                    snapshot,
                    (entry,),
                    {"of": one.handle.task_id},
                    has_result=True,
                )
                for one in saved
            ]
        )
    return home, {one.handle.task_id: one.handle.key for one in saved}


@pytest.fixture
def keys(filled: tuple[Path, dict[str, str]], home: Path) -> dict[str, str]:
    """Fill this test's folder; the key of each of its tasks by the task id."""
    template, keys = filled
    shutil.copytree(template, home)
    return keys


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 100])


def _holes(path: Path) -> None:
    """Zero every third page but the first, as lost blocks look after a power cut."""
    data = bytearray(path.read_bytes())
    for start in range(4096 * 2, len(data), 4096 * 3):
        data[start : start + 4096] = bytes(4096)
    path.write_bytes(data)


def _noise(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    path.write_bytes(data)


def _another_program(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE recipes (name TEXT)")
    raw.close()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "overwritten with NULs": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a few NULs": lambda path: path.write_bytes(bytes(100)),
    "truncated": _truncate,
    "cut within the header": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "holed": _holes,
    "noise behind the header": _noise,
    "not a database": lambda path: path.write_text("# notes\nnot a database at all\n" * 50),
    "another program's database": _another_program,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_database_is_moved_aside_and_filled_anew(
    home: Path, keys: dict[str, str], damage: str
) -> None:
    DAMAGES[damage](home / "tasks.db")
    bytes_before = (home / "tasks.db").read_bytes()
    with HandleStore.open(home) as store:
        loaded = {saved.handle.task_id: saved.handle for saved in store.load()}
        assert {task_id: handle.key for task_id, handle in loaded.items()} == keys
        assert all(handle.label == f"label {handle.task_id[1:]}" for handle in loaded.values())
        store.save(draft("after"))
        aside = list(home.glob("tasks.db.damaged-*"))
        assert [path.read_bytes() for path in aside] == [bytes_before]
        assert mode(aside[0]) == 0o600
        assert any(aside[0].name in notice and "receipts" in notice for notice in store.notices)
    assert ids(home) == {*keys, "after"}
    assert [finding.text for finding in check(home) if not finding.ok] == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_save_meets_damage_and_is_kept(home: Path, keys: dict[str, str], damage: str) -> None:
    DAMAGES[damage](home / "tasks.db")
    with HandleStore.open(home) as store:
        key = store.save(draft("new")).handle.key
    with HandleStore.open(home) as store:
        assert store.resolve("new").key == key
        assert {saved.handle.task_id for saved in store.load()} == {*keys, "new"}


def test_what_can_still_be_read_of_a_damaged_database_is_kept(
    home: Path, keys: dict[str, str]
) -> None:
    _holes(home / "tasks.db")
    with HandleStore.open(home) as store:
        store.load()
        results = [store.result(key) for key in keys.values()]
        for task_id, result in zip(keys, results, strict=True):
            assert result in ({"of": task_id}, None)
        store.commit([SnapshotWrite(key, 0, Snapshot(status="working")) for key in keys.values()])


def _at(*pages: int) -> Callable[[bytearray], None]:
    """Noise over whole pages, numbered from 1."""

    def spoil(data: bytearray) -> None:
        for page in pages:
            start = (page - 1) * 4096
            data[start : start + 4096] = random.Random(page).randbytes(4096)

    return spoil


def _behind_the_header(data: bytearray) -> None:
    data[100:4096] = random.Random(1).randbytes(3996)


#: Nothing but the way to the rows: the rows themselves are on other pages.
SPOILT = {
    "the beginning": _at(1),
    "the schema": _behind_the_header,
    "the roots of all tables": _at(2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    "the handles and their index on tasks": _at(3, 5),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_the_trees_do_not_reach_is_found(
    home: Path, keys: dict[str, str], spoil: Callable[[bytearray], None]
) -> None:
    data = bytearray((home / "tasks.db").read_bytes())
    spoil(data)
    (home / "tasks.db").write_bytes(data)
    with HandleStore.open(home) as store:
        states = {saved.handle.task_id: saved.snapshot.status for saved in store.load()}
        assert states == dict.fromkeys(keys, "completed")
        assert all(store.result(key) == {"of": task_id} for task_id, key in keys.items())
        whole = sum(len(store.journal(key)) == 2 for key in keys.values())
        assert whole > COUNT - 20, "the root of the journal holds a few of its lines"
        assert any(f"{COUNT} states and {COUNT} results" in notice for notice in store.notices)


def _make_no_text(path: Path, beginning: bytes) -> None:
    """Put bytes that are no characters where the first text with that beginning is."""
    data = path.read_bytes()
    at = data.index(beginning)
    path.write_bytes(data[:at] + b"\xff\xfe" + data[at + 2 :])


def test_text_that_is_none_any_more_is_damage(home: Path, keys: dict[str, str]) -> None:
    """SQLite itself does not mind it, and every list would end in it."""
    _make_no_text(home / "tasks.db", b'{"status":"completed"')
    with HandleStore.open(home) as store:
        states = [saved.snapshot.status for saved in store.load()]
        assert states.count("completed") == COUNT - 1
        assert len(keys) == COUNT
        assert any("(text in it is none any more): moved to" in one for one in store.notices)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "; a new one is empty, as no handle was saved"),
        (1, "has the one saved handle from the receipts. Still read: 0 states and 0 results"),
        (2, "has all 2 saved handles from the receipts. Still read: 0 states and 0 results"),
    ],
)
def test_what_a_new_database_has_is_told_in_numbers_that_read_well(
    home: Path, number: int, words: str
) -> None:
    with HandleStore.open(home) as store:
        store.save_all([draft(f"t{n}") for n in range(number)])
    (home / "tasks.db").write_bytes(b"no database at all" * 100)
    with HandleStore.open(home) as store:
        assert len(store.load()) == number
        assert [one for one in store.notices if one.endswith(words)], store.notices


def test_a_disk_that_fails_is_told_with_what_to_do() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    told = str(from_sqlite(error, Path("tasks.db"), 5.0))
    assert told.startswith("tasks.db: disk I/O error: the disk is full, was removed or fails")
    assert "free some room" in told


def test_a_lost_result_is_not_said_to_be_there(home: Path, keys: dict[str, str]) -> None:
    _make_no_text(home / "tasks.db", b'{"of":"t7"}')
    with HandleStore.open(home) as store:
        assert store.result(keys["t7"]) is None
        found = {saved.handle.task_id: saved.snapshot for saved in store.load()}
        assert [task_id for task_id, seen in found.items() if not seen.has_result] == ["t7"]
        assert [task_id for task_id, seen in found.items() if seen.result_lost] == ["t7"]
        assert found["t7"].status == "completed"
        assert any("; 1 result lost" in one for one in store.notices)


def test_another_programs_damaged_database_gives_nothing(home: Path, keys: dict[str, str]) -> None:
    path = home / "tasks.db"
    data = bytearray(path.read_bytes())
    data[68:72] = b"them"
    _behind_the_header(data)
    path.write_bytes(data)
    with HandleStore.open(home) as store:
        assert {saved.snapshot.status for saved in store.load()} == {None}
        assert len(keys) == COUNT


def test_an_emptied_database_is_filled_from_the_receipts(home: Path, keys: dict[str, str]) -> None:
    (home / "tasks.db").write_bytes(b"")
    with HandleStore.open(home) as store:
        assert {saved.handle.task_id: saved.handle.key for saved in store.load()} == keys


def test_the_log_of_a_vanished_database_is_kept(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft())
        log = (home / "tasks.db-wal").read_bytes()
    (home / "tasks.db").unlink()
    (home / "tasks.db-wal").write_bytes(log)
    assert ids(home) == {"t1"}
    assert [path.read_bytes() for path in home.glob("*.damaged-*-wal")] == [log]


def test_damage_while_it_is_open_is_mended_at_use(home: Path, keys: dict[str, str]) -> None:
    with HandleStore.open(home) as store:
        _noise(home / "tasks.db")
        assert len(store.load()) == COUNT
        store.save(draft("new"))
        assert ids(home) == {*keys, "new"}
        assert len(store.load()) == COUNT + 1


class _Overtaken(sqlite3.Connection):
    """Another process mends the database just after this one has found it damaged."""

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        try:
            return super().execute(sql, *rest)
        except sqlite3.DatabaseError:
            with HandleStore.open(Path(os.environ["MCP_TASKS_TUI_HOME"])) as other:
                key = other.resolve("t1").key
                other.commit([SnapshotWrite(key, 0, Snapshot(status="mended"))])
            raise


def test_two_who_find_damage_at_once_mend_it_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return sqlite3.connect(*args, factory=_Overtaken, **options)

    with HandleStore.open(home) as store:
        store.save(draft("t1"))
    monkeypatch.setenv("MCP_TASKS_TUI_HOME", str(home))
    (home / "tasks.db").write_bytes(bytes(5000))
    with HandleStore.open(home, connect=connect) as store:
        assert store.load()[0].snapshot.status == "mended"
    assert [path.read_bytes() for path in home.glob("*.damaged-*")] == [bytes(5000)]


def test_who_still_has_the_damaged_database_open_does_not_harm_the_new_one(home: Path) -> None:
    with HandleStore.open(home) as old, HandleStore.open(home) as new:
        key = old.save(draft("a")).handle.key
        (home / "tasks.db").rename(home / "elsewhere.db")
        (home / "tasks.db-wal").rename(home / "elsewhere.db-wal")
        (home / "tasks.db-shm").rename(home / "elsewhere.db-shm")
        assert new.commit([SnapshotWrite(key, 0, Snapshot(status="working"))]) == [1]
        assert (home / "tasks.db-wal").stat().st_size > 0
        assert old.load()[0].snapshot.status == "working"
        assert (home / "tasks.db-wal").stat().st_size > 0
        assert old.commit([SnapshotWrite(key, 1, Snapshot(status="completed"))]) == [2]
        assert new.load()[0].snapshot.status == "completed"
    with HandleStore.open(home) as store:
        assert store.load()[0].snapshot.status == "completed"


def test_a_receipt_that_never_reached_the_database_is_brought_in(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("a"))
    line = {"receipt": 1, "event": "saved", "at": 5.0, "serverUrl": URL, "taskId": "b", "x-new": 1}
    with (home / "receipts.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    with HandleStore.open(home) as store:
        assert {saved.handle.task_id for saved in store.load()} == {"a", "b"}
        handle = store.resolve("b")
        assert (handle.saved_at, handle.extra) == (5.0, {"x-new": 1})
        assert [entry.event for entry in store.journal(handle.key)] == [Event.SAVED]


BAD_LINES = {
    "torn": b'{"receipt":1,"event":"saved","at":1.0,"serverUrl":"http://build.exam',
    "NULs": bytes(512),
    "foreign": b"hello, world",
    "not an object": b"[1, 2]",
    "no task id": b'{"receipt":1,"serverUrl":"http://build.example/mcp"}',
    "bad URL": b'{"receipt":1,"serverUrl":"http://u:p@h/","taskId":"t"}',
    "invalid UTF-8": b'{"receipt":1,"taskId":"\xff\xfe"}',
    "half a character": b'{"receipt":1,"serverUrl":"http://h/\\ud800","taskId":"t"}',
    "too deep": b"[" * 100_000,
    "too deep to write again": b'{"serverUrl":"http://h/","taskId":"t","arguments":%s}'
    % (b"[" * 300 + b"]" * 300),
    "huge number": b"1" * 100_000,
}


@pytest.mark.parametrize("bad", BAD_LINES)
def test_a_bad_line_costs_no_other(home: Path, bad: str) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("before"))
    receipts = home / "receipts.jsonl"
    receipts.write_bytes(receipts.read_bytes() + BAD_LINES[bad] + b"\n")
    with HandleStore.open(home) as store:
        store.save(draft("behind"))
    (home / "tasks.db").unlink()
    assert ids(home) == {"before", "behind"}
    assert [one.number for one in ReceiptFile(receipts).read().bad] == [2]
    assert [one for one in check(home) if not one.ok and "line 2" in one.text]
    repair(home)
    assert [one.text for one in check(home) if not one.ok] == []
    assert BAD_LINES[bad] in b"".join(p.read_bytes() for p in home.glob("receipts.*damaged*"))
    assert ids(home) == {"before", "behind"}


@pytest.mark.parametrize("torn", [b'{"receipt":1,"event":"sav', bytes(100)])
def test_a_torn_last_line_does_not_swallow_the_next(home: Path, torn: bytes) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("before"))
    receipts = home / "receipts.jsonl"
    receipts.write_bytes(receipts.read_bytes() + torn)
    assert ids(home) == {"before"}
    assert [one for one in check(home) if "torn line" in one.text]
    with HandleStore.open(home) as store:
        store.save(draft("behind"))
    (home / "tasks.db").unlink()
    assert ids(home) == {"before", "behind"}


def test_a_whole_line_glued_to_a_torn_one_is_found(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("a"))
    receipts = home / "receipts.jsonl"
    whole = receipts.read_bytes()
    receipts.write_bytes(whole[:40] + bytes(16) + whole)
    assert [one.draft.task_id for one in ReceiptFile(receipts).read().receipts] == ["a"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(bytes(path.stat().st_size)),
        lambda path: path.write_bytes(path.read_bytes()[:200]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x" * 500),
    ],
)
def test_lost_receipts_are_written_again_from_the_database(
    home: Path, keys: dict[str, str], damage: Callable[[Path], object]
) -> None:
    with HandleStore.open(home) as store:
        store.edit(keys["t0"], label="mine", note=None, tags=[])
        archived = store.archive(keys["t0"], 7.0)
    damage(home / "receipts.jsonl")
    with HandleStore.open(home) as store:
        assert len(store.load()) == COUNT
        assert any("receipts.jsonl was damaged" in notice for notice in store.notices)
    for path in home.glob("tasks.db*"):
        path.unlink()
    with HandleStore.open(home) as store:
        assert {saved.handle.task_id: saved.handle.key for saved in store.load()} == keys
        assert store.resolve(keys["t0"]) == archived


def test_both_files_damaged_at_once(home: Path, keys: dict[str, str]) -> None:
    (home / "receipts.jsonl").write_bytes(b"")
    _holes(home / "tasks.db")
    found = ids(home)
    assert found <= set(keys)
    assert len(found) > COUNT // 10


def test_repair_mends_what_only_a_full_look_finds(home: Path, keys: dict[str, str]) -> None:
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'results'")
    raw.close()
    assert [one.what for one in check(home) if not one.ok] == ["database"]
    done = repair(home)
    assert any("moved to tasks.db.damaged-" in line for line in done)
    assert [one.text for one in check(home) if not one.ok] == []
    assert ids(home) == set(keys)
    assert repair(home) == []


def test_check_changes_nothing_and_explains(
    home: Path, filled: tuple[Path, dict[str, str]]
) -> None:
    assert [one.ok for one in check(home)] == [True]
    assert not home.exists()
    shutil.copytree(filled[0], home)
    (home / "receipts.jsonl").chmod(0o644)
    files = [home / "receipts.jsonl", home / "tasks.db"]
    before = [path.read_bytes() for path in files]
    texts = [one.text for one in check(home) if not one.ok]
    assert len(texts) == 1
    assert "chmod 600" in texts[0]
    assert [path.read_bytes() for path in files] == before
    repair(home)
    assert mode(home / "receipts.jsonl") == 0o600


# --- other versions ----------------------------------------------------------------------


def test_a_newer_layout_is_read_and_saving_still_works(home: Path, keys: dict[str, str]) -> None:
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("ALTER TABLE snapshots RENAME TO observations")
        raw.execute("ALTER TABLE handles ADD COLUMN colour TEXT")
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with HandleStore.open(home) as store:
        assert any("newer version" in notice for notice in store.notices)
        assert "newer version" in (store.why_read_only() or "")
        assert len(store.load()) == COUNT
        saved = store.save(draft("new", tool="build"))
        assert saved.handle.tool == "build"
        assert store.resolve("new") == saved.handle
        assert store.load_one(saved.handle.key) == saved
        assert store.save(draft("t5", note="more")).handle.note == "more"
        assert len(store.load()) == COUNT + 1
    assert [one.text for one in check(home) if not one.ok] == [
        "not in the database yet: 1 task; the next save brings it in"
    ]
    assert not any("moved" in line for line in repair(home))
    with sqlite3.connect(home / "tasks.db") as raw:
        assert raw.execute("SELECT count(*) FROM handles").fetchone() == (COUNT,)
        raw.execute("PRAGMA user_version = 1")
        raw.execute("ALTER TABLE observations RENAME TO snapshots")
    raw.close()
    with HandleStore.open(home) as store:
        assert store.resolve("new") == saved.handle
        assert store.resolve(keys["t5"]).note == "more"


def test_columns_of_a_newer_version_survive_our_writes(home: Path) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft()).handle.key
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("ALTER TABLE handles ADD COLUMN colour TEXT")
        raw.execute("UPDATE handles SET colour = 'green'")
    raw.close()
    with HandleStore.open(home) as store:
        store.save(draft(label="more"))
        store.edit(key, label="mine", note=None, tags=[])
        store.save(HandleDraft(URL, "another"))
    raw = sqlite3.connect(home / "tasks.db")
    assert raw.execute("SELECT colour FROM handles ORDER BY id").fetchall() == [("green",), (None,)]
    raw.close()


def test_columns_that_an_older_version_did_not_make_are_added(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft(label="kept"))
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("ALTER TABLE handles DROP COLUMN edited_at")
        raw.execute("ALTER TABLE handles DROP COLUMN extra")
    raw.close()
    with HandleStore.open(home) as store:
        handle = store.save(draft(extra={"x": 1})).handle
        assert (handle.label, handle.extra) == ("kept", {"x": 1})


def test_fields_of_a_newer_snapshot_survive_a_rewrite(home: Path) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft()).handle.key
        store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
    body = {"status": "working", "ttl_ms": "soon", "mood": [1], "read": {"at": 1.0, "proxy": "p"}}
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("UPDATE snapshots SET body = ?", (json.dumps(body),))
    raw.close()
    with HandleStore.open(home) as store:
        saved = store.load()[0]
        assert (saved.snapshot.status, saved.snapshot.ttl_ms) == ("working", None)
        assert saved.snapshot.read.at == 1.0
        store.commit([SnapshotWrite(key, 1, Snapshot(status="completed"))])
    raw = sqlite3.connect(home / "tasks.db")
    stored = json.loads(raw.execute("SELECT body FROM snapshots").fetchone()[0])
    raw.close()
    assert stored == {"status": "completed", "mood": [1], "read": {"proxy": "p"}}


@pytest.mark.parametrize("body", ["", "{", "[]", "nul", '{"status": 5, "read": [], "notes": {}}'])
def test_an_unreadable_snapshot_is_an_empty_one(home: Path, body: str) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft()).handle.key
    with sqlite3.connect(home / "tasks.db") as raw:
        raw.execute("INSERT INTO snapshots VALUES (1, 0, ?)", (body,))
        raw.execute("INSERT INTO journal VALUES (1, 99, 1.0, 'teleported', NULL, '{')")
    raw.close()
    with HandleStore.open(home) as store:
        assert store.load()[0].snapshot == Snapshot()
        assert [entry.event for entry in store.journal(key)] == [Event.SAVED]
        assert store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))]) == [1]

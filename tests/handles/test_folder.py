"""Full disks, read-only folders, locks, and who may read what is written."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import schema
from mcp_tasks_tui.handles.api import save_handle
from mcp_tasks_tui.handles.check import check
from mcp_tasks_tui.handles.errors import (
    DiskFull,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreReadOnly,
    StoreUnusable,
)
from mcp_tasks_tui.handles.interchange import parse, unsaved_text
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.patience import Patience
from mcp_tasks_tui.handles.receipts import Receipt, ReceiptFile
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, everything_written, ids, make_read_only, mode


@pytest.fixture
def open_umask() -> Any:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_folder_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    home = tmp_path / "not" / "there" / "yet"
    with HandleStore.open(home) as store:
        store.save(draft())
        assert {path.name for path in home.iterdir()} == {
            *("receipts.jsonl", "tasks.db", "tasks.db-wal", "tasks.db-shm"),
        }
        assert {mode(path) for path in home.iterdir()} == {0o600}
    assert {mode(path) for path in (home, home.parent, home.parent.parent)} == {0o700}
    (home / "tasks.db").write_bytes(b"x" * 5000)
    with HandleStore.open(home) as store:
        store.load()
        assert {mode(path) for path in home.iterdir()} == {0o600}
        assert store.notices[0].startswith("the database was damaged")


def test_a_umask_that_takes_everything_takes_nothing_from_us(home: Path) -> None:
    before = os.umask(0o777)
    try:
        with HandleStore.open(home) as store:
            store.save(draft())
    finally:
        os.umask(before)
    assert {mode(path) for path in home.iterdir()} == {0o600}
    assert mode(home) == 0o700


def test_what_was_opened_up_is_tightened_with_a_notice(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft())
    home.chmod(0o755)
    for path in home.iterdir():
        path.chmod(0o644)
    with HandleStore.open(home) as store:
        said = "\n".join(store.notices)
        assert all(name in said for name in (str(home), "receipts.jsonl", "tasks.db"))
        assert {mode(path) for path in home.iterdir()} == {0o600}
    with HandleStore.open(home) as store:
        assert store.notices == []


def test_what_an_answer_says_is_never_written(home: Path) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft()).handle.key
        record = AnswerRecord("k", "h", AnswerState.INTENDED, "accept", 1.0)
        store.claim_answer(key, record, again=False)
        assert b"accept" in everything_written(home)
    kept = {field.name for field in fields(AnswerRecord)}
    assert kept == {"request_key", "request_hash", "state", "action", "at"}


# --- a full disk -------------------------------------------------------------------------

_UNTIL_FULL = """
import resource, sys
from pathlib import Path
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.interchange import unsaved_text
from tests.handles.util import draft
from mcp_tasks_tui.handles.store import HandleStore
store = HandleStore.open(Path(sys.argv[1]))
store.save(draft("first"))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
for number in range(3000):
    try:
        print("saved", store.save(draft(f"t{number}", note="n" * 1500)).handle.task_id)
    except StoreError as error:
        print(type(error).__name__, error)
        print(unsaved_text(error))
        break
"""


@pytest.mark.parametrize("limit", [20_000, 60_001, 150_000])
def test_a_full_disk_harms_nothing_and_gives_the_handle_back(home: Path, limit: int) -> None:
    command = [sys.executable, "-c", _UNTIL_FULL, str(home), str(limit)]
    output = subprocess.check_output(command, text=True, cwd=Path(__file__).parents[2])
    *saved, failure, unsaved = output.splitlines()
    assert failure.startswith("DiskFull not saved: ")
    (lost,) = parse(unsaved).drafts
    assert lost == draft(f"t{len(saved)}", note="n" * 1500)
    with HandleStore.open(home) as store:
        assert ids(home) == {"first", *(line.split()[1] for line in saved)}
        store.save(lost)
    (home / "tasks.db").unlink()
    assert len(ids(home)) == len(saved) + 2


@pytest.fixture
def no_large_files() -> Iterator[Callable[[int], None]]:
    """A limit that the system puts on the size of files, as a full disk stops them."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("limit", [10_000, 50_000])
def test_a_check_says_that_the_disk_takes_no_more(
    home: Path, no_large_files: Callable[[int], None], limit: int
) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("first"))
    receipts = ReceiptFile(home / "receipts.jsonl")
    receipts.append([Receipt("saved", 1.0, draft("second"), "k2")])
    no_large_files(limit)
    wrong = {one.what: one.text for one in check(home) if not one.ok}
    assert "free some room" in wrong["disk"]
    assert "--repair" not in wrong["database"]
    assert "room" in wrong["database"]
    assert {path.name for path in home.iterdir()} >= {"tasks.db", "receipts.jsonl"}
    assert not list(home.glob("tmp*"))


def test_a_check_of_a_locked_database_says_so_and_not_that_it_is_damaged(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_tasks_tui.handles.check._WAITED", 0.01)
    with HandleStore.open(home) as store:
        store.save(draft("first"))
    ReceiptFile(home / "receipts.jsonl").append([Receipt("saved", 1.0, draft("2"), "k2")])
    blocker = sqlite3.connect(home / "tasks.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    (behind,) = [one.text for one in check(home) if not one.ok]
    assert "not in the database yet: 1 task; it cannot be written: another program" in behind
    blocker.execute("ROLLBACK")
    blocker.execute("PRAGMA locking_mode = EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    (locked,) = [one.text for one in check(home) if not one.ok]
    blocker.close()
    assert "another program has kept" in locked
    assert "--repair" not in locked


def test_a_check_says_that_the_database_can_only_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("first"))
    assert all(one.ok for one in check(home))
    access = os.access  # permissions do not stop the superuser
    database = home / "tasks.db"
    monkeypatch.setattr(
        os,
        "access",
        lambda path, mode: access(path, mode) and not (mode & os.W_OK and path == database),
    )
    (wrong,) = [one for one in check(home) if not one.ok]
    assert (wrong.what, "can only be read: chmod 600 it" in wrong.text) == ("database", True)


def test_when_only_the_database_is_full_the_receipt_counts(home: Path) -> None:
    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = sqlite3.connect(*args, **options)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {max(pages, 1)}")
        return connection

    with HandleStore.open(home) as store:
        key = store.save(draft("first")).handle.key
    with HandleStore.open(home, connect=connect) as store:
        saved = store.save(draft("big", note="n" * 50_000))
        assert saved.handle.note == "n" * 50_000
        assert any("kept in receipts.jsonl" in notice for notice in store.notices)
        assert {one.handle.task_id for one in store.load()} == {"first", "big"}
        assert store.resolve("big") == saved.handle
        assert store.load_one(saved.handle.key) == saved
        large = SnapshotWrite(key, 0, Snapshot(status="s" * 50_000))
        with pytest.raises(DiskFull):
            store.commit([large])
    with HandleStore.open(home) as store:
        assert store.resolve("big") == saved.handle
        assert store.commit([large]) == [1]


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, StoreReadOnly),
        (errno.EIO, StoreUnusable),
    ],
)
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_failing_receipt_is_a_failing_save(
    home: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[StoreError], call: str
) -> None:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with HandleStore.open(home) as store:
        store.save(draft("before"))
        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            with pytest.raises(kind) as caught:
                store.save(draft("lost", tool="build"))
        assert parse(unsaved_text(caught.value)).drafts == (draft("lost", tool="build"),)
        store.save(draft("after"))
    found = ids(home)
    assert {"before", "after"} <= found <= {"before", "after", "lost"}


def test_lost_receipts_on_a_full_disk_do_not_hide_what_is_saved(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with HandleStore.open(home) as store:
        store.save(draft("kept"))
    (home / "receipts.jsonl").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fail)
        with HandleStore.open(home) as store:
            assert [saved.handle.task_id for saved in store.load()] == ["kept"]
            assert any("cannot be written again now" in notice for notice in store.notices)
    with HandleStore.open(home) as store:
        assert any("lines written again: 1" in notice for notice in store.notices)


def test_a_short_write_is_carried_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:7])))
    with HandleStore.open(home) as store:
        store.save(draft("a", label="b"))
    (home / "tasks.db").unlink()
    with HandleStore.open(home) as store:
        assert store.resolve("a").label == "b"


# --- read-only ---------------------------------------------------------------------------


def test_a_read_only_folder_is_read_with_a_notice(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft("kept")).handle.key
    before = {path.name: path.read_bytes() for path in home.iterdir()}
    make_read_only(monkeypatch)
    with HandleStore.open(home) as store:
        assert any("can only be read" in notice for notice in store.notices)
        assert store.load()[0].handle.task_id == "kept"
        assert store.resolve(key[:3]).key == key
        with pytest.raises(StoreReadOnly):
            store.commit([SnapshotWrite(key, 0, Snapshot())])
        with pytest.raises(StoreReadOnly):
            store.edit(key, label="x", note=None, tags=[])
        with pytest.raises(StoreReadOnly):
            store.begin_call(URL, "t", None, None)
    assert {path.name: path.read_bytes() for path in home.iterdir()} == before


def test_a_read_only_folder_in_use_shows_what_its_log_holds(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as writer:
        writer.save(draft("in the log"))
        with monkeypatch.context() as patch:
            make_read_only(patch)
            with HandleStore.open(home) as store:
                assert [saved.handle.task_id for saved in store.load()] == ["in the log"]


def test_a_whole_database_is_whole_though_its_folder_can_only_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("kept"))
    home.chmod(0o500)
    opened: list[str] = []

    def connect(path: str, *rest: Any, **options: Any) -> sqlite3.Connection:
        opened.append(path)
        return sqlite3.Connection(path, *rest, **options)

    make_read_only(monkeypatch)
    monkeypatch.setattr(sqlite3, "connect", connect)
    found = {(one.what, one.ok): one.text for one in check(home)}
    assert found["database", True].endswith("tasks.db: whole, 1 task")
    assert "can only be read" in found["permissions", False]
    assert all("immutable=1" in path for path in opened), "SQLite cannot lock anything there"
    assert ("database", False) not in found


def test_a_home_that_cannot_be_made_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    for home in (tmp_path / "file", tmp_path / "file" / "deep" / "home"):
        (found,) = check(home)
        assert not found.ok
        assert found.text == f"{home} cannot be made: {tmp_path / 'file'} is no folder"
    monkeypatch.setattr(files, "writable", lambda _: False)
    (found,) = check(tmp_path / "a" / "b")
    assert not found.ok
    assert found.text.endswith(f"cannot be made: {tmp_path} can only be read")


def test_saving_into_a_read_only_folder_gives_the_handle_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("kept"))
    make_read_only(monkeypatch)
    with HandleStore.open(home) as store:
        with pytest.raises(StoreReadOnly, match="make it writable") as caught:
            store.save(draft("new"))
        assert parse(unsaved_text(caught.value)).drafts == (draft("new"),)
        assert len(store.load()) == 1


def test_a_read_only_folder_without_a_database_shows_its_receipts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft("kept")).handle.key
    (home / "tasks.db").unlink()
    make_read_only(monkeypatch)
    with HandleStore.open(home) as store:
        assert [saved.handle.key for saved in store.load()] == [key]
        assert store.resolve("kept").key == key


def test_a_damaged_database_in_a_read_only_folder_stays_where_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HandleStore.open(home) as store:
        store.save(draft())
    (home / "tasks.db").write_bytes(b"x" * 5000)
    monkeypatch.setattr(files, "writable", lambda _: False)
    with HandleStore.open(home) as store, pytest.raises(StoreDamaged, match="read-only"):
        store.load()
    assert (home / "tasks.db").read_bytes() == b"x" * 5000


def test_a_home_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="MCP_TASKS_TUI_HOME"):
        HandleStore.open(tmp_path / "file" / "home")


# --- locks and network homes -------------------------------------------------------------


def test_a_locked_database_is_waited_for_so_long_and_receipts_go_on(home: Path) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft("first")).handle.key
    blocker = sqlite3.connect(home / "tasks.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with HandleStore.open(home, busy_seconds=0.05) as store:
        with pytest.raises(StoreLocked, match=r"locked for 0\.\d+ s"):
            store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
        saved = store.save(draft("second", tool="build"))
        assert any("kept in receipts.jsonl" in notice for notice in store.take_notices())
        assert store.notices == []
        blocker.execute("ROLLBACK")
        assert store.resolve("second") == saved.handle
        assert store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))]) == [1]
    blocker.close()
    assert ids(home) == {"first", "second"}


def test_a_database_locked_as_a_whole_does_not_stop_a_save(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("first"))
    blocker = sqlite3.connect(home / "tasks.db", isolation_level=None)
    blocker.execute("PRAGMA locking_mode = EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    with HandleStore.open(home, busy_seconds=0.05) as store:
        with pytest.raises(StoreLocked):
            store.load()
        saved = store.save(draft("second"))
        again = store.save(draft("second", label="more"))
        assert again.handle.key == saved.handle.key
        blocker.close()
        assert {one.handle.task_id for one in store.load()} == {"first", "second"}
        assert store.resolve(saved.handle.key).label == "more"


def test_a_locked_database_is_waited_for_once_and_for_as_long_as_it_says(home: Path) -> None:
    """However many statements, and stores one after the other, a command needs."""
    with HandleStore.open(home) as store:
        key = store.save(draft("first")).handle.key
    blocker = sqlite3.connect(home / "tasks.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    patient = 1.0
    began = time.monotonic()
    with HandleStore.open(home, busy_seconds=patient) as store:
        store.save(draft("second"))
    with HandleStore.open(home, busy_seconds=patient) as store:
        store.load()
        for _ in range(60):  # each on its own would take a minute
            with pytest.raises(StoreLocked, match=r"locked for \d+ s"):
                store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
    assert time.monotonic() - began < 30 * patient
    blocker.close()
    assert ids(home) == {"first", "second"}


def test_patience_is_whole_again_once_the_file_was_free_or_after_a_while() -> None:
    now = [100.0]
    patience = Patience(lambda: now[0])
    assert patience.seconds(5.0) == 5.0
    now[0] = 105.0
    assert patience.in_vain(100.0) == 5.0
    assert patience.seconds(5.0) < 0.5
    assert patience.seconds(0.05) == 0.05
    now[0] = 106.0
    assert patience.in_vain(105.9) == 6.0
    patience.over()
    assert patience.seconds(5.0) == 5.0
    patience.in_vain(106.0)
    now[0] = 200.0
    assert patience.seconds(5.0) == 5.0


class _Interleaved(sqlite3.Connection):
    """Another process makes the tables just before the statement with this number."""

    statements = 0
    before = 0

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        self.statements += 1
        if self.statements == self.before:
            path = Path(super().execute("PRAGMA database_list").fetchone()[2])
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            schema.create(other)
            other.execute("COMMIT")
            other.close()
        return super().execute(sql, *rest)


@pytest.mark.parametrize("before", range(1, 7))
def test_two_processes_that_start_at_once_make_one_database(
    home: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return sqlite3.connect(*args, factory=_Interleaved, **options)

    monkeypatch.setattr(_Interleaved, "before", before)
    with HandleStore.open(home, connect=connect) as store:
        store.save(draft())
        assert store.notices == []
    assert ids(home) == {"t1"}
    assert list(home.glob("*.damaged-*")) == []


class _NoWal(sqlite3.Connection):
    """As on a network home, where the log's shared memory cannot be had."""

    def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
        if "journal_mode = wal" in sql:
            return super().execute("PRAGMA journal_mode = delete")
        return super().execute(sql, *rest)


def test_where_wal_cannot_be_had_the_older_journal_does(home: Path) -> None:
    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        return sqlite3.connect(*args, factory=_NoWal, **options)

    with HandleStore.open(home, connect=connect) as store:
        assert any("write-ahead log" in notice for notice in store.notices)
        key = store.save(draft()).handle.key
        store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
        assert {path.name for path in home.iterdir()} == {"receipts.jsonl", "tasks.db"}
        assert {mode(path) for path in home.iterdir()} == {0o600}
    with HandleStore.open(home) as store:
        assert store.load()[0].snapshot.status == "working"


@pytest.mark.parametrize("answer", [errno.ENOLCK, errno.EBADF, errno.EAGAIN])
def test_mending_does_not_need_a_lock(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(answer, os.strerror(answer))

    with HandleStore.open(home) as store:
        store.save(draft())
    (home / "tasks.db").write_bytes(b"x" * 5000)
    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr("mcp_tasks_tui.handles.vault._REPAIR_LOCK_SECONDS", 0.05)
    assert ids(home) == {"t1"}


# --- the Python interface ----------------------------------------------------------------


def test_a_program_saves_a_handle_in_one_call(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_TASKS_TUI_HOME", str(home))
    key = save_handle(URL, "t1", tool="build", arguments={"a": 1}, tags=["ci"], saved_by="agent")
    assert key == save_handle(URL, "t1", label="again", home=home)
    with HandleStore.open(home) as store:
        handle = store.resolve(key)
    assert (handle.tool, handle.arguments, handle.label) == ("build", {"a": 1}, "again")
    assert (handle.tags, handle.saved_by) == (("ci",), "agent")


def test_saving_imports_neither_wire_nor_screen_nor_event_loop() -> None:
    code = (
        "import sys; import mcp_tasks_tui.handles.store, mcp_tasks_tui.handles.api; "
        "print({'asyncio', 'pydantic', 'textual', 'httpx', 'aiohttp', 'platformdirs'} "
        "& set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_a_pipe_or_a_device_is_no_place_for_receipts(tmp_path: Path) -> None:
    receipts = tmp_path / "receipts.jsonl"
    os.mkfifo(receipts, 0o644)
    before = mode(receipts)
    with HandleStore.open(tmp_path) as store, pytest.raises(StoreError, match="regular file") as e:
        store.save(draft("t1"))
    assert "t1" in unsaved_text(e.value)
    assert mode(receipts) == before

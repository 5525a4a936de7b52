"""Files that are not ours under our names: by a link, or put there. Nothing is done to them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mcp_tasks_tui.handles.check import check, repair
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import draft, ids, mode

LEADS: dict[str, Callable[[Path, Path], object]] = {
    "a link": lambda name, other: name.symlink_to(other),
    "another name of it": lambda name, other: os.link(other, name),
    "itself": lambda name, other: other.rename(name),
}
CONTENTS = {
    "a settings file": b"[section]\nvalue = 1\n",
    "one line": b"no newline at its end",
    "other JSON lines": b'{"receipt": "of a shop"}\n{"sum": 1}\n',
    "bytes": bytes(range(256)) * 20,
}


@pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS)
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_what_is_no_receipts_file_is_not_written_to(
    home: Path, tmp_path: Path, content: bytes, lead: Callable[[Path, Path], object]
) -> None:
    home.mkdir(mode=0o700)
    receipts, other = home / "receipts.jsonl", tmp_path / "other"
    other.write_bytes(content)
    other.chmod(0o644)
    lead(receipts, other)
    with HandleStore.open(home) as store:
        assert any("holds something else; move it away" in one for one in store.notices)
        with pytest.raises(StoreError, match="holds something else") as caught:
            store.save(draft("t1"))
        assert caught.value.unsaved == (draft("t1"),)
        assert store.load() == []
    wrong = [one.text for one in check(home) if not one.ok]
    assert len(wrong) == 1
    assert "`doctor --repair`" in wrong[0]
    assert (receipts.read_bytes(), mode(receipts)) == (content, 0o644)
    done = repair(home)
    assert [line.partition(":")[0] for line in done] == ["receipts.jsonl held something else"]
    kept = other if other.exists() else next(home.glob("receipts.jsonl.damaged-*"))
    assert kept.read_bytes() == content
    assert not other.exists() or mode(other) == 0o644
    with HandleStore.open(home) as store:
        store.save(draft("t1"))
    assert ids(home) == {"t1"}
    assert [one.text for one in check(home) if not one.ok] == []


@pytest.mark.parametrize("content", [b"", bytes(100), b"\n\n", b'{"rec', b'{"receipt":1,"event'])
def test_what_a_power_cut_leaves_is_ours_still(home: Path, content: bytes) -> None:
    home.mkdir(mode=0o700)
    (home / "receipts.jsonl").write_bytes(content)
    with HandleStore.open(home) as store:
        store.save(draft("t1"))
    (home / "tasks.db").unlink()
    assert ids(home) == {"t1"}
    assert mode(home / "receipts.jsonl") == 0o600


def test_our_own_receipts_may_be_somewhere_else(home: Path, tmp_path: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("t1"))
    elsewhere = tmp_path / "synced.jsonl"
    (home / "receipts.jsonl").rename(elsewhere)
    elsewhere.write_bytes(b"a line that a person wrote\n" + elsewhere.read_bytes())
    (home / "receipts.jsonl").symlink_to(elsewhere)
    with HandleStore.open(home) as store:
        store.save(draft("t2"))
    assert (home / "receipts.jsonl").is_symlink()
    (home / "tasks.db").unlink()
    assert ids(home) == {"t1", "t2"}


def _database_of_others(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE recipes (name TEXT)")
        raw.commit()


@pytest.mark.parametrize("lead", ["a link", "another name of it"])
@pytest.mark.parametrize(
    "make", [_database_of_others, lambda path: path.write_text("some text\n" * 200)]
)
def test_what_is_no_database_of_ours_stays_as_it_is(
    home: Path, tmp_path: Path, make: Callable[[Path], object], lead: str
) -> None:
    home.mkdir(mode=0o700)
    other = tmp_path / "other"
    make(other)
    other.chmod(0o644)
    content = other.read_bytes()
    LEADS[lead](home / "tasks.db", other)
    with HandleStore.open(home) as store:
        store.save(draft("t1"))
        assert any("moved to tasks.db.damaged-" in one for one in store.notices)
    repair(home)
    assert (other.read_bytes(), mode(other)) == (content, 0o644)
    assert ids(home) == {"t1"}
    assert [one.text for one in check(home) if not one.ok] == []

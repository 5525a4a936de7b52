"""A call whose handle is safe is not told of as lost, whenever its process was killed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from mcp_tasks_tui.handles import interchange
from mcp_tasks_tui.handles.check import repair
from mcp_tasks_tui.handles.receipts import SAVED, Receipt, ReceiptFile
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, ids, make_read_only


def _called(home: Path, *tools: str) -> list[int]:
    """Begin calls in a process that has ended since; return their numbers."""
    with HandleStore.open(home) as store:
        calls = [store.begin_call(URL, tool, None, None) for tool in tools]
    _sql(home, "UPDATE intents SET process = 'ended'")
    return calls


def _sql(home: Path, sql: str) -> list[tuple[object, ...]]:
    raw = sqlite3.connect(home / "tasks.db", isolation_level=None)
    try:
        return raw.execute(sql).fetchall()
    finally:
        raw.close()


def _kept_only_as_receipt(home: Path, call: int, task_id: str = "t1") -> None:
    """What a process leaves that is killed between the receipt and the database."""
    receipt = Receipt(SAVED, 5.0, draft(task_id, tool="build"), call=call)
    ReceiptFile(home / "receipts.jsonl").append([receipt])


def _lost(home: Path) -> list[str]:
    with HandleStore.open(home) as store:
        return [intent.tool for intent in store.open_intents()]


def test_a_call_that_its_own_process_gave_up_is_lost_at_once(home: Path) -> None:
    with HandleStore.open(home) as store:
        call = store.begin_call(URL, "build", None, None)
        assert store.open_intents() == []
        store.lose_call(call)
        assert [intent.tool for intent in store.open_intents()] == ["build"]
        store.save(draft("t1"), intent_id=call)  # the answer came after all
        assert store.open_intents() == []


def test_a_handle_that_came_to_its_receipt_only_is_no_lost_call(home: Path) -> None:
    first, _ = _called(home, "build", "deploy")
    assert _lost(home) == ["build", "deploy"]
    _kept_only_as_receipt(home, first)
    assert _lost(home) == ["deploy"]
    assert _sql(home, "SELECT tool FROM intents") == [("deploy",)]
    assert ids(home) == {"t1"}


def test_nor_is_it_where_the_folder_can_only_be_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = _called(home, "build", "deploy")
    _kept_only_as_receipt(home, first)
    make_read_only(monkeypatch)
    with HandleStore.open(home) as store:
        assert [intent.tool for intent in store.open_intents()] == ["deploy"]
        assert [saved.handle.task_id for saved in store.load()] == ["t1"]
    assert _sql(home, "SELECT count(*) FROM intents") == [(2,)]


def test_nor_while_another_process_writes(home: Path) -> None:
    first, _ = _called(home, "build", "deploy")
    _kept_only_as_receipt(home, first)
    other = sqlite3.connect(home / "tasks.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with HandleStore.open(home, busy_seconds=0.01) as store:
        assert [intent.tool for intent in store.open_intents()] == ["deploy"]
    other.close()


@pytest.mark.parametrize("nuls", [range(100), range(100, 4096)], ids=["header", "schema"])
def test_nor_is_it_after_the_database_was_damaged(home: Path, nuls: range) -> None:
    first, _ = _called(home, "build", "deploy")
    _kept_only_as_receipt(home, first)
    data = bytearray((home / "tasks.db").read_bytes())
    data[nuls.start : nuls.stop] = bytes(len(nuls))
    (home / "tasks.db").write_bytes(data)
    assert _lost(home) == ["deploy"]
    assert list(home.glob("tasks.db.damaged-*"))
    assert ids(home) == {"t1"}


def test_nor_after_the_receipts_were_damaged(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("before", label="a long label, so that the file is shorter afterwards"))
    first, _ = _called(home, "build", "deploy")
    (home / "receipts.jsonl").write_bytes(b"")
    _kept_only_as_receipt(home, first)
    assert _lost(home) == ["deploy"]
    assert ids(home) == {"before", "t1"}


def test_a_task_that_was_known_before_answers_its_call_in_a_receipt_too(home: Path) -> None:
    with HandleStore.open(home) as store:
        store.save(draft("t1", tool="build"))
    (first,) = _called(home, "build")
    with HandleStore.open(home) as store:
        store.save(draft("t1", tool="build"), intent_id=first)
    lines = (home / "receipts.jsonl").read_text().splitlines()
    assert [json.loads(line).get("call") for line in lines] == [None, first]
    assert _lost(home) == []


def test_receipts_of_another_folder_answer_no_call_of_this_one(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    for home in (mine, theirs):
        first, *_ = _called(home, "build", "deploy")
        _kept_only_as_receipt(home, first, f"of {home.name}")
        assert _lost(home) == ["deploy"]
    _called(mine, "again")
    with (mine / "receipts.jsonl").open("ab") as file:
        file.write((theirs / "receipts.jsonl").read_bytes())
    assert _lost(mine) == ["deploy", "again"]
    shutil.copy(theirs / "receipts.jsonl", mine / "receipts.jsonl")
    assert _lost(mine) == ["deploy", "again"]
    assert ids(mine) == {"of mine", "of theirs"}


@pytest.mark.parametrize("call", [None, "1", True, 1.0, -1, 0, 1 << 70, [1], {}])
def test_a_receipt_that_names_no_call_loads(home: Path, call: object) -> None:
    _called(home, "build")
    line = {"receipt": 1, "event": "saved", "at": 5.0, "serverUrl": URL, "taskId": "t1"}
    named = {} if call is None else {"call": call}
    with (home / "receipts.jsonl").open("a") as file:
        file.write(json.dumps({**line, **named}) + "\n")
    assert ids(home) == {"t1"}
    assert _lost(home) == ["build"]


def test_the_call_stays_in_receipts_that_are_written_anew_and_is_not_imported(home: Path) -> None:
    (first,) = _called(home, "build")
    receipts = home / "receipts.jsonl"
    _kept_only_as_receipt(home, first)
    with receipts.open("ab") as file:
        file.write(b"torn\n")
    repair(home)
    assert [receipt.call for receipt in ReceiptFile(receipts).read().receipts] == [first]
    (imported,) = interchange.parse(receipts.read_text()).drafts
    assert imported.extra == {}

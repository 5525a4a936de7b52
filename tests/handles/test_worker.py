"""The store on its own thread: in order, once, never on the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from mcp_tasks_tui import patient_json
from mcp_tasks_tui.handles import json_values
from mcp_tasks_tui.handles import store as store_module
from mcp_tasks_tui.handles.errors import NoSuchHandle, StoreClosed, StoreError
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    HandleDraft,
    JournalEntry,
    Saved,
    Snapshot,
    SnapshotWrite,
    Texts,
)
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.supervise.ports import Store
from tests.handles.util import URL, draft, ids


async def test_it_is_the_store_that_the_engine_asks_for(home: Path) -> None:
    async with StoreWorker(home) as worker:
        store: Store = worker
        intent = await store.begin_call(URL, "build", {"a": 1}, None)
        saved = await store.save(draft(tool="build"), intent_id=intent)
        key = saved.handle.key
        await store.end_call(await store.begin_call(URL, "build", {}, None))
        assert await store.open_intents() == []
        entry = JournalEntry(1.0, Event.STATUS)
        write = SnapshotWrite(key, 0, Snapshot(status="completed"), (entry,), {"r": 1}, True)
        assert await store.commit([write, write]) == [1, None]
        record = AnswerRecord("k", "h", AnswerState.INTENDED, "accept", 1.0)
        assert await store.claim_answer(key, record, again=False)
        await store.withdraw_answer(key, "k", None)
        assert await store.claim_answer(key, record, again=False)
        await store.set_answer(key, "k", AnswerState.SENT)
        await store.edit_all({key: Texts("l", "n", ("t",))})
        await store.archive_all([key], 5.0)
        assert await store.result(key) == {"r": 1}
        assert len(await store.journal(key)) == 4
        assert await store.load() == [await store.load_one(key)]
        assert await worker.resolve("t1") == (await store.load())[0].handle
        assert isinstance(await store.data_version(), int)
        assert await worker.take_notices() == []
        assert await worker.why_read_only() is None
        assert len(await worker.save_all([draft("a"), draft("b")])) == 2


async def test_a_large_result_is_read_beside_the_store_and_to_the_same_value(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "QUICK", 100)
    monkeypatch.setattr(patient_json, "QUICK", 100)
    large = {"odd": "\ud83d x", "rows": [{"n": n, "f": n / 4, "no": None} for n in range(50)]}
    inside = threading.enumerate()
    async with StoreWorker(home) as store:
        (key,) = [one.handle.key for one in await store.save_all([draft("t1")])]
        ended = Snapshot(status="completed", has_result=True)
        await store.commit([SnapshotWrite(key, 0, ended, (), large, True)])
        with HandleStore.open(home) as direct:
            assert direct.large_result(key) is not None
            assert direct.result(key) == large
        reading: list[str] = []
        patiently = json_values.read_patiently

        def read(text: str) -> object:
            reading.append(threading.current_thread().name)
            return patiently(text)

        monkeypatch.setattr(json_values, "read_patiently", read)
        assert await store.result(key) == large
        assert [name for name in reading if name in ("store", "MainThread")] == []
        assert len(reading) == 1
    assert len(threading.enumerate()) <= len(inside) + 1


def test_closing_waits_for_no_large_result_that_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "QUICK", 100)
    begun, let_go, ended = threading.Event(), threading.Event(), threading.Event()

    def read(_: str) -> object:
        begun.set()
        let_go.wait(10)
        ended.set()
        return None

    monkeypatch.setattr(json_values, "read_patiently", read)

    async def program() -> None:
        async with StoreWorker(home) as store:
            key = (await store.save(draft("t1"))).handle.key
            done = Snapshot(status="completed", has_result=True)
            await store.commit([SnapshotWrite(key, 0, done, (), "x" * 500, True)])
            reading = asyncio.create_task(store.result(key))
            await asyncio.to_thread(begun.wait, 10)
            reading.cancel()

    asyncio.run(program())
    assert not ended.is_set()
    let_go.set()
    assert ended.wait(10)


async def test_a_large_result_that_is_damaged_is_lost_as_a_small_one_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "QUICK", 100)
    async with StoreWorker(home) as store:
        (key,) = [one.handle.key for one in await store.save_all([draft("t1")])]
        ended = Snapshot(status="completed", has_result=True)
        await store.commit([SnapshotWrite(key, 0, ended, (), {"of": "x" * 500}, True)])
        with closing(sqlite3.connect(home / "tasks.db")) as other, other:
            other.execute("UPDATE results SET body = substr(body, 1, 300)")
        assert await store.result(key) is None
        (saved,) = await store.load()
        assert (saved.snapshot.has_result, saved.snapshot.result_lost) == (False, True)


async def test_an_error_comes_to_the_one_who_asked(home: Path) -> None:
    async with StoreWorker(home) as store:
        with pytest.raises(NoSuchHandle):
            await store.set_answer("none", "q", AnswerState.SENT)
        with pytest.raises(ValueError, match="task id"):
            await store.save(HandleDraft(URL, ""))
        await store.save(draft())
    assert ids(home) == {"t1"}


async def test_a_folder_that_cannot_be_opened_is_told_by_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = StoreWorker(tmp_path / "file" / "home")
    with pytest.raises(StoreError):
        await store.open()
    with pytest.raises(StoreClosed):
        await store.load()
    await store.close()


class _Slow(HandleStore):
    """A store whose saves wait until the test lets them go."""

    gate = threading.Event()

    def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
        self.gate.wait(10)
        return super().save(draft, intent_id=intent_id)


async def test_a_slow_disk_does_not_stop_the_loop_and_a_cancelled_save_still_happens(
    home: Path,
) -> None:
    _Slow.gate.clear()
    before = threading.active_count()
    async with StoreWorker(home, open_store=_Slow.open) as store:
        first = asyncio.create_task(store.save(draft("first")))
        second = asyncio.create_task(store.save(draft("second")))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not first.done()
        first.cancel()
        _Slow.gate.set()
        assert (await second).handle.task_id == "second"
    assert first.cancelled()
    assert threading.active_count() == before
    assert ids(home) == {"first", "second"}


async def test_closing_does_what_was_asked_for_before(home: Path) -> None:
    store = StoreWorker(home)
    await store.open()
    asked = [asyncio.create_task(store.save(draft(f"t{n}"))) for n in range(50)]
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    assert all(task.done() and not task.cancelled() for task in asked)
    assert len(ids(home)) == 50
    with pytest.raises(StoreClosed):
        await store.load()

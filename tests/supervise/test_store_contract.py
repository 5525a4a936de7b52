"""The store of the simulated world behaves as the one on disk does: what the engine relies on."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from mcp_tasks_tui.handles import process
from mcp_tasks_tui.handles.errors import NoSuchHandle
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    HandleDraft,
    JournalEntry,
    Snapshot,
    SnapshotWrite,
    Texts,
)
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.handles.worker import StoreWorker
from mcp_tasks_tui.supervise.ports import Store
from tests.supervise.sim import EPOCH, Disk, MemoryStore, SimClock

URL = "http://one.test/mcp"
#: Opens the store as one more process, which ends with the block.
Process = Callable[[], AbstractAsyncContextManager[Store]]


def _in_memory() -> Process:
    disk, clock = Disk(), SimClock()

    @asynccontextmanager
    async def one() -> AsyncIterator[Store]:
        store = MemoryStore(disk, clock)
        yield store
        store.end()

    return one


def _on_disk(home: Path, patch: pytest.MonkeyPatch) -> Process:
    """Each store's thread stands for a process."""
    names: dict[threading.Thread, str] = {}
    alive: set[str] = set()
    patch.setattr(process, "process_token", lambda: names[threading.current_thread()])
    patch.setattr(process, "is_alive", alive.__contains__)

    def opened(folder: Path) -> HandleStore:
        name = names[threading.current_thread()] = f"process {len(names)}"
        alive.add(name)
        return HandleStore.open(folder, clock=lambda: EPOCH)

    @asynccontextmanager
    async def one() -> AsyncIterator[Store]:
        async with StoreWorker(home, open_store=opened) as store:
            name = f"process {len(names) - 1}"
            yield store
        alive.discard(name)

    return one


@pytest.fixture(params=["memory", "disk"])
def running(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Process:
    if request.param == "memory":
        return _in_memory()
    return _on_disk(tmp_path / "home", monkeypatch)


def _draft(task_id: str = "t1", **fields: object) -> HandleDraft:
    return HandleDraft(**{"server_url": URL, "task_id": task_id, **fields})  # type: ignore[arg-type]


def _write(key: str, base: int, status: str, **fields: object) -> SnapshotWrite:
    lines = (JournalEntry(EPOCH, Event.STATUS),)
    return SnapshotWrite(key, base, Snapshot(status=status), lines, **fields)  # type: ignore[arg-type]


async def _events(store: Store, key: str) -> list[Event]:
    return [line.event for line in await store.journal(key)]


async def test_open_intents_are_those_that_no_living_process_waits_for(running: Process) -> None:
    async def told(*stores: Store) -> list[list[str]]:
        return [[one.tool for one in await store.open_intents()] for store in stores]

    async with running() as here:
        async with running() as there:
            lost = await there.begin_call(URL, "lost", {"n": 1}, "label")
            ended = await there.begin_call(URL, "ended", None, None)
            kept = await there.begin_call(URL, "kept", None, None)
            assert await told(here, there) == [[], []], "all of them are waited for"

            await there.lose_call(lost)
            assert await told(here, there) == [["lost"], ["lost"]]
            (intent,) = await here.open_intents()
            assert (intent.intent_id, intent.server_url, intent.arguments) == (lost, URL, {"n": 1})
            assert (intent.label, intent.at) == ("label", EPOCH)

            await there.begin_call(URL, "left", None, None)
            await there.end_call(ended)
            await there.save(_draft(), intent_id=kept)
            await there.lose_call(kept)  # of a call that has its handle nothing is lost
            assert await told(here, there) == [["lost"], ["lost"]]
        assert sorted((await told(here))[0]) == ["left", "lost"]
        for one in await here.open_intents():
            await here.end_call(one.intent_id)
        assert await told(here) == [[]]


async def test_a_handle_saved_again_keeps_what_says_more(running: Process) -> None:
    async with running() as store:
        first = await store.save(_draft("a", tool="build", tags=("x",), saved_at=EPOCH - 5))
        await store.save(_draft("b"))
        again = await store.save(_draft("a", arguments={"n": 1}, label="nightly", tags=("w",)))
        assert again.handle.key == first.handle.key
        handle = again.handle
        assert (handle.tool, handle.arguments, handle.label) == ("build", {"n": 1}, "nightly")
        assert (handle.tags, handle.saved_at) == (("w", "x"), EPOCH - 5)
        key = handle.key

        texts = Texts(label="", note="mine", tags=("b", "", "a", "b"))
        edited = (await store.edit_all({key: texts, "zzzz": texts}))[key]
        assert (edited.label, edited.note, edited.tags) == (None, "mine", ("b", "a"))
        later = await store.save(_draft("a", label="from a program"))
        assert later.handle.label is None, "what a person wrote stands"

        other = (await store.load())[1].handle.key
        archived = await store.archive_all(["zzzz", key, other], EPOCH + 1)
        assert {key: handle.archived_at for key, handle in archived.items()} == {
            key: EPOCH + 1,
            other: EPOCH + 1,
        }
        await store.archive_all([key], EPOCH + 2)
        restored = await store.archive_all([other, key], None)
        assert [restored[each].archived_at for each in (key, other)] == [None, None]
        await store.archive_all([key], None)
        told = [Event.SAVED, Event.EDITED, Event.ARCHIVED, Event.RESTORED]
        assert await _events(store, key) == told
        assert [one.handle.task_id for one in await store.load()] == ["a", "b"]
        assert await store.load_one(key) == (await store.load())[0]


async def test_a_snapshot_is_written_only_onto_the_one_it_was_made_from(running: Process) -> None:
    async with running() as store:
        key = (await store.save(_draft())).handle.key
        first, second = _write(key, 0, "working"), _write(key, 1, "completed")
        unknown = _write("zzzz", 0, "working")
        assert await store.commit([first, first, unknown, second]) == [1, None, None, 2]
        assert await _events(store, key) == [Event.SAVED, Event.STATUS, Event.STATUS]
        saved = await store.load_one(key)
        assert saved is not None
        assert (saved.version, saved.snapshot.status) == (2, "completed")


async def test_the_first_result_stays(running: Process) -> None:
    async with running() as store:
        key = (await store.save(_draft())).handle.key
        assert await store.result(key) is None
        await store.commit([_write(key, 0, "completed", result=None, has_result=True)])
        await store.commit([_write(key, 1, "completed", result={"n": 2}, has_result=True)])
        assert await store.result(key) is None, "null is a result"
        other = (await store.save(_draft("t2"))).handle.key
        await store.commit([_write(other, 0, "completed", result={"n": 1}, has_result=True)])
        await store.commit([_write(other, 1, "failed", result={"n": 2}, has_result=True)])
        assert await store.result(other) == {"n": 1}


async def test_one_answer_at_a_time(running: Process) -> None:
    def intended(digest: str = "h") -> AnswerRecord:
        return AnswerRecord("q", digest, AnswerState.INTENDED, "accept", EPOCH)

    async with running() as here:
        key = (await here.save(_draft())).handle.key

        async def stands() -> AnswerState | None:
            saved = await here.load_one(key)
            assert saved is not None
            record = saved.answers.get("q")
            return None if record is None else record.state

        await here.set_answer(key, "q", AnswerState.SENT)
        assert await stands() is None, "what was not claimed does not come about"
        async with running() as there:
            assert await there.claim_answer(key, intended(), again=False)
            assert not await here.claim_answer(key, intended(), again=False)
            assert not await here.claim_answer(key, intended(), again=True), "it may be on its way"
            await here.withdraw_answer(key, "q", None)
            assert await stands() is AnswerState.INTENDED, "it is not ours"
        assert await here.claim_answer(key, intended(), again=True), "nobody sends it any more"
        await here.set_answer(key, "q", AnswerState.SENT)
        await here.withdraw_answer(key, "q", None)
        assert await stands() is AnswerState.SENT, "what was sent is not taken back"
        assert not await here.claim_answer(key, intended(), again=False)
        assert await here.claim_answer(key, intended(), again=True)
        earlier = AnswerRecord("q", "h", AnswerState.SENT, "accept", EPOCH - 1)
        await here.withdraw_answer(key, "q", earlier)
        assert await stands() is AnswerState.SENT
        assert await here.claim_answer(key, intended("another question"), again=False)
        await here.set_answer(key, "q", AnswerState.REFUSED)
        assert await here.claim_answer(key, intended("another question"), again=False)
        await here.withdraw_answer(key, "q", None)
        assert await stands() is None


async def test_each_is_told_what_the_others_changed(running: Process) -> None:
    async with running() as here, running() as there:
        keys = [(await here.save(_draft(name))).handle.key for name in ("a", "b", "c")]
        await here.load()
        await there.load()
        version = await here.data_version()
        await here.commit([_write(keys[0], 0, "working")])
        assert await here.changed_by_others() == []
        assert await here.data_version() == version
        await there.edit_all({keys[1]: Texts(label="x")})
        record = AnswerRecord("q", "h", AnswerState.INTENDED, "accept", EPOCH)
        assert await there.claim_answer(keys[2], record, again=False)
        assert await here.data_version() != version
        changed = await here.changed_by_others()
        assert changed is not None
        assert [(one.handle.task_id, one.handle.label) for one in changed] == [
            ("b", "x"),
            ("c", None),
        ]
        assert await here.changed_by_others() == []


async def test_of_a_task_that_is_not_saved_nothing_is_kept(running: Process) -> None:
    async with running() as store:
        assert await store.load_one("zzzz") is None
        assert await store.journal("zzzz") == []
        assert await store.result("zzzz") is None
        record = AnswerRecord("q", "h", AnswerState.INTENDED, "accept", EPOCH)
        assert await store.edit_all({"zzzz": Texts(label="l")}) == {}
        assert await store.archive_all(["zzzz"], EPOCH) == {}
        for refused in (
            store.claim_answer("zzzz", record, again=False),
            store.set_answer("zzzz", "q", AnswerState.SENT),
            store.withdraw_answer("zzzz", "q", None),
        ):
            with pytest.raises(NoSuchHandle):
                await refused
        assert await store.take_notices() == []

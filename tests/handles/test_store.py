"""What is saved, committed, edited and asked for is there: in this process and the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import count
from pathlib import Path

import pytest

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import keys, tables
from mcp_tasks_tui.handles.errors import AmbiguousKey, NoSuchHandle, StoreClosed
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    HandleDraft,
    JournalEntry,
    ReadState,
    Snapshot,
    SnapshotWrite,
    Texts,
)
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.sanitize import ServerText
from tests.handles.util import URL, draft, ids, write

STRANGE = [
    "plain",
    "-starts-with-a-dash",
    "with \"quotes\" and 'more'",
    "back\\slash \\u0041",
    "nul\0inside",
    "lone \ud800 surrogate",
    "emoji 🧪 and ünïcode",
    "line\nbreak\ttab\x1b[31m",
    "%_*?[",
    "x" * 5000,
]


def test_a_saved_handle_has_all_that_was_said_of_it(home: Path, store: HandleStore) -> None:
    wanted = draft(
        tool="build",
        arguments={"ref": ["main", 1, None]},
        label="nightly",
        note="for the release",
        tags=("b", "a", "b"),
        saved_by="agent",
        extra={"x-note": {"deep": [1]}},
    )
    handle = store.save(wanted).handle
    assert (handle.server_url, handle.task_id, handle.tool) == (URL, "t1", "build")
    assert handle.arguments == {"ref": ["main", 1, None]}
    assert (handle.label, handle.note, handle.tags) == ("nightly", "for the release", ("a", "b"))
    assert (handle.saved_by, handle.extra) == ("agent", {"x-note": {"deep": [1]}})
    with HandleStore.open(home) as other:
        assert [saved.handle for saved in other.load()] == [handle]


@pytest.mark.parametrize("text", STRANGE)
def test_any_text_comes_back_as_it_was(home: Path, text: str) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft(text, tool=text, label=text, note=text, tags=(text,))).handle.key
        record = AnswerRecord(text, "hash", AnswerState.INTENDED, "accept", 1.0)
        assert store.claim_answer(key, record, again=False)
        entry = JournalEntry(1.0, Event.MESSAGE, ServerText(text), {"was": text})
        snapshot = Snapshot(status=text, status_message=ServerText(text), input_requests={text: {}})
        store.commit([SnapshotWrite(key, 0, snapshot, (entry,), {"text": text}, has_result=True)])
    with HandleStore.open(home) as store:
        saved = store.load()[0]
        handle = saved.handle
        assert (handle.task_id, handle.tool, handle.label, handle.note) == (text,) * 4
        assert handle.tags == (text,)
        assert saved.snapshot == snapshot
        assert saved.answers == {text: record}
        assert store.journal(key)[-1] == entry
        assert store.result(key) == {"text": text}
        assert store.resolve(text) == handle


def test_one_task_saved_through_two_spellings_of_a_url_is_one_handle(store: HandleStore) -> None:
    first = store.save(HandleDraft("HTTP://Build.Example:80/mcp", "t1", tool="build"))
    second = store.save(HandleDraft("http://build.example/mcp#x", "t1", label="nightly"))
    assert first.handle.key == second.handle.key
    assert (second.handle.tool, second.handle.label) == ("build", "nightly")
    assert len(store.load()) == 1


def test_the_same_id_on_two_servers_is_two_handles(store: HandleStore) -> None:
    store.save(draft("t1"))
    store.save(HandleDraft("http://other.example/mcp", "t1"))
    assert len({saved.handle.key for saved in store.load()}) == 2


@pytest.mark.parametrize(
    ("url", "task_id"), [("ftp://x", "t"), ("http://u:p@h/", "t"), ("x", "t"), (URL, "")]
)
def test_what_cannot_be_a_handle_is_refused_before_anything_is_written(
    home: Path, store: HandleStore, url: str, task_id: str
) -> None:
    with pytest.raises(ValueError, match=r".+"):
        store.save(HandleDraft(url, task_id))
    assert not (home / "receipts.jsonl").exists()


def test_saving_again_with_nothing_new_writes_nothing(home: Path, store: HandleStore) -> None:
    store.save(draft(tool="build", tags=("a",)))
    size = (home / "receipts.jsonl").stat().st_size
    store.save(draft(tool="build", tags=("a",)))
    store.save(draft())
    assert (home / "receipts.jsonl").stat().st_size == size


def test_keys_are_short_typeable_and_the_same_again(tmp_path: Path) -> None:
    drafts = [draft(f"task-{number}") for number in range(3000)]
    with HandleStore.open(tmp_path / "a") as store:
        first = [saved.handle.key for saved in store.save_all(drafts)]
    (tmp_path / "a" / "tasks.db").unlink()
    with HandleStore.open(tmp_path / "a") as store:
        assert [saved.handle.key for saved in store.load()] == first
    assert len(set(first)) == 3000
    assert all(keys.is_key(key) and len(key) == 4 for key in first)


def test_a_key_is_found_when_the_first_candidates_are_taken() -> None:
    made = keys.candidates(URL, "t1")
    taken = {next(made) for _ in range(20)}
    key = keys.choose(URL, "t1", None, taken.__contains__)
    assert key not in taken
    assert keys.is_key(key)
    assert keys.choose(URL, "t1", "bcdf", taken.__contains__) == "bcdf"
    assert keys.choose(URL, "t1", "not a key", lambda _: False) == next(keys.candidates(URL, "t1"))


def test_resolve_takes_key_prefix_and_task_id(store: HandleStore) -> None:
    handle = store.save(draft("task-one")).handle
    for text in (handle.key, handle.key[:2], handle.key.upper(), "task-one"):
        assert store.resolve(text) == handle
    for text in ("nothing", "", handle.key + "x", "%", "task-"):
        with pytest.raises(NoSuchHandle):
            store.resolve(text)


def test_a_prefix_that_fits_several_names_them(store: HandleStore) -> None:
    saved = store.save_all([draft(f"task-{number}", label=f"n{number}") for number in range(300)])
    prefix = saved[0].handle.key[0]
    with pytest.raises(AmbiguousKey) as caught:
        store.resolve(prefix)
    assert saved[0].handle in caught.value.candidates
    assert all(handle.key.startswith(prefix) for handle in caught.value.candidates)
    assert "write a whole key" in str(caught.value)


def test_a_task_id_cannot_take_over_another_tasks_key(store: HandleStore) -> None:
    mine = store.save(draft("mine")).handle
    theirs = store.save(HandleDraft("http://evil.example/mcp", mine.key)).handle
    assert store.resolve(mine.key) == mine
    store.save(HandleDraft("http://evil.example/mcp", mine.key[:2]))
    with pytest.raises(AmbiguousKey):
        store.resolve(mine.key[:2])
    assert store.resolve(theirs.key) == theirs


def test_a_commit_stands_only_on_the_version_it_was_made_from(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    entry = JournalEntry(1.0, Event.STATUS, None, {"to": "working"})
    assert store.commit([write(key, 0, "working", entry)]) == [1]
    assert store.commit([write(key, 0, "failed", entry)]) == [None]
    assert store.commit([write("none", 0), write(key, 1, "completed")]) == [None, 2]
    saved = store.load_one(key)
    assert saved is not None
    assert (saved.version, saved.snapshot.status) == (2, "completed")
    assert [e.event for e in store.journal(key)] == [Event.SAVED, Event.STATUS]


def test_the_first_result_stays(home: Path, store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.result(key) is None
    store.commit([write(key, 0, "completed", result={"content": [1]}, has_result=True)])
    store.commit([write(key, 1, "completed", result={"content": [2]}, has_result=True)])
    store.commit([write(key, 2, "failed")])
    with HandleStore.open(home) as other:
        assert other.result(key) == {"content": [1]}


def test_a_null_result_is_a_result(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    store.commit([write(key, 0, "completed", result=None, has_result=True)])
    store.commit([write(key, 1, "completed", result={"late": 1}, has_result=True)])
    assert store.result(key) is None


def test_a_snapshot_comes_back_whole(home: Path, store: HandleStore) -> None:
    snapshot = Snapshot(
        status="input_required",
        status_message=ServerText("need \x1b[31m you"),
        created_at="2026-07-28T10:30:00Z",
        last_updated_at="2026-07-28T10:40:00Z",
        ttl_ms=60_000,
        ttl_known=True,
        poll_interval_ms=5000,
        input_requests={"k": {"method": "elicitation/create", "params": {"a": [1, 2.5]}}},
        asked_at=3.4,
        error={"code": -1, "message": "m"},
        has_result=True,
        result_text=ServerText("built\x1b[2J"),
        result_lost=True,
        tool_error=True,
        observed_at=3.5,
        changed_at=2.5,
        changed_unseen=True,
        changed_claimed=True,
        clock_offset=-1.25,
        last_message=ServerText("step 1 of 2"),
        last_message_at=1.5,
        message_changes=4,
        usual_gap=9.5,
        watched_since=4.4,
        honest_clock=True,
        read=ReadState(
            at=4.5, ok=False, error="refused", error_kind="unreachable", failures=3, not_found=1
        ),
        cancel_requested_at=5.5,
        answer_sent_at=6.5,
        resumed_at=6.7,
        gone_at=7.5,
        held=True,
        notes=("odd", "odder"),
    )
    for value, empty in ((snapshot, Snapshot()), (snapshot.read, ReadState())):
        for field in fields(empty):  # so that a new field cannot be forgotten here
            assert getattr(value, field.name) != getattr(empty, field.name), field.name
    key = store.save(draft()).handle.key
    store.commit([SnapshotWrite(key, 0, snapshot)])
    with HandleStore.open(home) as other:
        assert other.load()[0].snapshot == snapshot


def test_the_journal_keeps_first_and_last_and_the_order_of_writing(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    total = tables.JOURNAL_FIRST + tables.JOURNAL_LAST + 50
    backwards = [JournalEntry(float(-n), Event.MESSAGE, ServerText(str(n))) for n in range(total)]
    for start in range(0, total, 60):
        lines = tuple(backwards[start : start + 60])
        store.commit([SnapshotWrite(key, start // 60, Snapshot(), lines)])
    kept = store.journal(key)
    assert len(kept) == tables.JOURNAL_FIRST + tables.JOURNAL_LAST
    assert kept[0].event is Event.SAVED
    assert kept[1 : tables.JOURNAL_FIRST] == backwards[: tables.JOURNAL_FIRST - 1]
    gap, *last = kept[tables.JOURNAL_FIRST :]
    assert last == backwards[-tables.JOURNAL_LAST + 1 :]
    assert (gap.event, gap.text, gap.data) == (Event.LEFT_OUT, None, {"messages": 52})


def test_a_full_journal_leaves_out_messages_before_anything_else(
    store: HandleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "JOURNAL_FIRST", 10)
    monkeypatch.setattr(tables, "JOURNAL_LAST", 30)
    monkeypatch.setattr(tables, "JOURNAL_NEWEST", 5)
    key = store.save(draft()).handle.key
    for number in range(100):
        event = Event.STATUS if number % 10 == 0 else Event.MESSAGE
        line = JournalEntry(float(number), event, ServerText(str(number)))
        store.commit([SnapshotWrite(key, number, Snapshot(), (line,))])
    kept = store.journal(key)
    assert len(kept) == tables.JOURNAL_FIRST + tables.JOURNAL_LAST
    assert sum(line.event is Event.STATUS for line in kept) == 10
    missing = sum(line.data["messages"] for line in kept if line.event is Event.LEFT_OUT)
    assert missing + sum(line.event is Event.MESSAGE for line in kept) == 90
    assert [line.at for line in kept[1:]] == sorted(line.at for line in kept[1:])
    assert kept[-1].text == ServerText("99")


def test_what_a_person_edited_is_not_changed_by_later_savings(store: HandleStore) -> None:
    key = store.save(draft(label="long generated label", tags=("ci",))).handle.key
    edited = store.edit(key, label="mine", note="", tags=["z", "a", "z"])
    assert (edited.label, edited.note, edited.tags) == ("mine", None, ("z", "a"))
    again = store.save(draft(label="long generated label", note="n", tags=("ci",), tool="build"))
    assert again.handle == store.resolve(key)
    assert (again.handle.label, again.handle.note, again.handle.tags) == ("mine", None, ("z", "a"))
    assert again.handle.tool == "build"


def test_archiving_hides_and_restores_with_journal_lines(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.archive(key, 5.0).archived_at == 5.0
    store.save(draft(label="seen again"))
    assert store.resolve(key).archived_at == 5.0
    assert store.archive(key, None).archived_at is None
    store.archive(key, None)
    events = [entry.event for entry in store.journal(key)]
    assert events == [Event.SAVED, Event.ARCHIVED, Event.RESTORED]
    with pytest.raises(NoSuchHandle):
        store.archive("none", 1.0)


def test_many_are_archived_and_edited_with_one_write_each(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    with HandleStore.open(home) as store:
        drafts = [draft(f"t{number}") for number in range(600)]
        saved = [each.handle.key for each in store.save_all(drafts)]
        sync = files.sync

        def counted(fd: int) -> None:
            synced.append(fd)
            sync(fd)

        monkeypatch.setattr(files, "sync", counted)
        archived = store.archive_all([*saved, "none"], 5.0)
        edited = store.edit_all({key: Texts(tags=("nightly", "", "nightly")) for key in saved})
        assert len(synced) == 2
        assert archived.keys() == edited.keys() == set(saved)
        assert {(each.archived_at, each.tags) for each in edited.values()} == {(5.0, ("nightly",))}
        told = [entry.event for entry in store.journal(saved[-1])]
        assert told == [Event.SAVED, Event.ARCHIVED, Event.EDITED]
    for path in home.glob("tasks.db*"):
        path.unlink()
    with HandleStore.open(home) as store:
        assert {each.handle.key: each.handle for each in store.load()} == edited


def test_edits_and_archiving_outlive_the_database(home: Path) -> None:
    with HandleStore.open(home) as store:
        key = store.save(draft(label="a")).handle.key
        store.edit(key, label="b", note="n", tags=["t"])
        kept = store.archive(key, 9.0)
    for path in home.glob("tasks.db*"):
        path.unlink()
    with HandleStore.open(home) as store:
        assert store.load()[0].handle == kept


def _record(request_hash: str = "h1", at: float = 1.0) -> AnswerRecord:
    return AnswerRecord("k", request_hash, AnswerState.INTENDED, "accept", at)


def test_an_answer_is_claimed_once_and_again_only_when_asked(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.claim_answer(key, _record(), again=False)
    assert not store.claim_answer(key, _record(), again=False)
    store.set_answer(key, "k", AnswerState.ACKNOWLEDGED)
    assert not store.claim_answer(key, _record(), again=False)
    assert store.claim_answer(key, _record(), again=True)
    assert store.claim_answer(key, _record("another question"), again=False)
    saved = store.load_one(key)
    assert saved is not None
    assert saved.answers == {"k": _record("another question")}


def _answers(store: HandleStore, key: str) -> dict[str, AnswerRecord]:
    saved = store.load_one(key)
    assert saved is not None
    return dict(saved.answers)


def test_a_claim_that_nothing_was_sent_for_leaves_no_trace(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.claim_answer(key, _record(), again=False)
    store.withdraw_answer(key, "k", None)
    assert _answers(store, key) == {}
    assert store.claim_answer(key, _record(), again=False)
    store.set_answer(key, "k", AnswerState.ACKNOWLEDGED)
    earlier = _answers(store, key)["k"]
    assert store.claim_answer(key, _record(at=9.0), again=True)
    store.withdraw_answer(key, "k", earlier)
    assert _answers(store, key) == {"k": earlier}


def test_only_an_open_claim_is_withdrawn(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.claim_answer(key, _record(), again=False)
    store.set_answer(key, "k", AnswerState.SENT)
    store.withdraw_answer(key, "k", None)
    assert _answers(store, key)["k"].state is AnswerState.SENT


def test_a_refused_answer_leaves_its_question_open_to_one_answer(store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    assert store.claim_answer(key, _record(), again=False)
    store.set_answer(key, "k", AnswerState.REFUSED)
    assert store.claim_answer(key, _record(), again=False)
    assert not store.claim_answer(key, _record(), again=False)


def test_data_version_differs_once_another_has_written(home: Path, store: HandleStore) -> None:
    key = store.save(draft()).handle.key
    before = store.data_version()
    store.commit([SnapshotWrite(key, 0, Snapshot(status="working"))])
    store.save(draft("mine too"))
    assert store.data_version() == before
    with HandleStore.open(home) as other:
        other.save(draft("theirs"))
    assert store.data_version() != before
    assert {saved.handle.task_id for saved in store.load()} == {"t1", "mine too", "theirs"}


def test_a_clock_that_goes_backwards_changes_nothing_but_times(home: Path) -> None:
    clock: Iterator[float] = (1e9 - 1000.0 * n for n in count())
    with HandleStore.open(home, clock=lambda: next(clock)) as store:
        saved = [store.save(draft(f"t{n}")).handle.key for n in range(3)]
        key = saved[0]
        store.edit(key, label="first", note=None, tags=[])
        store.edit(key, label="second", note=None, tags=[])
        store.archive(key, next(clock))
        assert store.archive(key, None).label == "second"
        assert [one.handle.key for one in store.load()] == saved
    (home / "tasks.db").unlink()
    with HandleStore.open(home) as store:
        handle = store.resolve(key)
        assert (handle.label, handle.archived_at) == ("second", None)
        assert [one.handle.key for one in store.load()] == saved


def test_a_removed_folder_or_database_is_made_again_under_an_open_store(
    home: Path, store: HandleStore
) -> None:
    store.save(draft("a"))
    for path in home.glob("tasks.db*"):
        path.unlink()
    store.save(draft("b"))
    assert {saved.handle.task_id for saved in store.load()} == {"a", "b"}
    assert ids(home) == {"a", "b"}


def test_a_closed_store_says_so(home: Path) -> None:
    store = HandleStore.open(home)
    store.close()
    for work in (store.load, lambda: store.save(draft())):
        with pytest.raises(StoreClosed):
            work()
    assert not (home / "receipts.jsonl").exists()


def test_what_is_nested_too_deeply_to_be_read_back_does_not_cost_the_handle(home: Path) -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    with HandleStore.open(home) as store:
        saved = store.save(draft("t1", arguments=deep, extra={"a": deep, "b": 1}, saved_at=1e300))
        assert (saved.handle.arguments, saved.handle.extra) == (None, {"b": 1})
    assert ids(home) == {"t1"}


def test_what_many_tasks_have_in_common_is_in_memory_once(home: Path, store: HandleStore) -> None:
    arguments = {"target": "//services/api:all", "jobs": 8}
    common = {"tool": "build", "arguments": arguments, "tags": ("ci", "nightly"), "saved_by": "ci"}
    keys = [saved.handle.key for saved in store.save_all([draft(t, **common) for t in "ab"])]
    message = ServerText("compiling the sources")
    snapshot = Snapshot(status="working", status_message=message, last_message=message)
    store.commit([SnapshotWrite(key, 0, snapshot) for key in keys])
    one, other = store.load()
    for name in ("server_url", "tool", "arguments", "tags", "saved_by", "extra"):
        assert getattr(one.handle, name) is getattr(other.handle, name), name
    assert one.handle.arguments == arguments
    assert one.snapshot.status is other.snapshot.status
    assert one.snapshot.last_message is one.snapshot.status_message

"""Handles out and in as JSON: what others write is understood, and nothing private is kept."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.handles.interchange import (
    draft_json,
    export_json,
    import_handles,
    parse,
)
from mcp_tasks_tui.handles.json_values import DECODER
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, everything_written

TASK = {
    "resultType": "task",
    "taskId": "t1",
    "status": "working",
    "statusMessage": "The operation is now in progress.",
    "createdAt": "2026-07-28T10:30:00Z",
    "lastUpdatedAt": "2026-07-28T10:40:00Z",
    "ttlMs": 60000,
    "pollIntervalMs": 5000,
}


def _parse(value: Any, **options: Any) -> tuple[HandleDraft, ...]:
    parsed = parse(json.dumps(value), **options)
    assert parsed.bad == ()
    return parsed.drafts


@pytest.mark.parametrize(
    "value",
    [
        {"taskId": "t1", "serverUrl": URL},
        {"taskId": "t1", "server": URL},
        {"taskId": "t1", "server": "build"},
        TASK,
        {"task": TASK},
        {"jsonrpc": "2.0", "id": 1, "result": TASK},
        {"jsonrpc": "2.0", "id": 1, "result": {"task": TASK, "_meta": {"a": 1}}},
        {"receipt": 1, "event": "saved", "key": "bcdf", "serverUrl": URL, "taskId": "t1"},
    ],
)
def test_one_handle_in_any_of_its_forms(value: Any) -> None:
    options = {"default_server": URL, "server_url": {"build": URL}.get}
    assert _parse(value, **options) == (draft("t1"),)
    assert _parse([value, value], **options) == (draft("t1"),) * 2


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_json_cannot_hold_are_kept_as_text(tmp_path: Path, number: str) -> None:
    parsed = parse(f'{{"taskId": "t1", "serverUrl": "{URL}", "arguments": {{"x": {number}}}}}')
    with HandleStore.open(tmp_path) as store:
        (saved,) = import_handles(store, parsed).saved
    assert json.loads(export_json([saved.handle]), parse_constant=pytest.fail)[0]["arguments"] == {
        "x": number
    }


def test_array_lines_and_objects_one_after_the_other_are_read_alike() -> None:
    entries = [{"taskId": f"t{n}", "serverUrl": URL, "tags": ["a"]} for n in range(5)]
    wanted = tuple(draft(f"t{n}", tags=("a",)) for n in range(5))
    for text in (
        json.dumps(entries),
        json.dumps(entries, indent=2),
        "\n".join(map(json.dumps, entries)),
        "\r\n\r\n".join(map(json.dumps, entries)) + "\n\0\0",
        "\n".join(json.dumps(entry, indent=4) for entry in entries),
        "\ufeff" + json.dumps(entries),
    ):
        parsed = parse(text)
        assert (parsed.drafts, parsed.bad) == (wanted, ())
    for text in ("", " \n", "[]", "\0\0"):
        assert parse(text).drafts == ()


def test_fields_come_along_and_unknown_ones_are_kept() -> None:
    entry = {
        "taskId": "t1",
        "serverUrl": "HTTP://Build.Example:80/mcp",
        "tool": "build",
        "arguments": {"token": "the tool's own"},
        "label": "l",
        "note": "n",
        "tags": ["b", "a"],
        "savedBy": "agent",
        "savedAt": "2026-07-28T10:30:00.500Z",
        "x-note": {"deep": [1]},
        "extra": {"older": 1},
        "status": "working",
        "result": {"content": []},
    }
    (found,) = _parse(entry)
    assert found == draft(
        tool="build",
        arguments={"token": "the tool's own"},
        label="l",
        note="n",
        tags=("b", "a"),
        saved_by="agent",
        extra={"x-note": {"deep": [1]}, "older": 1},
        saved_at=1785234600.5,
    )


BAD = [
    ("5", "not an object"),
    ('"t1"', "not an object"),
    ("null", "not an object"),
    ("{}", "no taskId"),
    ('{"taskId": ""}', "no taskId"),
    ('{"taskId": 5}', "taskId is not a string"),
    ('{"taskId": "t1"}', "it names no server"),
    ('{"taskId": "t1", "server": "unknown"}', "no server named 'unknown'; give its serverUrl"),
    ('{"taskId": "t1", "serverUrl": 5}', "serverUrl is not a string"),
    ('{"taskId": "t1", "serverUrl": "ftp://x"}', "serverUrl: a server URL starts with"),
    ('{"taskId": "t1", "serverUrl": "http://u:p@h/"}', "serverUrl: no user name or password"),
    ('{"taskId": "t1", "serverUrl": "http://h/", "tags": "a"}', "tags is not an array of strings"),
    ('{"taskId": "t1", "serverUrl": "http://h/", "label": []}', "label is not a string"),
    ('{"jsonrpc": "2.0", "id": 1, "error": {}}', "a JSON-RPC error"),
    ('{"jsonrpc": "2.0", "id": 1, "result": 5}', "a JSON-RPC message without a task result"),
    ('{"jsonrpc": "2.0", "method": "x"}', "a JSON-RPC message without a task result"),
    ('{"taskId": "t1", "serverUrl"', "not JSON"),
    ("hello", "not JSON"),
    ('{"taskId": "t1", "x": ' + "[" * 300 + "]" * 300 + "}", "nested too deeply"),
    ('{"taskId": "t1", "x": ' + "[" * 100_000, "nested too deeply"),
]


@pytest.mark.parametrize(("text", "why"), BAD)
def test_a_bad_entry_is_told_by_position_and_the_good_ones_kept(text: str, why: str) -> None:
    good = [json.dumps({"taskId": f"good {n}", "serverUrl": URL}) for n in range(2)]
    for whole in (f"{good[0]}\n{text}\n{good[1]}\n", f"[\n{good[0]},\n{text},\n{good[1]}]"):
        parsed = parse(whole)
        assert [found.task_id for found in parsed.drafts] == ["good 0", "good 1"]
        (bad,) = parsed.bad
        assert bad.position == 2
        assert bad.line == whole[: whole.index(text)].count("\n") + 1
        assert why in str(bad)


def test_an_array_that_was_cut_off_gives_what_it_holds() -> None:
    whole = json.dumps([{"taskId": f"t{n}", "serverUrl": URL} for n in range(3)], indent=1)
    parsed = parse(whole[:-20])
    assert [found.task_id for found in parsed.drafts] == ["t0", "t1"]
    assert [bad.position for bad in parsed.bad] == [3]


def test_credentials_in_the_input_are_never_kept(home: Path, store: HandleStore) -> None:
    secret = "s3cr3t-value"
    entry = {
        "taskId": "t1",
        "serverUrl": URL,
        "headers": {"Authorization": f"Bearer {secret}"},
        "authorization": secret,
        "x-server": {"Headers": [secret], "apiKey": secret, "api_key": secret, "name": "kept"},
        "accessToken": secret,
        "clientSecret": secret,
        "Cookie": secret,
        "password": secret,
        "env": {"A": secret},
        "_meta": {"a": secret},
    }
    parsed = parse(json.dumps([entry, {"jsonrpc": "2.0", "result": TASK | entry}]))
    assert parsed.bad == ()
    assert {"headers", "authorization", "apiKey", "Cookie"} <= set(parsed.withheld)
    import_handles(store, parsed)
    assert secret.encode() not in everything_written(home)
    assert store.load()[0].handle.extra == {"x-server": {"name": "kept"}}
    assert secret not in export_json(saved.handle for saved in store.load())


def test_importing_twice_changes_nothing_and_richer_context_is_merged(store: HandleStore) -> None:
    store.save(draft("t0", label="mine"))
    text = json.dumps([{"taskId": f"t{n}", "serverUrl": URL, "tool": "build"} for n in range(3)])
    first = import_handles(store, parse(text))
    assert (len(first.saved), first.new) == (3, 2)
    before = store.load()
    size = (store.home / "receipts.jsonl").stat().st_size
    assert import_handles(store, parse(text)).new == 0
    assert store.load() == before
    assert (store.home / "receipts.jsonl").stat().st_size == size
    handle = store.resolve("t0")
    assert (handle.label, handle.tool) == ("mine", "build")


def test_what_is_exported_comes_back_the_same_elsewhere(tmp_path: Path) -> None:
    with HandleStore.open(tmp_path / "a") as store:
        store.save(draft("t\ud800é", tool="build", arguments=[1], extra={"x": 1}))
        store.save(draft("t2", label="l", note="n\nm", tags=("b", "a"), saved_by="s"))
        store.archive(store.save(draft("t3")).handle.key, 1785234600.5)
        handles = [saved.handle for saved in store.load()]
    with HandleStore.open(tmp_path / "b") as store:
        import_handles(store, parse(export_json(handles)))
        again = [saved.handle for saved in store.load()]
        assert export_json(again) == export_json(handles)
        store.archive(store.resolve("t3").key, None)
        import_handles(store, parse(export_json(handles)))
        assert store.resolve("t3").archived_at is None
        (tmp_path / "b" / "tasks.db").unlink()
        assert store.resolve("t3").archived_at is None


def test_the_receipts_file_can_be_imported_as_it_is(tmp_path: Path) -> None:
    """What a person edited, archived and restored since is as they left it."""
    with HandleStore.open(tmp_path / "a") as store:
        keys = [saved.handle.key for saved in store.save_all(_LABELLED)]
        store.edit(keys[0], label="short", note=None, tags=["new"])
        store.archive(keys[1], 1785234600.5)
        store.archive(keys[2], 1785234600.5)
        store.archive(keys[2], None)
        handles = [saved.handle for saved in store.load()]
    text = (tmp_path / "a" / "receipts.jsonl").read_text()
    with HandleStore.open(tmp_path / "b") as store:
        assert import_handles(store, parse(text)).new == 3
        again = [saved.handle for saved in store.load()]
    assert again == handles


_LABELLED = [draft(f"t{n}", label=f"a long label {n}", tags=("old",)) for n in range(3)]


def test_importing_what_was_exported_here_adds_nothing(tmp_path: Path) -> None:
    clock = itertools.count(1785234600.0004, 0.0007)
    with HandleStore.open(tmp_path / "a", clock=lambda: next(clock)) as store:
        for each in _LABELLED:
            store.save(each)
        handles = [saved.handle for saved in store.load()]
        size = (tmp_path / "a" / "receipts.jsonl").stat().st_size
        import_handles(store, parse(export_json(handles)))
        assert (tmp_path / "a" / "receipts.jsonl").stat().st_size == size
        assert [saved.handle for saved in store.load()] == handles


def test_an_unsaved_handle_is_one_line_that_import_takes() -> None:
    whole = draft("-t\x1b\ud800", tool="b", arguments={"a": []}, note="n\nm", extra={"x": 1})
    assert draft_json(whole).count("\n") == 0
    assert parse(draft_json(whole)).drafts == (whole,)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]",:\\ \n\0abcdtaskIdserverUrl0123456789.e-u', max_size=60))
def test_no_text_is_too_odd_to_read(text: str) -> None:
    parsed = parse(text, default_server=URL)
    assert [bad.position for bad in parsed.bad] == sorted({bad.position for bad in parsed.bad})


#: Lines that are no handles, each of which the parser reads far beyond or complains about.
NO_HANDLES = {
    "Python": "{'taskId': 'a'}\n",
    "open": "{\n",
    "open in one another": '{"a":\n',
    "open text": '{"taskId": "a\n',
    "text that never ends": '{"a":["' + "x" * 200 + '",\n',
    "blank lines": "x" + "\n" * 50 + "\n",
}


@pytest.mark.parametrize("line", NO_HANDLES.values(), ids=NO_HANDLES)
def test_bad_entries_are_counted_in_a_time_that_grows_with_them(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by the characters that the parser is given, not by a clock."""
    given: list[int] = []
    decode = DECODER.raw_decode

    def counting(text: str) -> tuple[Any, int]:
        given.append(len(text))
        return decode(text)

    monkeypatch.setattr(DECODER, "raw_decode", counting)
    good = json.dumps({"taskId": "t1", "serverUrl": URL})
    costs = []
    for count in (5_000, 10_000):
        given.clear()
        parsed = parse(f"{good}\n" + line * count)
        assert parsed.drafts == (draft("t1"),)
        assert parsed.bad
        costs.append(sum(given))
    assert costs[1] < 3 * costs[0]


@pytest.mark.parametrize("size", [*range(4070, 4110), 8190, 8192, 8194, 20_000])
def test_entries_of_any_length_are_read(size: int) -> None:
    """The parser is given pieces; where one ends is not to be told."""
    entry = {"taskId": "t1", "serverUrl": URL, "arguments": [-1.5e-7, "", True]}
    for position, filler in enumerate(("x", "\u00e9", "\n", '"')):
        entry["arguments"] = [-1.5e-7, filler * (size // (1, 6, 2, 2)[position]), True]
        text = json.dumps(entry)
        assert (
            parse(f"{text}\n{text},{text}").drafts
            == (draft("t1", arguments=entry["arguments"]),) * 3
        )


def test_a_complaint_names_the_line_that_it_is_about() -> None:
    text = '\n{"taskId": "a",\n\n "b": }\n{"taskId": "a"}'
    assert [str(bad) for bad in parse(text).bad] == [
        "entry 1 (line 2): not JSON (Expecting value, on line 4)",
        "entry 2 (line 5): it names no server; say which: --server NAME",
    ]

"""Several processes on one folder, and processes that are killed in the middle of a write."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.handles.check import check
from mcp_tasks_tui.handles.model import AnswerRecord, AnswerState, Event
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.handles.tables import CLAIM_SECONDS
from tests.handles import programs
from tests.handles.util import URL, draft

_ROOT = Path(__file__).parents[2]


def _run(*arguments: object) -> list[Any]:
    command = [sys.executable, "-m", "tests.handles.programs", *map(str, arguments)]
    output = subprocess.check_output(command, cwd=_ROOT, timeout=600)
    return [json.loads(line) for line in output.splitlines()]


def _kill_writers(home: Path, times: int, seed: int) -> None:
    said = _run("crashes", home, times, seed)
    assert len({one["saved"].split("-")[1] for one in said if "saved" in one}) == times
    with HandleStore.open(home) as store:
        assert store.notices == []
        loaded = {saved.handle.task_id: saved for saved in store.load()}
        for one in said:
            if "saved" in one:
                assert loaded[one["saved"]].handle.key == one["key"]
            if "committed" in one:
                assert loaded[one["committed"]].version == 1
            if "edited" in one:
                assert loaded[one["edited"]].handle.label == one["edited"]
        for saved in loaded.values():
            events = [entry.event for entry in store.journal(saved.handle.key)]
            assert events == [Event.SAVED, Event.STATUS, Event.EDITED][: len(events)]
            assert len(events) >= 1 + saved.version
    # A kill may cut a line that crosses a page of the file: nobody was told of that save.
    wrong = [finding.text for finding in check(home) if not finding.ok]
    assert [text for text in wrong if "torn" not in text] == []
    assert len(wrong) <= times


def test_whatever_was_said_before_a_kill_is_there(home: Path) -> None:
    _kill_writers(home, 40, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_whatever_was_said_before_many_kills_is_there(home: Path, seed: int) -> None:
    _kill_writers(home, 60, seed)


def _crowd(home: Path, imported: int) -> None:
    writers = 8
    said = _run("crowd", home, writers, imported)
    with HandleStore.open(home) as store:
        loaded = {saved.handle.task_id: saved for saved in store.load()}
        assert {one["saved"]: one["key"] for one in said if "saved" in one} == {
            task_id: saved.handle.key for task_id, saved in loaded.items()
        }
        assert len(loaded) == programs.SHARED * (writers + 1) + imported
        tags = {"imported", *(f"w{w}" for w in range(writers))}
        for n in range(programs.SHARED):
            shared = loaded[f"shared-{n}"]
            assert set(shared.handle.tags) == tags
            assert shared.handle.extra == {f"x{w}": n for w in range(writers)}
            mine = [one for one in said if one.get("key") == shared.handle.key]
            steps = sorted(one["step"] for one in mine if "step" in one)
            journal = store.journal(shared.handle.key)
            assert sorted(e.data["step"] for e in journal if e.event is Event.MESSAGE) == steps
            assert shared.version == len(steps)
            assert [e.event for e in journal].count(Event.SAVED) == 1
    claimed = sorted(one["claimed"] for one in said if "claimed" in one)
    assert claimed == list(range(programs.CLAIMS))
    assert sum("step" in one for one in said) == writers * programs.STEPS
    assert [finding.text for finding in check(home) if not finding.ok] == []


def test_eight_writers_and_an_importer_lose_nothing(home: Path) -> None:
    _crowd(home, 500)


@pytest.mark.slow
def test_eight_writers_and_a_large_importer_lose_nothing(home: Path) -> None:
    _crowd(home, 5000)


def test_another_living_process_on_its_way_is_not_overtaken(home: Path) -> None:
    with HandleStore.open(home, clock=lambda: 1000.0) as store:
        key = store.save(draft()).handle.key
        record = AnswerRecord("k", "h1", AnswerState.INTENDED, "accept", 1000.0)
        assert store.claim_answer(key, record, again=False)
        assert _run("claim", home, key, 1000.0) == [False]
        assert _run("claim", home, key, 1000.0 + CLAIM_SECONDS + 1) == [True]


def test_the_claim_of_a_dead_process_can_be_taken_over(home: Path) -> None:
    with HandleStore.open(home, clock=lambda: 1000.0) as store:
        key = store.save(draft()).handle.key
        assert _run("claim", home, key, 1000.0) == [True]
        record = AnswerRecord("k", "h1", AnswerState.INTENDED, "accept", 1000.0)
        assert not store.claim_answer(key, record, again=False)
        assert store.claim_answer(key, record, again=True)


def test_a_call_is_an_orphan_only_when_its_process_died(home: Path) -> None:
    command = [sys.executable, "-m", "tests.handles.programs", "call", str(home)]
    with HandleStore.open(home) as store:
        mine = store.begin_call(URL, "build", {"a": 1}, "mine")
        with subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            theirs = json.loads(process.stdout.readline())
            assert json.loads(process.stdout.readline()) == []
            assert store.open_intents() == []
            process.kill()
        orphans = store.open_intents()
        assert [(i.intent_id, i.tool, i.arguments, i.label) for i in orphans] == [
            (theirs, "deploy", [1], "theirs")
        ]
        store.save(draft(), intent_id=theirs)
        store.end_call(mine)
        assert store.open_intents() == []
    raw = sqlite3.connect(home / "tasks.db")
    assert raw.execute("SELECT count(*) FROM intents").fetchone() == (0,)
    raw.close()

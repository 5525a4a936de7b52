"""Programs that use one folder at the same time, for tests: ``python -m tests.handles.programs``.

Each prints one JSON value per line. The children of `crowd` and `crashes` are forked, so that
many cost little.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    HandleDraft,
    JournalEntry,
    Snapshot,
    SnapshotWrite,
)
from mcp_tasks_tui.handles.store import HandleStore

URL = "http://build.example/mcp"
SHARED = 10
CLAIMS = 10
STEPS = 15


def say(value: Any) -> None:
    os.write(1, json.dumps(value).encode() + b"\n")


def call(home: Path) -> None:
    """Begin a call and wait to be killed."""
    with HandleStore.open(home) as store:
        say(store.begin_call(URL, "deploy", [1], "theirs"))
        say([intent.tool for intent in store.open_intents()])
        sys.stdin.read()


def claim(home: Path, key: str, at: str) -> None:
    """Claim an answer again, at a time of the caller's clock."""
    with HandleStore.open(home, clock=lambda: float(at)) as store:
        record = AnswerRecord("k", "h1", AnswerState.INTENDED, "accept", float(at))
        say(store.claim_answer(key, record, again=True))


def crashes(home: Path, times: str, seed: str) -> None:
    """Kill a writer at a random point, `times` times; print what each had printed before."""
    chance = random.Random(int(seed))
    for number in range(int(times)):
        reader, pid = _fork(lambda n=number: _write_for_ever(home, n))  # type: ignore[misc]
        deadline = time.monotonic() + 20
        said = b""
        while b"\n" not in said and time.monotonic() < deadline:
            if select.select([reader], [], [], 0.1)[0]:
                said += os.read(reader, 65536)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        while piece := os.read(reader, 65536):
            said += piece
        os.close(reader)
        os.write(1, said[: said.rfind(b"\n") + 1])


def crowd(home: Path, writers: str, imported: str) -> None:
    """Let many writers and one importer loose on one folder; print what each says it did."""
    works: list[Callable[[], None]] = [
        lambda w=w: _write_in_crowd(home, w)  # type: ignore[misc]
        for w in range(int(writers))
    ]
    works.append(lambda: _import(home, int(imported)))
    children = [_fork(work) for work in works]
    for reader, pid in children:
        while piece := os.read(reader, 65536):
            os.write(1, piece)
        os.close(reader)
        _, status = os.waitpid(pid, 0)
        if status:
            sys.exit(f"a writer failed with {status}")


def _fork(work: Callable[[], None]) -> tuple[int, int]:
    """Run `work` in a child with its own standard output; return where to read that, and its id."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.dup2(writer, 1)
        _run_and_leave(work)
    os.close(writer)
    return reader, pid


def _run_and_leave(work: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _write_for_ever(home: Path, run: int) -> None:
    with HandleStore.open(home) as store:
        number = 0
        while True:
            task_id = f"run-{run}-{number}"
            key = store.save(HandleDraft(URL, task_id, tool="build")).handle.key
            say({"saved": task_id, "key": key})
            entry = JournalEntry(1.0, Event.STATUS, None, {"to": "working"})
            store.commit([SnapshotWrite(key, 0, Snapshot(status="working"), (entry,))])
            say({"committed": task_id, "key": key})
            store.edit(key, label=task_id, note=None, tags=[])
            say({"edited": task_id, "key": key})
            number += 1


def _write_in_crowd(home: Path, writer: int) -> None:
    with HandleStore.open(home, busy_seconds=30) as store:
        for n in range(SHARED):
            for task_id in (f"shared-{n}", f"own-{writer}-{n}"):
                draft = HandleDraft(URL, task_id, tags=(f"w{writer}",), extra={f"x{writer}": n})
                say({"saved": task_id, "key": store.save(draft).handle.key})
        for step in range(STEPS):
            key = store.resolve(f"shared-{step % SHARED}").key
            _step(store, key, f"{writer}.{step}")
        key = store.resolve("shared-0").key
        for n in range(CLAIMS):
            record = AnswerRecord(f"q{n}", "hash", AnswerState.INTENDED, "accept", 1.0)
            if store.claim_answer(key, record, again=False):
                say({"claimed": n})


def _step(store: HandleStore, key: str, name: str) -> None:
    entry = JournalEntry(1.0, Event.MESSAGE, None, {"step": name})
    while True:
        saved = store.load_one(key)
        assert saved is not None
        write = SnapshotWrite(key, saved.version, Snapshot(status=name), (entry,))
        if store.commit([write]) != [None]:
            say({"step": name, "key": key})
            return


def _import(home: Path, count: int) -> None:
    drafts = [HandleDraft(URL, f"imported-{n}") for n in range(count)]
    drafts += [HandleDraft(URL, f"shared-{n}", tags=("imported",)) for n in range(SHARED)]
    with HandleStore.open(home, busy_seconds=30) as store:
        for saved in store.save_all(drafts):
            say({"saved": saved.handle.task_id, "key": saved.handle.key})


if __name__ == "__main__":
    programs: dict[str, Callable[..., None]] = {
        "call": call,
        "claim": claim,
        "crashes": crashes,
        "crowd": crowd,
    }
    programs[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])

"""Killed at any moment, the program loses no handle and knows what it does not know."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mcp_tasks_tui.demo.scenes import Stage
from mcp_tasks_tui.handles.model import Saved
from mcp_tasks_tui.handles.store import HandleStore
from tests.commandline import Cli
from tests.forking import Forked
from tests.program.recorder import Recorder
from tests.program.running import command, run, saved, screen

_LOST = "no handle came back"


CALLS = {
    "build": ("build_image", "--arg", "service=checkout"),
    "import": ("import_catalog", "--arg", "rows=58000"),
    "release": ("plan_release",),
    "tests": ("run_tests", "--arg", "suite=integration"),
    "replica": ("sync_replica", "--arg", "replica=db-replica-2"),
    "users": ("migrate_users",),
    "archive": ("compact_archive", "--arg", "segments=90"),
}


def started(cli: Cli, stage: Stage) -> set[str]:
    """Start a task of each kind on the demo's server; return their keys."""
    assert cli("servers", "add", "demo", stage.urls["demo"]).code == 0
    keys = set()
    for label, (tool, *arguments) in CALLS.items():
        outcome = cli("call", "demo", tool, *arguments, "--label", label)
        assert outcome.code == 0, outcome.err
        keys.add(outcome.lines[0])
    return keys


def assert_no_step_back(before: dict[str, Saved], after: dict[str, Saved]) -> None:
    """Everything that was known is still known; an end once seen stands."""
    for key, was in before.items():
        now = after[key]
        assert now.handle == was.handle
        assert now.version >= was.version
        assert (now.snapshot.observed_at or 0) >= (was.snapshot.observed_at or 0)
        if was.snapshot.state.terminal:
            assert now.snapshot.state is was.snapshot.state
            assert now.snapshot.has_result == was.snapshot.has_result


def test_the_screen_killed_while_it_polls(home: Path, cli: Cli, stage: Stage) -> None:
    keys = started(cli, stage)
    before = saved(home)
    assert before.keys() == keys
    with screen(home) as terminal:
        terminal.wait_for("working")
        terminal.wait_for("completed")  # so reads came in and went to the disk
        terminal.signal(signal.SIGKILL)
        assert terminal.process.wait(10) == -signal.SIGKILL
    after = saved(home)
    assert_no_step_back(before, after)
    with screen(home) as terminal:
        terminal.wait_for(lambda text: all(label in text for label in CALLS))
        terminal.send("q")
        assert terminal.wait_exit() == 0
    assert_no_step_back(after, saved(home))


@pytest.mark.slow
def test_the_screen_killed_again_and_again(home: Path, cli: Cli, stage: Stage) -> None:
    chance = random.Random(20260728)
    started(cli, stage)
    before = saved(home)
    for _ in range(8):
        with screen(home) as terminal:
            terminal.wait_for(lambda text: all(label in text for label in CALLS))
            terminal.read_for(chance.uniform(0, 1.5))
            terminal.signal(signal.SIGKILL)
            assert terminal.process.wait(10) == -signal.SIGKILL
        after = saved(home)
        assert_no_step_back(before, after)
        before = after


# --- killed around the reply to a call -------------------------------------------------------


def killed_call(home: Path, server: Recorder, when: Callable[[Forked], None]) -> str:
    """Start `call`, kill it once `when` returns, return the key that it had printed or "".

    What must hold however the moment falls is checked here.
    """
    calls, tasks = server.sent("tools/call"), len(server.tasks)
    lost_before = len(lost_calls(home))
    with command(home, "call", server.url, "build", "--label", "mine") as process:
        when(process)
        process.kill()
        out, _ = process.communicate(timeout=20)
    known = (
        {one.handle.task_id: key for key, one in saved(home).items()} if calls_seen(home) else {}
    )
    key = out.strip() if out.endswith("\n") else ""
    if key:
        assert key in known.values(), "a key was printed and is not there"
    if server.sent("tools/call") > calls:
        new = [task for task in list(server.tasks)[tasks:] if task in known]
        lost = len(lost_calls(home)) - lost_before
        assert (len(new), lost) in ((1, 0), (0, 1)), (
            f"sent once: {len(new)} handles and {lost} reminders are there, not one of either"
        )
    return key


def calls_seen(home: Path) -> bool:
    return (home / "tasks.db").exists()


def lost_calls(home: Path) -> list[str]:
    if not calls_seen(home):
        return []
    with HandleStore.open(home) as store:
        return [intent.tool for intent in store.open_intents()]


def test_a_call_killed_before_the_reply_is_told_of(home: Path, server: Recorder) -> None:
    server.silent.add("tools/call")
    assert not killed_call(home, server, lambda _: server.wait_for("tools/call"))
    listed = run(home, "list")
    assert listed.returncode == 0
    (told,) = [line for line in listed.stderr.splitlines() if _LOST in line]
    assert "a call of build" in told
    assert listed.stdout == ""
    looked = run(home, "doctor", "--offline")
    assert looked.returncode == 0
    assert _LOST in looked.stdout
    with screen(home) as terminal:
        terminal.wait_for("a call of build")
        terminal.send("q")
        assert terminal.wait_exit() == 0
    assert run(home, "doctor", "--offline", "--forget-calls").returncode == 0
    assert _LOST not in run(home, "list").stderr


def test_a_call_that_still_runs_is_not_told_of(home: Path, server: Recorder) -> None:
    server.silent.add("tools/call")
    with command(home, "call", server.url, "build") as process:
        server.wait_for("tools/call")
        assert _LOST not in run(home, "list").stderr
        process.kill()
        process.communicate(timeout=20)
    assert _LOST in run(home, "list").stderr


def test_a_call_killed_in_the_middle_of_the_reply(home: Path, server: Recorder) -> None:
    half = _Half(server)
    assert not killed_call(home, server, lambda _: half.wait())
    assert lost_calls(home) == ["build"]
    assert saved(home) == {}


def test_a_call_killed_as_soon_as_its_key_is_printed(home: Path, server: Recorder) -> None:
    printed: list[str] = []

    def key_printed(process: Forked) -> None:
        assert process.stdout is not None
        printed.append(process.stdout.readline().strip())

    killed_call(home, server, key_printed)
    assert saved(home).keys() == set(printed)
    assert lost_calls(home) == []


@pytest.mark.slow
def test_calls_killed_at_any_moment(home: Path, server: Recorder) -> None:
    chance = random.Random(20260728)
    printed = set()
    for number in range(40):
        sent = server.sent("tools/call")
        # Half of them at once: on a fast machine a call is over within milliseconds.
        delay = chance.uniform(0, 0.25) if number % 2 else 0.0

        def some_time_later(process: Forked, sent: int = sent, delay: float = delay) -> None:
            """From when it connects, which is where it begins to matter."""
            server.wait_for("tools/call", sent + 1)
            with suppress(subprocess.TimeoutExpired):
                process.wait(delay)

        key = killed_call(home, server, some_time_later)
        printed |= {key} - {""}
    assert printed <= saved(home).keys()
    assert printed, "no call came to its key"
    assert lost_calls(home) or len(saved(home)) > len(printed), "none was killed on its way"


class _Half:
    """Lets the server write half of its answer to a call, and then no more."""

    def __init__(self, server: Recorder) -> None:
        self._written = threading.Event()
        self._server = server
        server.on_reply = self._write

    def wait(self) -> None:
        assert self._written.wait(20)

    def _write(self, method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        if method != "tools/call":
            write(answer)
            return
        write(answer[: len(answer) // 2])
        self._written.set()
        self._server.ended.wait(60)

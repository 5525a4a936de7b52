"""While a pager has the terminal: it gives it back, however it and the program end."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.handles.model import State
from tests.program.recorder import Recorder
from tests.program.running import PROGRAM, QUICK, SOON, save, saved, screen
from tests.terminal import ESCAPE, Terminal

_ROOT = Path(__file__).parents[2]
_CALL = b"\x1b]9;mcp-tasks-tui: "
_PAGER = re.compile(r"\(pager (\d+)\)")


def in_viewer(
    home: Path, server: Recorder, pager: str, program: Sequence[str] = PROGRAM
) -> Terminal:
    """Open the screen and a result in it."""
    result = {"content": [{"type": "text", "text": "words to be paged"}]}
    server.add("one", "completed", result=result)
    save(home, server.url, "one")
    env = {"PAGER": pager, "PYTHONPATH": str(_ROOT)}
    terminal = screen(home, env=env, program=program)
    terminal.wait_for("words to be paged")
    terminal.send("w")
    terminal.wait_for("save as")
    terminal.forget()
    terminal.send(ESCAPE)
    terminal.wait_for(lambda text: text.count("\n") > 10)  # drawn anew, without that line
    terminal.quiet(0.3)  # and then the keys are the viewer's again
    return terminal


def in_pager(
    home: Path, server: Recorder, how: str, program: Sequence[str] = PROGRAM
) -> tuple[Terminal, int]:
    """Open a result in a pager; return the terminal and the pager's process id."""
    pager = f"{sys.executable} -m tests.program.paging {how}"
    terminal = in_viewer(home, server, pager, program)
    terminal.send("|")
    found = _PAGER.search(terminal.wait_for(lambda text: bool(_PAGER.search(text))))
    assert found is not None
    return terminal, int(found[1])


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def assert_all_is_given_back(terminal: Terminal, pager: int) -> None:
    end = time.monotonic() + SOON
    while _is_there(pager):  # until whoever takes in orphans has done so
        assert time.monotonic() < end, "the pager outlives what started it"
        time.sleep(0.01)
    assert terminal.modes_left() == set()
    assert terminal.keyboard_pushes() == 0
    assert terminal.settings() == terminal.before
    assert "Traceback" not in terminal.text()


@pytest.mark.parametrize("how", ["polite", "deaf"])
def test_a_signal_ends_the_pager_too(home: Path, server: Recorder, how: str) -> None:
    terminal, pager = in_pager(home, server, how)
    with terminal:
        terminal.signal(signal.SIGTERM)
        started = time.monotonic()
        assert terminal.wait_exit(SOON) == Exit.INTERRUPTED
        assert time.monotonic() - started < SOON
        assert_all_is_given_back(terminal, pager)


def test_the_screen_comes_back_when_the_pager_is_left(home: Path, server: Recorder) -> None:
    terminal, pager = in_pager(home, server, "polite")
    with terminal:
        terminal.forget()
        terminal.send("q")
        terminal.wait_for("wrapped")
        terminal.send("q")
        terminal.wait_for("READ")
        terminal.send("q")
        assert terminal.wait_exit(SOON) == Exit.DONE
        assert_all_is_given_back(terminal, pager)


def test_news_wait_until_the_pager_is_left(home: Path, server: Recorder) -> None:
    (home / "config.toml").parent.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[screen]\nalerts = "always"\n')
    names = ("build", "tests", "deploy", "docs")
    for name in names:
        server.add(name, statusMessage="step 1 of 4")
    terminal, pager = in_pager(home, server, "polite", QUICK)
    with terminal:
        before = len(terminal.output)
        save(home, server.url, *names)
        for name in names:
            read_until(terminal, home, name, State.WORKING)
            server.tasks[name] |= {"status": "completed", "result": {"content": []}}
            read_until(terminal, home, name, State.COMPLETED)
        assert terminal.output[before:] == b"", "the terminal is the pager's"
        terminal.forget()
        terminal.send("q")
        terminal.wait_for_bytes(lambda output: _CALL in output[before:])
        terminal.wait_for("finished")
        assert terminal.output[before:].count(_CALL) < len(names)
        terminal.send("qq")
        assert terminal.wait_exit(SOON) == Exit.DONE
        assert_all_is_given_back(terminal, pager)


def read_until(terminal: Terminal, home: Path, name: str, state: State) -> None:
    """Read what the terminal gets until a task is kept in that state."""
    end = time.monotonic() + 40
    while {each.handle.task_id: each.snapshot.state for each in saved(home).values()}[
        name
    ] != state:
        assert time.monotonic() < end, f"{name} is not {state}"
        terminal.read(0.1)


def test_a_pager_that_is_not_there_is_told_on_the_screen(home: Path, server: Recorder) -> None:
    with in_viewer(home, server, "no-such-pager-of-anybody") as terminal:
        terminal.send("|")
        terminal.wait_for("installed")
        terminal.forget()
        terminal.send("q")
        terminal.wait_for("READ")
        terminal.send("q")
        assert terminal.wait_exit(SOON) == Exit.DONE
        assert terminal.modes_left() == set()
        assert terminal.settings() == terminal.before

"""However the screen ends: the terminal as it was, nothing sent, nothing lost."""

from __future__ import annotations

import signal
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.exits import Exit
from tests.program.recorder import CONFIRM, STEERING, Recorder
from tests.program.running import (
    PROGRAM,
    QUICK,
    SOON,
    agree,
    environment,
    on_terminal,
    save,
    saved,
    screen,
)
from tests.terminal import ALTERNATE_SCREEN, Terminal

NEVER_SENT = (*STEERING, "notifications/cancelled")
ENTER_THE_SCREEN = f"\x1b[?{ALTERNATE_SCREEN}h".encode()
LEAVE_THE_SCREEN = f"\x1b[?{ALTERNATE_SCREEN}l".encode()
CTRL_C = "\x03"


@pytest.fixture
def open_form(home: Path, server: Recorder) -> Callable[[], Terminal]:
    """Open the screen and in it the form of a task that asks for input, half filled in."""

    def opened() -> Terminal:
        server.add("asks-first", "input_required", inputRequests=CONFIRM)
        save(home, server.url, "asks-first")
        terminal = screen(home)
        terminal.wait_for("needs input")
        terminal.send("u")
        terminal.wait_for("Deploy to production?")
        terminal.wait_for("Reason")
        terminal.send("because")
        terminal.wait_for("because")
        return terminal

    return opened


@pytest.fixture
def open_list(home: Path, server: Recorder) -> Callable[..., Terminal]:
    """Open the screen on three running tasks that are polled."""

    def opened(program: Sequence[str] = PROGRAM) -> Terminal:
        for name in ("one", "two", "three"):
            server.add(name, statusMessage=f"{name} 1 of 4")
        save(home, server.url, *server.tasks)
        terminal = screen(home, program=program)
        terminal.wait_for(lambda text: all(f"{name} 1 of 4" in text for name in server.tasks))
        return terminal

    return opened


def assert_left_clean(terminal: Terminal) -> None:
    """The terminal is as it was, whatever the program had done to it."""
    assert {ALTERNATE_SCREEN, 1000, 1006} <= terminal.modes_used(), "it was never up"
    assert terminal.modes_left() == set()
    assert terminal.keyboard_pushes() == 0
    assert terminal.settings() == terminal.before


def assert_nothing_sent(server: Recorder) -> None:
    assert server.sent("tasks/get") > 0
    assert server.sent(*NEVER_SENT) == 0


def ended(terminal: Terminal) -> int:
    """Wait for the end, which has to come soon; return the exit status."""
    started = time.monotonic()
    status = terminal.wait_exit(SOON)
    assert time.monotonic() - started < SOON
    return status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_in_the_list(
    open_list: Callable[[], Terminal], server: Recorder, home: Path, number: signal.Signals
) -> None:
    with open_list() as terminal:
        for _ in range(3):  # also of somebody who is impatient
            terminal.signal(number)
        assert ended(terminal) == Exit.INTERRUPTED
        assert_left_clean(terminal)
    assert_nothing_sent(server)
    assert {one.snapshot.status for one in saved(home).values()} == {"working"}
    assert all(one.snapshot.read.ok for one in saved(home).values())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_a_form_sends_no_answer(
    open_form: Callable[[], Terminal], server: Recorder, home: Path, number: signal.Signals
) -> None:
    with open_form() as terminal:
        terminal.signal(number)
        assert ended(terminal) == Exit.INTERRUPTED
        assert_left_clean(terminal)
    assert_nothing_sent(server)
    (one,) = saved(home).values()
    assert not one.answers


def test_a_signal_while_reads_are_on_their_way(home: Path, server: Recorder) -> None:
    """A server that never answers holds nothing up, and its silence is no news of the task."""
    server.silent.add("tasks/get")
    save(home, server.url, "one")
    with screen(home) as terminal:
        server.wait_for("tasks/get")
        terminal.wait_for("one")
        terminal.signal(signal.SIGTERM)
        assert ended(terminal) == Exit.INTERRUPTED
        assert_left_clean(terminal)
    assert_nothing_sent(server)
    (one,) = saved(home).values()
    assert one.snapshot.read.error is None, "our own abort is no failed read"


def test_ctrl_c_in_the_list(
    open_list: Callable[[], Terminal], server: Recorder, home: Path
) -> None:
    with open_list() as terminal:
        terminal.send(CTRL_C)
        assert ended(terminal) == Exit.DONE
        assert_left_clean(terminal)
    assert_nothing_sent(server)
    assert len(saved(home)) == 3


def test_ctrl_c_in_a_form_sends_no_answer(
    open_form: Callable[[], Terminal], server: Recorder, home: Path
) -> None:
    with open_form() as terminal:
        terminal.send(CTRL_C)
        terminal.wait_for("1 answer is typed and not sent: leave without it?")
        agree(terminal, lambda: terminal.process.poll() is not None)
        assert ended(terminal) == Exit.DONE
        assert_left_clean(terminal)
    assert_nothing_sent(server)
    (one,) = saved(home).values()
    assert not one.answers


def test_a_closed_terminal(open_form: Callable[[], Terminal], server: Recorder, home: Path) -> None:
    with open_form() as terminal:
        terminal.hang_up()
        assert terminal.process.wait(SOON) == Exit.INTERRUPTED
    assert_nothing_sent(server)
    (one,) = saved(home).values()
    assert not one.answers
    assert not (home / "log").exists(), "a closed window is no bug"


@pytest.mark.parametrize("where", ["handler", "drawing", "engine"])
def test_a_bug_of_ours(home: Path, server: Recorder, where: str) -> None:
    server.add("one", statusMessage="step 1 of 4")
    save(home, server.url, "one")
    argv = [sys.executable, "-m", "tests.program.crashing", where]
    with on_terminal(argv, environment(home)) as terminal:
        if where != "engine":  # that needs no key, and a key typed after the end is echoed
            terminal.wait_for("one")
            terminal.send("i")
        assert ended(terminal) == Exit.OWN_FAULT
        assert_left_clean(terminal)
        told = terminal.after(LEAVE_THE_SCREEN)
        raw = terminal.output.rpartition(LEAVE_THE_SCREEN)[2]
    log = home / "log" / "mcp-tasks-tui.log"
    (line,) = told.splitlines()
    assert line.startswith("mcp-tasks-tui ended on a bug of its own: InjectedError: injected")
    assert line.endswith(f"Details: {log}")
    assert b"\x1b]0;" not in raw
    assert b"\x07" not in raw
    assert "InjectedError" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert server.sent(*NEVER_SENT) == 0
    assert len(saved(home)) == 1


def test_what_fails_beside_the_screen_is_told_there_and_afterwards(home: Path) -> None:
    argv = [sys.executable, "-m", "tests.program.crashing", "beside"]
    with on_terminal(argv, environment(home)) as terminal:
        terminal.wait_for("InjectedError: injected")
        terminal.send("q")
        assert ended(terminal) == Exit.OWN_FAULT
        assert_left_clean(terminal)
        told = terminal.after(LEAVE_THE_SCREEN)
        raw = terminal.output.rpartition(LEAVE_THE_SCREEN)[2]
    log = home / "log" / "mcp-tasks-tui.log"
    (line,) = told.splitlines()
    assert line.startswith("what ran beside the screen ended on a bug: InjectedError: injected")
    assert line.endswith(f"details: {log}")
    assert b"\x1b]0;" not in raw
    assert "InjectedError" in log.read_text()


@contextmanager
def _ignoring(number: signal.Signals) -> Iterator[None]:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def test_ctrl_c_before_the_screen_is_up(home: Path) -> None:
    """While it still imports: no traceback, and a status that says interrupted."""
    telling = environment(home, PYTHONPROFILEIMPORTTIME="1")
    with _ignoring(signal.SIGINT):  # as what is run with nohup may
        terminal = Terminal(PROGRAM, telling)
    with terminal:
        terminal.wait_for("mcp_tasks_tui.cli")  # from here on it is this program's to take
        terminal.signal(signal.SIGINT)
        assert ended(terminal) == Exit.INTERRUPTED
        assert terminal.modes_left() == set()
        assert terminal.settings() == terminal.before
        assert "Traceback" not in terminal.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_as_soon_as_the_screen_begins(
    home: Path, server: Recorder, number: signal.Signals
) -> None:
    save(home, server.url, "one")
    with screen(home) as terminal:
        terminal.wait_for_bytes(ENTER_THE_SCREEN)
        terminal.signal(number)
        assert ended(terminal) == Exit.INTERRUPTED
        assert terminal.modes_left() == set()
        assert terminal.settings() == terminal.before
        assert "Traceback" not in terminal.text()


def test_a_signal_while_another_program_holds_the_database(
    open_list: Callable[..., Terminal], home: Path
) -> None:
    """What is to be written cannot be: the terminal is free in time all the same."""
    with open_list(QUICK) as terminal, closing(sqlite3.connect(home / "tasks.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        terminal.signal(signal.SIGTERM)
        assert ended(terminal) == Exit.INTERRUPTED
        assert_left_clean(terminal)
    assert len(saved(home)) == 3


def test_a_signal_while_the_program_is_held_up(home: Path, server: Recorder) -> None:
    server.add("one")
    save(home, server.url, "one")
    argv = [sys.executable, "-m", "tests.program.crashing", "held-up"]
    with on_terminal(argv, environment(home)) as terminal:
        terminal.wait_for("one")
        terminal.send("i")
        terminal.wait_for_bytes(b"held up")
        terminal.signal(signal.SIGTERM)
        assert ended(terminal) == Exit.INTERRUPTED
        assert_left_clean(terminal)

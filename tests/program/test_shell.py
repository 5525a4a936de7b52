"""The program among other programs: pipes, plain terminals, no terminal, windows of every size."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.exits import Exit
from tests.program.recorder import CONFIRM, STEERING, Recorder
from tests.program.running import PROGRAM, QUICK, command, environment, run, save, saved, screen
from tests.terminal import ESCAPE, MOUSE_MODES, Terminal

_COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")
_STYLE = re.compile(rb"\x1b\[[0-9;]*m")
_NOWHERE = "http://127.0.0.1:9/mcp"
_MANY = 5_000


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with far more in it than a pipe takes. It is only read."""
    home = tmp_path_factory.mktemp("crowded") / "home"
    save(home, _NOWHERE, *(f"task-{number}" for number in range(_MANY)))
    return home


@pytest.mark.parametrize("arguments", ["list", "list --json", "list -q", "export"])
def test_a_reader_that_has_seen_enough_is_no_error(crowded: Path, arguments: str) -> None:
    with command(crowded, *arguments.split()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(20) == Exit.DONE
    assert not (crowded / "log").exists()


def test_help_needs_neither_terminal_nor_home(tmp_path: Path) -> None:
    nowhere = tmp_path / "missing"
    told = run(nowhere, "--help")
    assert told.returncode == 0
    assert "Commands:" in told.stdout
    assert "\x1b" not in told.stdout
    assert told.stderr == ""
    assert not nowhere.exists()


def test_the_screen_without_a_terminal_says_what_does_without(home: Path) -> None:
    told = run(home)
    assert told.returncode == Exit.USAGE
    assert "needs a terminal" in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert told.stdout == ""


def test_a_command_on_a_dumb_terminal_writes_no_escapes(home: Path) -> None:
    save(home, _NOWHERE, "one")
    with Terminal([*PROGRAM, "list"], environment(home, TERM="dumb")) as terminal:
        assert terminal.wait_exit() == 0
        assert b"one" in terminal.output
        assert b"\x1b" not in terminal.output


def test_without_colours_and_without_the_mouse(home: Path, server: Recorder) -> None:
    server.add("one", "input_required", inputRequests=CONFIRM)
    save(home, server.url, "one")
    with screen(home, "--no-mouse", env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("needs input")
        terminal.press("\r", ESCAPE, "v", "v", "u")
        terminal.wait_for("Deploy to production?")
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
        assert not terminal.modes_used() & MOUSE_MODES
        assert terminal.modes_left() == set()
        assert _STYLE.search(terminal.output), "not even bold or reverse"
        assert _COLOUR.findall(terminal.output) == []


def test_colours_and_the_mouse_are_there_otherwise(home: Path, server: Recorder) -> None:
    """So that the test above can fail."""
    server.add("one")
    save(home, server.url, "one")
    with screen(home) as terminal:
        terminal.wait_for("working")
        terminal.send("q")
        assert terminal.wait_exit() == 0
        assert terminal.modes_used() & MOUSE_MODES
        assert _COLOUR.search(terminal.output)


@pytest.mark.parametrize("with_form", [False, True])
def test_a_storm_of_window_sizes(home: Path, server: Recorder, with_form: bool) -> None:
    server.interval_ms = 500
    server.add("asking", "input_required", inputRequests=CONFIRM)
    for number in range(20):
        server.add(f"job-{number}", statusMessage=f"{number} of 20")
    save(home, server.url, *server.tasks)
    with screen(home, columns=200, rows=60, program=QUICK) as terminal:
        terminal.wait_for("needs input")
        if with_form:
            terminal.send("iu")
            terminal.wait_for("Reason")
        for _ in range(3):
            for columns, rows in ((20, 5), (1, 1), (80, 24), (200, 60), (2, 40), (300, 2)):
                terminal.resize(columns, rows)
                terminal.read(0.05)
        reads = server.sent("tasks/get")
        server.wait_for("tasks/get", reads + 20)  # it goes on polling all the while
        terminal.resize(80, 24)
        terminal.quiet(0.3)
        terminal.forget()
        terminal.resize(100, 30)
        terminal.wait_for("Deploy to production?" if with_form else "needs input")
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
        assert terminal.modes_left() == set()
    assert server.sent(*STEERING) == 0
    assert len(saved(home)) == 21
    assert not (home / "log").exists()

"""On a real terminal: it is left clean however the screen ends, and stays quiet while idle."""

from __future__ import annotations

import os
import re
import signal
import sys
import termios
import time
from pathlib import Path

import pytest

from mcp_tasks_tui.places import HOME_VARIABLE
from tests.terminal import Terminal

_ROOT = Path(__file__).parents[2]
#: What puts a terminal back: the main buffer, the cursor, no mouse, no focus events, no paste.
_RESETS = ("?1049l", "?25h", "?1000l", "?1003l", "?1004l", "?2004l")


def _open(*options: str, columns: int = 100, rows: int = 30, **env: str) -> Terminal:
    variables = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(_ROOT),
        HOME_VARIABLE: "/nonexistent",
        **env,
    }
    argv = [sys.executable, "-m", "tests.ui.run_fake", *options]
    return Terminal(argv, variables, columns=columns, rows=rows)


def _assert_clean(terminal: Terminal) -> None:
    output = terminal.output.decode("utf-8", "replace")
    for reset in _RESETS:
        switched_off = output.rfind(f"\x1b[{reset}")
        switched_on = output.rfind(f"\x1b[{reset[:-1]}{'l' if reset.endswith('h') else 'h'}")
        assert switched_off > switched_on, reset


def _read_for(terminal: Terminal, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        terminal.read(0.1)


def _modes(terminal: Terminal) -> list[object]:
    return termios.tcgetattr(terminal._slave)[:4]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_a_clean_terminal(number: signal.Signals) -> None:
    with _open() as terminal:
        terminal.wait_for("job 12")
        terminal.signal(number)
        assert terminal.wait_exit() == 130
        _assert_clean(terminal)
        assert _modes(terminal) == terminal.before[:4]
        assert "closed start" in terminal.text()


def test_a_terminal_that_goes_away_ends_it() -> None:
    with _open() as terminal:
        terminal.wait_for("job 12")
        terminal.hang_up()
        assert terminal.process.wait(15) != 0


def test_a_bug_ends_it_with_a_clean_terminal_and_a_clean_line() -> None:
    with _open("bug") as terminal:
        assert terminal.wait_exit() == 70
        _assert_clean(terminal)
        report = terminal.output.decode("utf-8", "replace").rpartition("\x1b[?1049l")[2]
        assert "RuntimeError: unforeseen ok␛[2J" in report
        assert "/var/log/it" in report
        assert "Traceback" not in report
        assert "\x1b]0;" not in report
        assert "\x9b" not in report


def test_nothing_of_a_server_reaches_the_terminal_raw() -> None:
    with _open("hostile") as terminal:
        terminal.wait_for("job 12")
        for keys in ("\r", "\x1b", "c", "n", "v", "v", "?", "q", "q"):
            terminal.send(keys)
            _read_for(terminal, 0.6)
        assert terminal.wait_exit() == 0
        output = terminal.output
    assert b"PWNED" in output  # it was shown, as text
    for control in (
        b"\x1b]0;",
        b"\x1b[2J",
        b"52;c;aGk=\x07",
        b"\x00",
        "\u202e".encode(),
        b"\xc2\x9b",
    ):
        assert control not in output, control


def test_a_quiet_list_writes_next_to_nothing() -> None:
    with _open() as terminal:
        terminal.wait_for("job 12")
        _read_for(terminal, 1.5)
        before = len(terminal.output)
        _read_for(terminal, 3.0)
        assert len(terminal.output) - before < 3_000
        terminal.send("q")
        assert terminal.wait_exit() == 0


def test_no_color_means_none() -> None:
    with _open(NO_COLOR="1") as terminal:
        terminal.wait_for("job 12")
        terminal.send("j")
        terminal.read(0.5)
        terminal.send("q")
        assert terminal.wait_exit() == 0
        styles = re.findall(rb"\x1b\[([0-9;]*)m", terminal.output)
    coloured = [s for s in styles if re.search(rb"(^|;)(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;|$)", s)]
    assert not coloured
    assert any(b"7" in style.split(b";") for style in styles)  # the cursor's line is reversed


def test_no_mouse_leaves_the_mouse_to_the_terminal() -> None:
    with _open("no-mouse") as terminal:
        terminal.wait_for("job 12")
        terminal.send("q")
        assert terminal.wait_exit() == 0
        assert not re.search(rb"\x1b\[\?100[0236]h", terminal.output)


def test_windows_of_any_size_while_it_runs() -> None:
    with _open(columns=200, rows=60) as terminal:
        terminal.wait_for("job 12")
        for columns, rows in ((20, 5), (1, 1), (40, 10), (80, 24)):
            terminal.resize(columns, rows)
            terminal.read(0.4)
        terminal.forget()
        terminal.send("j")
        terminal.wait_for("job")
        terminal.send("q")
        assert terminal.wait_exit() == 0

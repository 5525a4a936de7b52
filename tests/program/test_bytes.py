"""What reaches the terminal: little while nothing happens, and nothing of a server's controls."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from mcp_tasks_tui.demo.scenes import Stage
from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.handles.store import HandleStore
from tests.commandline import Cli
from tests.program.hostile import assert_clean, look_everywhere
from tests.program.recorder import Recorder
from tests.program.running import QUICK, save, screen

#: Bytes a second, measured at 5 kB: ages, and the countdown of the panel.
_IDLE_BYTES = 12_000
_SECONDS = 1.5


def test_fifty_unchanged_tasks_write_next_to_nothing(home: Path, server: Recorder) -> None:
    server.interval_ms = 500
    for number in range(50):
        server.add(f"job-{number:02}", statusMessage=f"building {number}")
    save(home, server.url, *server.tasks)
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for("building")
        server.wait_for("tasks/get", 150)  # each was read three times: nothing is new any more
        terminal.read_for(0.5)
        reads, began = server.sent("tasks/get"), time.monotonic()
        written = terminal.read_for(_SECONDS)
        while server.sent("tasks/get") - reads <= 100:
            written += terminal.read_for(0.1)
            assert time.monotonic() - began < 40, "it was not polled meanwhile"
        seconds = time.monotonic() - began
        terminal.send("q")
        assert terminal.wait_exit() == 0
    assert written < seconds * _IDLE_BYTES


@pytest.fixture
def hostile(stage: Stage, cli: Cli) -> str:
    """The key of a task of the demo's that asks with hostile text, as saved by `call`."""
    return cli("call", stage.urls["demo"], "read_mailbox").lines[0]


def test_hostile_text_reaches_the_terminal_as_text(home: Path, cli: Cli, hostile: str) -> None:
    with screen(home, columns=160, rows=70) as terminal:
        terminal.wait_for("needs input")
        look_everywhere(terminal, asks=True)
        answered = cli("update", hostile, "--decline", ".")
        assert answered.code == 0, answered.err
        terminal.wait_for("completed")
        terminal.wait_for("evil.example")
        look_everywhere(terminal)
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
        assert_clean(terminal.output)
        shown = terminal.text()
    assert "pwned" in shown, "what was to be shown was not"
    assert not re.search("\x1b]", shown)


def test_the_judge_of_hostile_text_sees_what_is_raw() -> None:
    assert_clean("\x1b[1;38;5;2mfine\x1b[0m\r\n\x1b[2;10H^[[31m é 世界".encode())
    for raw in ("\x1b]0;title\x07", "\x1b[2J", "\x1b[31m", "\x9b31m", "\x00", "\x1bM", "\u202e"):
        with pytest.raises(AssertionError):
            assert_clean(f"before{raw}after".encode())


@pytest.mark.parametrize("stalls", [False, True])
def test_a_coloured_line_pasted_over_the_list_gives_no_commands(
    home: Path, server: Recorder, stalls: bool
) -> None:
    server.add("job", statusMessage="building")
    save(home, server.url, "job")
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for("building")
        terminal.send("\x1b[200~log: \x1b[31m")
        if stalls:
            terminal.read_for(1.0)  # it is taken to be over
        terminal.send("FAILED: E c y H d and so on\x1b[0m\x1b[201~?")
        terminal.wait_for("esc closes")  # the help: what came before it was read
        assert "held" not in terminal.text()
        terminal.send("\x03")
        assert terminal.wait_exit() == 0
    with HandleStore.open(home) as store:
        (saved,) = store.load()
        assert saved.handle.archived_at is None
        told = [entry.event for entry in store.journal(saved.handle.key)]
    assert Event.HELD not in told
    assert server.sent("tasks/cancel") == 0

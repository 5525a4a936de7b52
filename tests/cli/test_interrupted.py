"""Commands as processes: Ctrl-C, output with no room or no letters for it, plain terminals."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.scripted import Scripted
from tests.program.running import PROGRAM, command, environment, on_terminal, run, save, saved


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as scripted:
        yield scripted


@pytest.fixture
def home(neutral_environment: Path) -> Path:
    return neutral_environment


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGHUP, -signal.SIGHUP),
    ],
)
def test_a_call_that_is_ended_before_it_is_answered(
    home: Path, server: Scripted, number: signal.Signals, status: int
) -> None:
    with command(home, "call", server.url, "silent") as process:
        server.wait_for("tools/call")
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (status, "")
    assert "no handle was received" in err
    assert "Traceback" not in err
    assert server.sent("tasks/cancel") == 0
    told = run(home, "list")
    assert "a call of silent" in told.stderr, "it may have started all the same"


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
def test_a_wait_that_is_ended_says_how_to_come_back(
    home: Path, server: Scripted, number: signal.Signals, status: int
) -> None:
    keys = save(home, server.url, "working", "asks")
    with command(home, "wait", *keys) as process:
        server.wait_for("tasks/get", 3)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == status
    assert f"Come back with: mcp-tasks-tui wait {' '.join(keys)}" in err
    assert "Traceback" not in err
    assert server.sent("tasks/cancel") == 0


def test_ctrl_c_while_a_call_waits_for_its_task(home: Path, server: Scripted) -> None:
    with command(home, "call", server.url, "working", "--wait") as process:
        server.wait_for("tasks/get")  # at that moment the handle may be on its way to the disk
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    (key,) = saved(home)
    assert (process.returncode, out) == (130, "")
    assert f"Come back with: mcp-tasks-tui wait {key}" in err


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        (("update", "--accept", '{"reason": "x"}'), "answer to asks"),
        (("cancel",), "cancel of asks"),
    ],
    ids=["update", "cancel"],
)
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
def test_what_is_on_its_way_is_told_of_before_it_is_waited_for_and_after(
    home: Path,
    server: Scripted,
    arguments: tuple[str, ...],
    called: str,
    number: signal.Signals,
    status: int,
) -> None:
    (key,) = save(home, server.url, "asks")
    server.silent |= {f"tasks/{arguments[0]}"}
    with command(home, arguments[0], key, *arguments[1:]) as process:
        server.wait_for(f"tasks/{arguments[0]}")
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (status, "")
    assert [line for line in err.splitlines() if line] == [
        f"the {called} is on its way: waiting a moment for it",
        f"the {called} was on its way: it may have arrived; "
        f"see `mcp-tasks-tui show {key} --refresh`",
    ]


def test_what_arrives_while_a_command_ends_is_told_as_taken(home: Path, server: Scripted) -> None:
    (key,) = save(home, server.url, "asks")
    told_to_end = threading.Event()

    def reply_late(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        if method == "tasks/cancel":
            told_to_end.wait(60)
        write(answer)

    server.on_reply = reply_late
    with command(home, "cancel", key) as process:
        server.wait_for("tasks/cancel")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.readline()
        told_to_end.set()
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "is on its way: waiting a moment for it" in said
    assert f"the cancel of asks was taken; see `mcp-tasks-tui show {key} --refresh`" in err
    assert saved(home)[key].snapshot.cancel_requested_at is not None


@pytest.mark.parametrize("arguments", ["list", "list --json", "show t1", "export", "--version"])
def test_output_that_cannot_be_written_is_no_bug(home: Path, arguments: str) -> None:
    save(home, "http://127.0.0.1:9/mcp", "t1")
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(
            [*PROGRAM, *arguments.split()],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(home),
            text=True,
            timeout=60,
            check=False,
        )
    assert told.returncode == 70
    assert told.stderr == "error: the output cannot be written: No space left on device\n"
    assert not (home / "log").exists()


def test_what_an_encoding_does_not_know_is_escaped(home: Path) -> None:
    save(home, "http://127.0.0.1:9/mcp", "na\u00efve \u591c")
    told = subprocess.run(
        [*PROGRAM, "list"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(home, PYTHONIOENCODING="latin-1"),
        timeout=60,
        check=True,
    )
    assert b"na\xefve \\u591c" in told.stdout


@pytest.mark.parametrize(("term", "rewrites"), [("dumb", False), ("xterm-256color", True)])
def test_only_a_terminal_that_can_has_a_line_that_is_rewritten(
    home: Path, server: Scripted, term: str, rewrites: bool
) -> None:
    call = ("call", server.url, "done", "--wait")
    env = environment(home, TERM=term)
    with on_terminal([*PROGRAM, *call], env, columns=80, rows=24) as terminal:
        terminal.wait_for("all is built")
        assert terminal.wait_exit() == 0
        assert (b"\x1b" in bytes(terminal.output)) is rewrites


def test_a_terminal_in_the_c_locale_gets_plain_signs(home: Path) -> None:
    save(home, "http://127.0.0.1:9/mcp", "na\u00efve " + "x" * 200)
    env = environment(home, LC_ALL="C")
    with on_terminal([*PROGRAM, "list"], env, columns=80, rows=24) as terminal:
        assert terminal.wait_exit() == 0
        assert bytes(terminal.output).isascii()
        assert b"na\\xefve" in bytes(terminal.output)
        assert b"x~" in bytes(terminal.output)


@pytest.mark.parametrize(
    ("term", "said"), [("dumb", "TERM is dumb"), ("", "TERM is not set")], ids=["dumb", "unset"]
)
@pytest.mark.parametrize("arguments", [(), ("demo",)], ids=["screen", "demo"])
def test_a_terminal_that_cannot_draw_is_told_so_in_one_line(
    home: Path, term: str, said: str, arguments: tuple[str, ...]
) -> None:
    env = environment(home, TERM=term)
    with on_terminal([*PROGRAM, *arguments], env, columns=120, rows=24) as terminal:
        assert terminal.wait_exit() == 2
        told = bytes(terminal.output)
        assert terminal.settings() == terminal.before
    assert f"({said}); list, show and wait do not".encode() in told
    assert b"\x1b" not in told
    assert told.count(b"\n") == 1
    assert not home.exists()

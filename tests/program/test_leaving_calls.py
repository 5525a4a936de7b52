"""Leaving the screen with something at stake: what is not on disk is given to the person, and what
is on its way is waited for a moment."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.handles.interchange import parse
from mcp_tasks_tui.handles.model import AnswerState
from mcp_tasks_tui.handles.store import HandleStore
from tests.program.recorder import CONFIRM, Recorder
from tests.program.running import SOON, agree, run, save, saved, screen
from tests.terminal import ALTERNATE_SCREEN, Terminal

LEFT = f"\x1b[?{ALTERNATE_SCREEN}l".encode()
ASKED = "has not answered yet: leave and lose its handle?"


@contextmanager
def calling(home: Path, server: Recorder) -> Iterator[Terminal]:
    """The screen with a call of the only tool on its way."""
    server.add("one", statusMessage="step 1 of 4")
    save(home, server.url, "one")
    with screen(home) as terminal:
        terminal.wait_for("step 1 of 4")
        terminal.send("n")
        terminal.wait_for("build")
        terminal.send("\r")
        terminal.wait_for("Label")
        terminal.send("\x13")
        server.wait_for("tools/call")
        yield terminal


def lost(home: Path) -> list[str]:
    with HandleStore.open(home) as store:
        return [intent.tool for intent in store.open_intents()]


def test_a_handle_that_the_disk_refused_is_printed_whole_when_the_screen_closes(
    home: Path, tmp_path: Path, server: Recorder
) -> None:
    receipts = home / "receipts.jsonl"

    def refuse(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        """A folder stands where the file was, as soon as there is a handle to keep."""
        if method == "tools/call":
            receipts.rename(tmp_path / "aside")
            receipts.mkdir()
        write(answer)

    server.on_reply = refuse
    with calling(home, server) as terminal:
        terminal.wait_for("1 handle is NOT SAVED")
        terminal.send("q")
        terminal.wait_for("1 handle is not on disk: leave and keep it by hand?")
        agree(terminal, lambda: terminal.process.poll() is not None)
        assert terminal.wait_exit(SOON) == Exit.OWN_FAULT
        said, whole = terminal.after(LEFT).splitlines()
    assert "not on disk; keep this, and give it to `mcp-tasks-tui import` later:" in said
    (handle,) = parse(whole).drafts
    assert (handle.task_id, handle.tool, handle.server_url) == ("task-2", "build", server.url)

    receipts.rmdir()
    (tmp_path / "aside").rename(receipts)
    kept = tmp_path / "kept.json"
    kept.write_text(whole)
    assert run(home, "import", str(kept)).returncode == 0
    assert "task-2" in run(home, "export").stdout


def test_a_call_under_way_is_asked_for_and_told_when_a_signal_ends_it(
    home: Path, server: Recorder
) -> None:
    server.silent.add("tools/call")
    with calling(home, server) as terminal:
        terminal.wait_for("1 call under way")
        terminal.send("q")
        terminal.wait_for(ASKED)
        terminal.send("n")
        assert lost(home) == [], "it is still waited for"
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_exit(SOON) == Exit.INTERRUPTED
        (told,) = terminal.after(LEFT).splitlines()
    assert told.startswith("a call of build on ")
    assert "no handle came back: it may have started" in told
    assert lost(home) == ["build"]


def test_an_answer_on_its_way_is_waited_for_when_a_signal_ends_the_screen(
    home: Path, server: Recorder
) -> None:
    told_to_end = threading.Event()

    def late(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        if method == "tasks/update":
            told_to_end.wait(SOON)
        write(answer)

    server.on_reply = late
    server.add("asks-first", "input_required", inputRequests=CONFIRM)
    save(home, server.url, "asks-first")
    with screen(home) as terminal:
        terminal.wait_for("needs input")
        terminal.send("u")
        terminal.wait_for("Deploy to production?")
        terminal.wait_for("Reason")
        terminal.send("because")
        terminal.wait_for("because")
        terminal.send("\x13")
        server.wait_for("tasks/update")
        terminal.signal(signal.SIGTERM)
        told_to_end.set()
        assert terminal.wait_exit(SOON) == Exit.INTERRUPTED
        assert terminal.after(LEFT).splitlines() == []
    (one,) = saved(home).values()
    assert [each.state for each in one.answers.values()] == [AnswerState.ACKNOWLEDGED]


def test_a_cancel_that_is_not_acknowledged_soon_is_told_to_have_perhaps_arrived(
    home: Path, server: Recorder
) -> None:
    server.silent.add("tasks/cancel")
    server.add("one", statusMessage="step 1 of 4")
    save(home, server.url, "one")
    with screen(home) as terminal:
        terminal.wait_for("step 1 of 4")
        terminal.send("c")
        agree(terminal, lambda: server.sent("tasks/cancel") > 0)
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_exit(SOON) == Exit.INTERRUPTED
        (told,) = terminal.after(LEFT).splitlines()
    assert told.startswith("the cancel of one was on its way: it may have arrived; see")
    (one,) = saved(home).values()
    assert one.snapshot.cancel_requested_at is not None

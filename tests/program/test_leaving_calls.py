"""Leaving the screen with something at stake: what is not on disk is given to the person."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.handles.interchange import parse
from mcp_tasks_tui.handles.store import HandleStore
from tests.program.recorder import Recorder
from tests.program.running import SOON, agree, run, save, screen
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

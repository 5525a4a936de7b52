"""Programs beside each other: what one saves, the screen of the other shows by itself."""

from __future__ import annotations

from pathlib import Path

from tests.program.recorder import Recorder
from tests.program.running import run, screen


def test_what_another_terminal_saves_appears_by_itself(home: Path, server: Recorder) -> None:
    server.add("made-elsewhere", statusMessage="step 3 of 4")
    with screen(home) as terminal:
        terminal.wait_for("mcp-tasks-tui call")  # the empty list says how to fill it
        terminal.forget()
        assert run(home, "call", server.url, "build", "--label", "nightly").returncode == 0
        terminal.wait_for("nightly")
        terminal.wait_for("step 1 of 4")
        added = run(home, "add", server.url, "made-elsewhere", "--label", "by hand")
        assert added.returncode == 0
        terminal.wait_for("by hand")
        server.tasks["made-elsewhere"]["statusMessage"] = "step 4 of 4"
        terminal.wait_for("step 4 of 4")  # it is polled here, too
        terminal.forget()
        assert run(home, "archive", added.stdout.strip()).returncode == 0
        terminal.wait_for("1 task")
        terminal.send("q")
        assert terminal.wait_exit() == 0
    assert server.sent("tools/call") == 1

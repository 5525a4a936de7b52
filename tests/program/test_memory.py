"""A screen on which results are looked at all day takes no more memory in the evening."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.program.recorder import Recorder
from tests.program.running import QUICK, SOON, save, screen
from tests.terminal import ESCAPE, Terminal

pytestmark = pytest.mark.slow

#: Kilobytes by which a program may grow that has seen everything several times before. What each
#: round left behind was more than ten times as much.
_ROOM = 6_000


def memory(terminal: Terminal) -> int:
    """Return the memory of the program in kilobytes."""
    asked = ["ps", "-o", "rss=", "-p", str(terminal.process.pid)]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


def test_viewers_that_were_opened_and_left(home: Path, server: Recorder) -> None:
    rows = [{"id": number, "of": [number]} for number in range(1_000)]
    text = "# Report\n" + "some words of it\n" * 3_000
    result = {"content": [{"type": "text", "text": text}], "structuredContent": rows}
    server.add("one", "completed", result=result)
    save(home, server.url, "one")
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for("Report")

        def look(times: int) -> int:
            for _ in range(times):
                terminal.forget()
                terminal.send("w")
                terminal.wait_for("save as")
                terminal.press(ESCAPE, "2", "3", ESCAPE)
            return memory(terminal)

        before = look(12)  # so many are there at once at most, until the first is forgotten
        after = look(16)
        terminal.send("q")
        assert terminal.wait_exit(SOON) == 0
    assert after - before < _ROOM

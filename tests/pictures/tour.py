"""Records the demo as a person sees it, on a real terminal: ``python -m tests.pictures.tour``.

Writes `screenshots/tour.svg`, an animation, and with ``--cast FILE`` the recording itself
(asciicast v2) for terminal players.
"""

from __future__ import annotations

import argparse
import codecs
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.pictures.film import Frame, film
from tests.pictures.vt import Screen
from tests.terminal import Terminal

_KEPT = Path(__file__).resolve().parents[2] / "screenshots" / "tour.svg"
_COLUMNS, _ROWS = 120, 34
_SPEED = 2.5
#: The animation has at most one frame in this many seconds.
_PER_FRAME = 0.4
_TITLE = "mcp-tasks-tui demo"


@dataclass(frozen=True, slots=True)
class Step:
    """Keys that are pressed, and how many seconds a viewer then looks."""

    keys: str
    seconds: float


_ENTER, _ESC, _SEND = "\r", "\x1b", "\x13"
SCRIPT: tuple[Step, ...] = (
    Step("", 5.0),
    Step("u", 2.5),
    *(Step(character, 0.06) for character in "sam@example.com"),
    Step("", 1.2),
    Step(_SEND, 2.0),
    Step(" ", 1.2),
    Step(_SEND, 2.5),
    Step("v", 5.0),
    Step("v", 1.0),
    Step("/", 0.5),
    *(Step(character, 0.08) for character in "is:waiting"),
    Step(_ENTER, 2.5),
    Step(_ESC, 1.5),
    Step("/", 0.4),
    *(Step(character, 0.08) for character in "week 48"),
    Step(_ENTER, 1.2),
    Step(_ENTER, 1.0),
    Step(_ENTER, 3.5),
    Step("4", 2.5),
    Step(_ESC, 0.8),
    Step(_ESC, 0.8),
    Step(_ESC, 2.0),
)


@dataclass(slots=True)
class Recording:
    """What was written to the terminal and when, in seconds from the first byte."""

    events: list[tuple[float, str]] = field(default_factory=list)
    seconds: float = 0.0

    def cast(self) -> str:
        head = {"version": 2, "width": _COLUMNS, "height": _ROWS, "title": _TITLE}
        lines = [
            json.dumps(head),
            *(json.dumps([round(at, 3), "o", text]) for at, text in self.events),
        ]
        return "\n".join(lines) + "\n"

    def frames(self) -> list[Frame]:
        """What the screen showed, sampled at a steady pace."""
        screen = Screen(_COLUMNS, _ROWS)
        frames: list[Frame] = []
        events = list(self.events)
        at = 0.0
        while at < self.seconds:
            while events and events[0][0] <= at:
                screen.feed(events.pop(0)[1])
            if not frames or frames[-1].rows != screen.rows:
                frames.append(Frame(at, screen.rows))
            at += _PER_FRAME
        return frames


def record() -> Recording:
    """Run the demo on a terminal, press the keys of the script, leave."""
    recording = Recording()
    with tempfile.TemporaryDirectory(prefix="mcp-tasks-tui-tour-") as home:
        argv = [sys.executable, "-m", "mcp_tasks_tui", "demo", "--speed", f"{_SPEED:g}"]
        env = {"PATH": os.environ["PATH"], "HOME": home, "MCP_TASKS_TUI_HOME": home, "TZ": "UTC"}
        env |= {"COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        with Terminal(argv, env, columns=_COLUMNS, rows=_ROWS) as terminal:
            terminal.wait_for("needs input")  # an empty list is no beginning
            _play(terminal, recording)
            terminal.send("q")
            status = terminal.wait_exit()
    assert status == 0, f"the demo ended with status {status}"
    return recording


def _play(terminal: Terminal, recording: Recording) -> None:
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    begin = time.monotonic()
    recording.events.append((0.0, decode(terminal.output)))
    end = begin
    for step in SCRIPT:
        if step.keys:
            terminal.send(step.keys)
        end += step.seconds
        while (left := end - time.monotonic()) > 0:
            data = terminal.read(left)
            if data:
                recording.events.append((time.monotonic() - begin, decode(data)))
    recording.seconds = end - begin


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pictures.tour", description=__doc__)
    parser.add_argument("--to", type=Path, default=_KEPT, metavar="FILE")
    parser.add_argument("--cast", type=Path, metavar="FILE", help="the recording, too")
    options = parser.parse_args()
    recording = record()
    svg = film(recording.frames(), recording.seconds, title=_TITLE)
    options.to.write_text(svg, encoding="utf-8")
    if options.cast:
        options.cast.write_text(recording.cast(), encoding="utf-8")
    sys.stderr.write(f"{options.to.name}  {len(svg) // 1024} kB, {recording.seconds:g} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Alerts in a real terminal: toasts where somebody looks, calls where nobody does."""

from __future__ import annotations

import re
from pathlib import Path

from tests.program.recorder import CONFIRM, Recorder
from tests.program.running import QUICK, save, screen
from tests.terminal import ESCAPE, Terminal

FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"
_BURST = tuple(f"batch-{number}" for number in range(5))
_FOLDED = re.compile(rb"\x1b\]9;mcp-tasks-tui: (?:(\d+)|batch-\d) finished")
_SEQUENCE = re.compile(rb"\x1b\][^\x07\x1b]*\x07")


def call(text: str) -> bytes:
    """A bell and a desktop notification."""
    return f"\x07\x1b]9;mcp-tasks-tui: {text}\x07".encode()


def look_away(terminal: Terminal) -> None:
    """Look away; the help that was opened just before shows that this has come in.

    It stays open: whoever types is there.
    """
    terminal.send(f"?{FOCUS_OUT}")
    terminal.wait_for("esc closes")


def look_back(terminal: Terminal) -> None:
    """Look at the list again; the help, opened once more just after, shows that this came in."""
    terminal.forget()
    terminal.send(f"{ESCAPE}{FOCUS_IN}?")
    terminal.wait_for("esc closes")
    terminal.send(ESCAPE)


def test_nobody_is_called_who_looks_and_whoever_does_not_is(home: Path, server: Recorder) -> None:
    names = ("build", "tests", "deploy", "final", *_BURST)
    for name in names:
        server.add(name, statusMessage="step 1 of 4")
    save(home, server.url, *names)
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for(lambda text: all(name in text for name in names))
        look_away(terminal)
        failure = {"code": -32603, "message": "disk full\x1b[2J"}
        server.tasks["tests"] |= {
            "status": "failed",
            "statusMessage": failure["message"],
            "error": failure,
        }
        terminal.wait_for_bytes(call("tests failed: disk full^[[2J"))
        server.tasks["deploy"] |= {"status": "input_required", "inputRequests": CONFIRM}
        terminal.wait_for_bytes(call("deploy needs input"))
        server.tasks["build"] |= {"status": "completed", "result": {"content": []}}
        terminal.wait_for_bytes(call("build finished"))
        for name in _BURST:
            server.tasks[name] |= {"status": "completed", "result": {"content": []}}
        terminal.wait_for_bytes(lambda output: sum(_burst(output)) == len(_BURST))
        calls = len(_burst(terminal.output))
        assert calls < len(_BURST), "news that come together are one call"

        look_back(terminal)
        rung = _rung(terminal.output)
        assert rung == 3 + calls
        server.tasks["final"] |= {"status": "completed", "result": {"content": []}}
        # What was told while the help was open comes first, or together with it.
        terminal.wait_for(lambda text: "final finished" in text or "last: final" in text)
        assert _rung(terminal.output) == rung
        terminal.send("q")
        assert terminal.wait_exit() == 0


def test_a_task_that_stands_still_calls(home: Path, server: Recorder) -> None:
    server.add("silent")
    server.add("ended", "completed", result={"content": []})
    save(home, server.url, "ended")
    (home / "config.toml").write_text("[engine]\nquiet_after = 1\n")
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for("completed")
        look_away(terminal)
        save(home, server.url, "silent")  # from now on it is watched, and nobody looks
        terminal.wait_for_bytes(call("silent is stuck"))
        terminal.send(f"{ESCAPE}q")
        assert terminal.wait_exit() == 0


def test_a_task_that_was_gone_and_is_back_calls(home: Path, server: Recorder) -> None:
    save(home, server.url, "lost")
    server.interval_ms = 300  # not-founds in less than a quarter of a second count as one
    server.add("lost", statusMessage="step 1 of 4")
    with screen(home, program=QUICK) as terminal:
        terminal.wait_for("step 1 of 4")
        lost = server.tasks.pop("lost")
        terminal.wait_for("1 gone")
        look_away(terminal)
        server.tasks["lost"] = lost
        terminal.wait_for_bytes(call("lost is back"))
        terminal.send(f"{ESCAPE}q")
        assert terminal.wait_exit() == 0


def _burst(output: bytes) -> list[int]:
    """Of how many of the burst each call tells; a slow machine may see it in parts."""
    return [int(number or 1) for number in _FOLDED.findall(output)]


def _rung(output: bytes) -> int:
    """How often the bell rang; the end of other sequences is no bell."""
    return _SEQUENCE.sub(b"", output).count(b"\x07")

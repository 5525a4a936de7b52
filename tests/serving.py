"""Servers in processes of their own, which say in one line on stdout that they are ready."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mcp_tasks_tui.demo.scenes import SCENES, Stage, command

#: Seconds of the demo's story per second: its lifecycles end within a second or two.
SPEED = 40.0
_TO_END = 10.0


@contextmanager
def serving(argv: Sequence[str], *, end: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Start a server; yields the line that it says. The signal `end` is sent to it afterwards."""
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, f"{argv} ended before it was ready: status {process.wait(_TO_END)}"
            yield line
        finally:
            process.send_signal(end)
            try:
                process.wait(_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def demo_servers() -> Iterator[Stage]:
    """The servers of the demo's tour."""
    with serving(command(SCENES["tour"], speed=SPEED, parent=os.getpid())) as line:
        yield Stage.read(line)

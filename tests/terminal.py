"""A real pseudo-terminal around the program: what is typed, and every byte that comes back."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

_ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1b[P_^][^\x1b]*\x1b\\|\x1b[@-Z\\-_=>78]"
)


class Terminal:
    """Runs `argv` on a pseudo-terminal of `columns` x `rows`. Use as a context manager."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.output = b""
        self._master, slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **env},
            start_new_session=True,
            # Makes it the controlling terminal: a hang-up must be felt.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        self._slave = slave

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)

    def resize(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal under the program, as a closed window or a lost link does."""
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = -1

    def wait_for(self, wanted: str | Callable[[str], bool], timeout: float = 20) -> str:
        """Read until the text of the output (escapes taken out) has `wanted`; return that text.

        Raises:
            AssertionError: it did not come in time; the message ends with what did.
        """
        found = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if found(text := self.text()):
                return text
            self.read(0.1)
        raise AssertionError(f"{wanted!r} did not appear in: …{self.text()[-2000:]}")

    def wait_exit(self, timeout: float = 20) -> int:
        """Read on until the program has ended; return its exit status."""
        end = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.05)
        while self._master >= 0 and self.read(0.1):
            pass
        return self.process.wait(max(0.1, end - time.monotonic()))

    def read(self, timeout: float) -> bytes:
        """Read what is there within `timeout` seconds; return it."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        if not ready:
            return b""
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return b""
        self.output += data
        return data

    def text(self) -> str:
        return _ESCAPES.sub(b"", self.output).decode("utf-8", "replace")

    def forget(self) -> None:
        """Drop what was read so far, so that `wait_for` looks at what comes next."""
        self.output = b""

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
from typing import Any, Protocol, Self

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_KEYBOARD = re.compile(rb"\x1b\[([<>])[0-9;]*u")
#: Modes that a terminal has on before anybody asks: autowrap and the cursor.
_ON_AT_FIRST = frozenset({7, 25})
MOUSE_MODES = frozenset({1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016})
ALTERNATE_SCREEN = 1049
#: As terminals send it that tell it from the beginning of another key, however late that comes.
ESCAPE = "\x1b[27u"

_ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1b[P_^][^\x1b]*\x1b\\|\x1b[@-Z\\-_=>78]"
)


class Process(Protocol):
    """A program that runs: `subprocess.Popen` or what else can do this much."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...
    def kill(self) -> None: ...


def start(argv: Sequence[str], env: Mapping[str, str], terminal: int) -> Process:
    """Start `argv` with `terminal` for its standard streams and its controlling terminal."""
    return subprocess.Popen(
        argv,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=env,
        start_new_session=True,
        preexec_fn=_as_at_a_terminal,  # noqa: PLW1509
    )


def _as_at_a_terminal() -> None:
    """Signals are felt, also where what runs the tests was started to ignore them (nohup)."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # it is the controlling one: a hang-up is felt
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """Runs `argv` on a pseudo-terminal of `columns` x `rows`. Use as a context manager.

    `start` is another way to start it.
    """

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        columns: int = 120,
        rows: int = 40,
        start: Callable[[Sequence[str], Mapping[str, str], int], Process] = start,
    ) -> None:
        self.output = b""
        self._from = 0
        self._master, slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        whole = {"TERM": "xterm-256color", "LANG": "C.UTF-8", **env}
        self.process = start(argv, whole, slave)
        self._slave = slave

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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

    def wait_for(self, wanted: str | Callable[[str], bool], timeout: float = 40) -> str:
        """Read until the text of the output (escapes taken out) has `wanted`; return that text.

        Raises:
            AssertionError: it did not come in time, or before the end of the program; the message
                ends with what did.
        """
        found = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        self._read_until(lambda: found(self.text()), wanted, timeout)
        return self.text()

    def wait_for_bytes(self, wanted: bytes | Callable[[bytes], bool], timeout: float = 40) -> None:
        """Read until the output has `wanted`, escapes and all.

        Raises:
            AssertionError: it did not come in time, or before the end of the program.
        """
        found = (lambda output: wanted in output) if isinstance(wanted, bytes) else wanted
        self._read_until(lambda: found(self.output), wanted, timeout)

    def _read_until(self, fits: Callable[[], bool], wanted: object, timeout: float) -> None:
        end = time.monotonic() + timeout
        while not fits():
            ended = self.process.poll() is not None
            if not self.read(0.1) and (ended or time.monotonic() > end):
                raise AssertionError(f"{wanted!r} did not appear in: …{self.text()[-2000:]}")

    def wait_exit(self, timeout: float = 40) -> int:
        """Read on until the program has ended; return its exit status."""
        end = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.05)
        while self._master >= 0 and self.read(0):
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

    def read_for(self, seconds: float) -> int:
        """Read for so long; return how many bytes came."""
        before, end = len(self.output), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(left)
        return len(self.output) - before

    def quiet(self, seconds: float, timeout: float = 40) -> None:
        """Read until nothing came for `seconds`.

        Raises:
            AssertionError: it never was that quiet.
        """
        end = time.monotonic() + timeout
        while self.read(seconds):
            assert time.monotonic() < end, f"never quiet for {seconds:g} s"

    def press(self, *keys: str) -> None:
        """Type `keys`, each once what the one before led to has been drawn."""
        for key in keys:
            self.send(key)
            self.read(2.0)
            self.quiet(0.1)

    def text(self) -> str:
        """Return what was written since `forget`, without the escapes."""
        return _ESCAPES.sub(b"", self.output[self._from :]).decode("utf-8", "replace")

    def forget(self) -> None:
        """Let `wait_for` look at what comes next only; `output` keeps everything."""
        self._from = len(self.output)

    def after(self, sequence: bytes) -> str:
        """Return the text that was written after the last `sequence`, escapes taken out."""
        _, found, rest = self.output.rpartition(sequence)
        assert found, f"{sequence!r} was never written"
        return _ESCAPES.sub(b"", rest).decode("utf-8", "replace")

    def modes_used(self) -> set[int]:
        """Return every private mode (DECSET) that the program has switched on."""
        return {number for number, on in self._switched() if on}

    def modes_left(self) -> set[int]:
        """Return the private modes that are not as a terminal has them at first."""
        now = dict(self._switched())
        return {number for number, on in now.items() if on is not (number in _ON_AT_FIRST)}

    def keyboard_pushes(self) -> int:
        """Return how many keyboard protocols were pushed and not taken back."""
        return sum(1 if sign == b">" else -1 for sign in _KEYBOARD.findall(self.output))

    def settings(self) -> list[Any]:
        """Return the line settings (termios) as they are now; compare with `before`."""
        return termios.tcgetattr(self._slave)

    def _switched(self) -> list[tuple[int, bool]]:
        return [
            (int(number), final == b"h")
            for numbers, final in _MODE.findall(self.output)
            for number in numbers.split(b";")
        ]

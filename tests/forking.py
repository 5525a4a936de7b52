"""Programs that start at once: forked from a process that has imported already what they import.

Most of what it costs to open a screen is importing modules. A template process does that once
for all tests; a program is a fork of it, in a session of its own, and ends as any program does,
through the interpreter's own end. What concerns the import itself, or starting as such, is to be
tested on a real start (`subprocess.Popen`).
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Self

_ROOT = Path(__file__).parents[1]
_ONE_AT_A_TIME = threading.Lock()
#: Seconds for the imports, also on a busy machine.
_TO_START = 60.0
_IMPORTED = (
    "aiohttp.resolver",
    "httpx_aiohttp",
    "mcp_tasks_tui.cli.commands.add",
    "mcp_tasks_tui.cli.commands.call",
    "mcp_tasks_tui.cli.commands.wait",
    "mcp_tasks_tui.cli.compose",
    "mcp_tasks_tui.cli.screen",
    "mcp_tasks_tui.cli.session",
    "mcp_tasks_tui.handles.worker",
    "mcp_tasks_tui.protocol.wire",
    "mcp_tasks_tui.ui.app",
    "mcp_tasks_tui.ui.memory",
    "mcp_tasks_tui.ui.screens.answer.screen",
    "mcp_tasks_tui.ui.screens.main",
    "textual.drivers.linux_driver",
)


class Forked:
    """A forked program: what tests use of `subprocess.Popen`."""

    def __init__(
        self, pid: int, ending: int, stdout: IO[str] | None = None, stderr: IO[str] | None = None
    ) -> None:
        self.pid = pid
        self.stdout, self.stderr = stdout, stderr
        self.returncode: int | None = None
        self._ending = ending

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self.wait()

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, minus the signal that killed it.

        Raises:
            subprocess.TimeoutExpired: it still runs.
        """
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return status

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for the end; return what was written: no more than a pipe takes."""
        self.wait(timeout)
        out, err = (stream.read() if stream else "" for stream in (self.stdout, self.stderr))
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ending], [], [], timeout)[0]:
            told = os.read(self._ending, 16)
            os.close(self._ending)
            assert told, "whoever watched it was killed"
            self.returncode = int(told)
        return self.returncode


def fork(
    argv: Sequence[str], env: Mapping[str, str], stdin: int, stdout: int, stderr: int
) -> Forked:
    """Start `argv`, a ``python -m MODULE ...``, with `env` for its whole environment.

    A terminal on `stdin` becomes its controlling terminal.
    """
    with _ONE_AT_A_TIME:
        return _template().fork(argv, env, (stdin, stdout, stderr))


def fork_in_pipes(argv: Sequence[str], env: Mapping[str, str]) -> Forked:
    """The same with nothing on stdin and its output in pipes."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        started = fork(argv, env, nothing, out_end, err_end)
    finally:
        for descriptor in (nothing, out_end, err_end):
            os.close(descriptor)
    started.stdout, started.stderr = os.fdopen(out), os.fdopen(err)
    return started


class _Template:
    """The process that programs are forked from."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._requests.settimeout(_TO_START)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={"LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC"},
                cwd=_ROOT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def fork(
        self, argv: Sequence[str], env: Mapping[str, str], streams: tuple[int, int, int]
    ) -> Forked:
        assert tuple(argv[:2]) == (sys.executable, "-m"), argv
        ending, end = os.pipe()
        try:
            asked = json.dumps({"argv": list(argv[2:]), "env": dict(env), "cwd": os.getcwd()})
            socket.send_fds(self._requests, [f"{asked}\n".encode()], [*streams, end])
        finally:
            os.close(end)
        return Forked(int(_line(self._requests)), ending)

    def close(self) -> None:
        self._requests.close()
        self._process.wait(10)


@functools.cache
def _template() -> _Template:
    template = _Template()
    atexit.register(template.close)
    return template


def _line(from_: socket.socket) -> bytes:
    told = b""
    while not told.endswith(b"\n"):
        part = from_.recv(65536)
        assert part, "the template process has ended"
        told += part
    return told


# --- in the template process -----------------------------------------------------------------


def _serve(requests: socket.socket) -> list[str] | None:
    """Fork as asked for: returns the arguments in each fork, None once nobody asks any more."""
    while True:
        told, descriptors, _, _ = socket.recv_fds(requests, 65536, 4)
        if not told:
            return None
        if not told.endswith(b"\n"):
            told += _line(requests)
        if os.fork() == 0:
            return _watch(requests, json.loads(told), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _watch(requests: socket.socket, asked: dict[str, object], descriptors: list[int]) -> list[str]:
    """Fork the program, of which this process tells how it ended. Returns in the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, end = descriptors
    pid = os.fork()
    if pid == 0:
        requests.close()
        os.close(end)
        return _become(asked, streams)
    for stream in streams:
        os.close(stream)
    requests.sendall(f"{pid}\n".encode())
    requests.close()
    _, status = os.waitpid(pid, 0)
    os.write(end, str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _become(asked: dict[str, object], streams: list[int]) -> list[str]:
    """Take on session, streams, environment and folder; return the arguments."""
    os.setsid()
    # As at a terminal, also where what runs the tests was started to ignore them (nohup).
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    _open_streams()
    argv, env, cwd = asked["argv"], asked["env"], asked["cwd"]
    assert isinstance(argv, list)
    assert isinstance(env, dict)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    os.chdir(str(cwd))
    return argv


def _open_streams() -> None:
    """As the interpreter does: what is a terminal or a pipe is found out when they are opened."""
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    originals = {"__stdin__": sys.stdin, "__stdout__": sys.stdout, "__stderr__": sys.stderr}
    vars(sys).update(originals)


if __name__ == "__main__":
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # or each fork goes through all modules once more when it ends
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as asking:
        arguments = _serve(asking)
    if arguments is not None:
        sys.argv = ["", *arguments[1:]]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)

"""A pager that takes the terminal as others do; ``deaf`` does not end when it is asked to."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from pathlib import Path

from tests.terminal import ALTERNATE_SCREEN


def main(how: str, path: str) -> None:
    before = termios.tcgetattr(0)

    def leave(*_: object) -> None:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        os.write(1, f"\x1b[?{ALTERNATE_SCREEN}l".encode())
        sys.exit()

    signal.signal(signal.SIGTERM, signal.SIG_IGN if how == "deaf" else leave)
    signal.signal(signal.SIGHUP, signal.SIG_IGN if how == "deaf" else leave)
    tty.setcbreak(0)
    text = Path(path).read_text(encoding="utf-8")
    os.write(1, f"\x1b[?{ALTERNATE_SCREEN}h{text}\n(pager {os.getpid()})\n".encode())
    while os.read(0, 1) not in (b"q", b""):
        pass
    leave()


if __name__ == "__main__":
    main(*sys.argv[1:])

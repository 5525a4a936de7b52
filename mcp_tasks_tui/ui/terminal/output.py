"""The few places where the terminal is spoken to past Textual's public surface."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import termios
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from textual.app import App

#: Seconds in which the program has ended after a signal, however its terminal behaves: one that
#: is gone can hold up whoever writes to it for ever.
_PATIENCE = 5.0
INTERRUPTED = 130
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
#: Paste, wrapping, mouse, keyboard, alternate screen, cursor, focus: as a terminal has them.
_RESET = (
    b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
#: What a program that was killed may have left behind, the keyboard of whoever was before it not.
_LEFT_BEHIND = b"\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1049l\x1b[?25h"


class Beside:
    """Writes escape sequences beside what `app` draws.

    While another program has the terminal, nothing is written: Textual's writer stands still then,
    and whoever writes more than its queue holds would wait for it for ever. The newest sequence of
    each kind is kept until the terminal is ours again.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._kept: dict[str, str] = {}

    @property
    def can_write(self) -> bool:
        """Whether what is written now comes to the terminal."""
        return _can_write(self._app)

    def write(self, sequence: str, kind: str) -> None:
        """Write `sequence`, or keep it in place of one of its `kind` that is kept."""
        self._kept.pop(kind, None)
        self._kept[kind] = sequence
        self.write_kept()

    def write_kept(self) -> None:
        """Write what was kept, where the terminal is ours."""
        driver = self._app._driver
        if driver is None or not self.can_write:
            return
        kept, self._kept = self._kept, {}
        for sequence in kept.values():
            driver.write(sequence)


def _can_write(app: App[Any]) -> bool:
    # Not by whether Textual says that it is suspended: it does not for each way to get there.
    writer = getattr(app._driver, "_writer_thread", None)
    return app._driver is not None and (writer is None or writer.is_alive())


def set_mouse(app: App[Any], on: bool) -> None:
    """Take the mouse, or leave it to the terminal."""
    driver = app._driver
    toggle = getattr(driver, "_enable_mouse_support" if on else "_disable_mouse_support", None)
    if toggle is not None and _can_write(app):
        toggle()


def to_the_shell(app: App[Any]) -> bool:
    """Stop until the shell brings the program back, with the terminal as it was before; tell
    whether there is a shell that can.

    All of the job is stopped, as a terminal's own key does: who waits for it has to notice, too.
    """
    driver = app._driver
    if driver is None or not driver.can_suspend or os.getpgrp() == os.getsid(0):
        return False
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    return True


@contextmanager
def given_back(exit_status: Callable[[], int | None]) -> Iterator[None]:
    """Let another program have the terminal, and put it back as it was before.

    `exit_status` is that program's: one that a signal ended has not tidied up behind itself.
    """
    before = _line_settings()
    try:
        yield
    finally:
        status = exit_status()
        with suppress(OSError, ValueError, termios.error):
            if (status is None or status < 0) and sys.__stdout__:
                os.write(sys.__stdout__.fileno(), _LEFT_BEHIND)
            if before is not None and sys.__stdin__:
                termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, before)


def on_end_signals(app: App[Any], leave: Callable[[], None]) -> Callable[[], None]:
    """Leave the program properly when it is told to end; return what undoes this.

    Textual dies of these signals at once and leaves the terminal in its modes. Set them before the
    screen is opened and undo them when everything is closed: a signal may come at any time. The
    first one calls `leave` on the event loop; where that is held up, or closing is, a watchdog
    ends the process and puts the terminal back if the app has not done so.
    """
    loop = asyncio.get_running_loop()
    before = _line_settings()
    told = False

    def end(number: int, frame: object) -> None:
        nonlocal told
        if not told:
            told = True
            watchdog = threading.Timer(_PATIENCE, _give_up, (app, before))
            watchdog.daemon = True
            watchdog.start()
            loop.call_soon_threadsafe(leave)

    handlers = {number: signal.signal(number, end) for number in _SIGNALS}

    def undo() -> None:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    return undo


def _line_settings() -> list[Any] | None:
    try:
        return termios.tcgetattr(sys.__stdin__.fileno()) if sys.__stdin__ else None
    except (termios.error, OSError, ValueError):
        return None


def _give_up(app: App[Any], before: list[Any] | None) -> None:
    """Put the terminal back without waiting for it, and end the process at once."""
    with suppress(Exception):
        screen = sys.__stderr__.fileno() if sys.__stderr__ else 2
        if app.is_running and select.select([], [screen], [], 0)[1]:
            os.write(screen, _RESET)
        if app.is_running and before is not None and sys.__stdin__:
            termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, before)
    os._exit(INTERRUPTED)

"""The few places where the terminal is spoken to past Textual's public surface."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App

#: Seconds in which the program has ended after a signal, however its terminal behaves: one that
#: is gone can hold up whoever writes to it for ever.
_PATIENCE = 5.0
INTERRUPTED = 130
_SIGNALS = ("SIGTERM", "SIGHUP")


def write(app: App[Any], sequence: str) -> None:
    """Write an escape sequence beside what is drawn."""
    driver = app._driver
    if driver is not None:
        driver.write(sequence)


def set_mouse(app: App[Any], on: bool) -> None:
    """Take the mouse, or leave it to the terminal."""
    driver = app._driver
    toggle = getattr(driver, "_enable_mouse_support" if on else "_disable_mouse_support", None)
    if toggle is not None:
        toggle()


def on_end_signals(leave: Callable[[], None]) -> Callable[[], None]:
    """Leave the program properly when it is told to end; return what undoes this.

    Textual dies of these signals at once and leaves the terminal in its modes.
    """
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]

    def end() -> None:
        watchdog = threading.Timer(_PATIENCE, os._exit, (INTERRUPTED,))
        watchdog.daemon = True
        watchdog.start()
        leave()

    for number in numbers:
        loop.add_signal_handler(number, end)

    def undo() -> None:
        for number in numbers:
            loop.remove_signal_handler(number)

    return undo

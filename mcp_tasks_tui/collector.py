"""The garbage collector, kept from what is no garbage: the keyboard waits while it looks."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_FULL = 2


@contextmanager
def collector_paused() -> Iterator[None]:
    """Many new values set off collections that walk all of them again and again, for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def set_aside() -> None:
    """Keep all that there is, and stays, out of every collection from now on."""
    gc.freeze()


def look_again() -> None:
    """Let the next full collection find what has become garbage of all that was set aside.

    What it leaves is set aside again: the modules of the program are walked that one time.
    """
    gc.unfreeze()
    if _after_collection not in gc.callbacks:
        gc.callbacks.append(_after_collection)


def _after_collection(phase: str, info: dict[str, Any]) -> None:
    # It stays among the callbacks: taking it out here would skip the one after it.
    if phase == "stop" and info["generation"] == _FULL and gc.get_freeze_count() == 0:
        set_aside()

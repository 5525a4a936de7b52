"""The garbage collector, kept from what is no garbage: the keyboard waits while it looks."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_YOUNG = 1


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
    """Keep all that there is, and stays, out of every collection from now on.

    Once, at the start: what is set aside and turns into garbage is never found, and by each call
    the collector forgets how long it is since it went through what is not young any more.
    """
    gc.freeze()


def clear_away(left: Callable[[], object | None]) -> bool:
    """Free what was left behind, all in all some twenty thousand objects for a screen.

    `left` returns one of them as long as it is there. As a rule it is young and found quickly;
    all that is not set aside is looked through only where it has grown old. Return whether it is
    gone: something may still hold it.
    """
    gc.collect(_YOUNG)
    if left() is not None:
        gc.collect()
    return left() is None

"""How long a database that another program holds is waited for: once, not at every step.

A save is several statements, and a command opens the store more than once. Were each of them to
wait its whole time, a person would look at a silent terminal for half a minute.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: What is waited once the whole time was waited in vain (seconds).
_SHORTLY = 0.1
#: So long after it was last found locked it is waited for anew (seconds).
_FORGOTTEN = 10.0


class Patience:
    """With one file, for all of this process. Times are seconds of `monotonic`."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._since: float | None = None
        self._last = 0.0

    def now(self) -> float:
        return self._monotonic()

    def seconds(self, whole: float) -> float:
        """Return how long the next statement may wait, of `whole` at first."""
        if self._since is not None and self.now() - self._last > _FORGOTTEN:
            self._since = None
        return whole if self._since is None else min(whole, _SHORTLY)

    def in_vain(self, began: float) -> float:
        """Note that what began then met a lock to the last; return for how long by now it does."""
        self._last = self.now()
        if self._since is None:
            self._since = began
        return self._last - self._since

    def over(self) -> None:
        """Note that the file is free."""
        self._since = None


@functools.cache
def patience_with(path: Path) -> Patience:
    return Patience()

"""The time of a picture: it passes only when it is told to, for servers and screen alike."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from itertools import count

#: The moment at which every story begins: 2026-03-02 09:14:00 UTC, a Monday morning.
BEGINNING = 1_772_442_840.0
#: A story is told in steps of this many seconds.
STEP = 0.25


class StoryClock:
    """A clock for the demo servers (`now`, `wait`) and for the engine (`now`, `sleep`)."""

    def __init__(self, beginning: float = BEGINNING) -> None:
        self._beginning = beginning
        self._passed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def now(self) -> float:
        return self._beginning + self._passed

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        due = self._passed + max(seconds, 0.0)
        heapq.heappush(self._sleepers, (due, next(self._order), sleeper))
        await sleeper

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for the event, at most that long; whether it came."""
        sleeping = asyncio.ensure_future(self.sleep(seconds))
        waiting = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait({sleeping, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
            waiting.cancel()
        return event.is_set()

    async def advance(self, seconds: float, settle: Callable[[], Awaitable[None]]) -> None:
        """Let time pass step by step; `settle` returns when all that a step set off is over."""
        end = self._passed + seconds
        while self._passed < end:
            self._passed = min(self._passed + STEP, end)
            while self._wake():
                await settle()

    def _wake(self) -> bool:
        """Wake whoever is due; tell whether there was anyone."""
        woken = False
        while self._sleepers and self._sleepers[0][0] <= self._passed:
            _, _, sleeper = heapq.heappop(self._sleepers)
            if not sleeper.done():
                sleeper.set_result(None)
                woken = True
        return woken

"""The time that the demo server tells and waits by."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch, UTC."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Wait for the event, at most that long; whether it came."""


class SystemClock:
    def now(self) -> float:
        return time.time()

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await event.wait()
        except TimeoutError:
            return False
        return True


class FrozenClock:
    """Time stands still: what a task would do later never happens, so pictures do not change."""

    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        return await event.wait()


class TaskClock:
    """One task's own time: it may lie in the past, then waiting is instant until it has caught up.

    So a task that "started forty minutes ago" goes through its story at once and stands where it
    would stand now, with the timestamps it would have.
    """

    def __init__(self, clock: Clock, started: float, speed: float = 1.0) -> None:
        self._clock = clock
        self._speed = speed
        self._local = started
        #: Set once the task lives in the present.
        self.caught_up = asyncio.Event()

    def now(self) -> float:
        return self._local

    def catch_up(self) -> None:
        """Something from outside happened: the task cannot lie in the past any longer."""
        self._local = max(self._local, self._clock.now())
        self.caught_up.set()

    def left(self, seconds: float) -> float:
        """How much of that many seconds of the story, from the task's now on, is still to come."""
        return self._local + seconds / self._speed - self._clock.now()

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Let that many seconds of the story pass, or fewer where the event comes first."""
        due = self._local + seconds / self._speed
        ahead = self.left(seconds)
        if ahead > 0:
            self.caught_up.set()
            if await self._clock.wait(event, ahead):
                self.catch_up()
                return True
        self._local = due
        return event.is_set()

    async def wait_for(self, event: asyncio.Event) -> None:
        """Wait for something that only the outside can bring."""
        self.caught_up.set()
        await event.wait()
        self.catch_up()

"""A sleep that can be cut short."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.supervise.ports import Clock


class Pause:
    """Sleeps on the engine's clock; `wake` ends the sleep, or the next one if none is going on."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleeper: asyncio.Future[None] | None = None
        self._woken = False

    async def sleep(self, seconds: float) -> None:
        if self._woken:
            self._woken = False
            return
        sleeper = self._sleeper = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait([sleeper])
        finally:
            self._sleeper = None
            sleeper.cancel()
        self._woken = False

    def wake(self) -> None:
        self._woken = True
        if self._sleeper is not None:
            self._sleeper.cancel()


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel these asyncio tasks and wait until they are over."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    if ending:
        await asyncio.gather(*ending, return_exceptions=True)

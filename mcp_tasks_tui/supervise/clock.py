"""The real clock; tests hand in one that they turn themselves."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

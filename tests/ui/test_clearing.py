"""A screen that was left is freed, also where something holds it a little longer."""

from __future__ import annotations

import asyncio
import weakref

from mcp_tasks_tui.collector import collector_paused
from mcp_tasks_tui.ui.clearing import clear_away_later


class _Ring:
    """Garbage that only the collector can find."""

    def __init__(self) -> None:
        self.itself = self


async def test_what_is_still_held_is_tried_again() -> None:
    with collector_paused():
        ring: _Ring | None = _Ring()
        left = weakref.ref(ring)
        tried = asyncio.Event()

        def held() -> object | None:
            tried.set()
            return left()

        clear_away_later(held, 0.01)
        await asyncio.wait_for(tried.wait(), 30)
        assert left() is not None
        ring = None
        async with asyncio.timeout(30):
            while left() is not None:
                await asyncio.sleep(0.01)

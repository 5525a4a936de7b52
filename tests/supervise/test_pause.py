"""Sleeps that can be cut short, and loops that outlive a fault."""

from __future__ import annotations

import asyncio

from mcp_tasks_tui.supervise.pause import Pause, end, keep_running
from tests.supervise.sim import SimClock


async def test_waking_ends_the_sleep_or_the_next_one() -> None:
    clock = SimClock()
    pause = Pause(clock)
    sleeping = asyncio.create_task(pause.sleep(3600))
    await clock.advance(1)
    assert not sleeping.done()
    pause.wake()
    await clock.advance(0)
    assert sleeping.done()
    pause.wake()
    await asyncio.wait_for(pause.sleep(3600), 1)
    assert clock.monotonic() == 1


async def test_a_sleep_ends_by_itself_and_leaves_nothing_running() -> None:
    clock = SimClock()
    sleeping = asyncio.create_task(Pause(clock).sleep(5))
    await clock.advance(5)
    assert sleeping.done()
    cancelled = asyncio.create_task(Pause(clock).sleep(5))
    await clock.advance(1)
    await end([cancelled])
    await clock.advance(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_loop_goes_on_after_a_fault_which_is_told_once() -> None:
    clock = SimClock()
    runs: list[float] = []
    notices: list[str] = []

    async def loop() -> None:
        runs.append(clock.monotonic())
        await clock.sleep(1)
        raise ZeroDivisionError("oops")

    running = asyncio.create_task(keep_running(loop, "polling", clock=clock, notice=notices.append))
    await clock.advance(10)
    await end([running])
    assert len(runs) == 6
    assert notices == ["internal error in polling: ZeroDivisionError: oops (it goes on)"]

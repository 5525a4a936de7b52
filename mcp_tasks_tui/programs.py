"""Other programs that we start: none outlives the work that started it."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

#: Seconds that a program has to end by itself after it was asked to.
_GRACE = 2.0


@asynccontextmanager
async def ending_with(process: Process, *, group: bool = False) -> AsyncIterator[None]:
    """Let `process` end with the block, however that ends: cancelled work leaves none behind.

    A program that still runs is asked to end (SIGTERM) so that it can tidy up its terminal, and
    killed after 2 seconds. `group`: it was started as the leader of a process group, and all
    that it started goes with it.
    """
    try:
        yield
    finally:
        if process.returncode is None:
            try:
                _send(process, signal.SIGTERM, group=group)
                await _wait(process)
            finally:
                if process.returncode is None:
                    _send(process, signal.SIGKILL, group=group)
                    await _wait(process)


def _send(process: Process, number: signal.Signals, *, group: bool) -> None:
    with suppress(ProcessLookupError):
        if group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


async def _wait(process: Process) -> None:
    """Bounded: a daemon that it left behind may hold its output open for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE):
            await process.wait()

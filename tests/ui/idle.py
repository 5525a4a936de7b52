"""Waiting until an app has nothing left to do, as its event loop knows, and not the clock.

Textual's own wait looks at the processor time of the process every 20 ms: slow where there is
nothing to wait for, and wrong on a busy machine, which keeps the process from working.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual._context import active_app
from textual.app import ScreenStackError

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

#: Seconds that work in a thread is waited for; what takes longer is held there by the test.
_LONGEST_JOB = 10.0


class Idleness:
    """Knows the threads that event loops wait for, besides what the loops have to run."""

    def __init__(self) -> None:
        self._jobs: set[asyncio.Future[Any]] = set()

    def watch(self, job: asyncio.Future[Any]) -> None:
        """Take a future that a loop made for work in a thread."""
        self._jobs.add(job)
        job.add_done_callback(self._jobs.discard)

    async def reached(self, *_: object) -> bool:
        """Run the app until only time, a key or the world outside can change anything."""
        while True:
            await self._nothing_to_run()
            if self._jobs:
                await self._jobs_done()
            elif not _draw() and not await _scrolled():
                return True

    async def _nothing_to_run(self) -> None:
        ready: Any = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        quiet = 0
        while quiet < 2:  # the second look is after the loop has asked its sockets
            await asyncio.sleep(0)
            quiet = 0 if ready else quiet + 1

    async def _jobs_done(self) -> None:
        _, held = await asyncio.wait(
            self._jobs, timeout=_LONGEST_JOB, return_when=asyncio.FIRST_COMPLETED
        )
        if len(held) == len(self._jobs):
            self._jobs -= held


def _draw() -> bool:
    """Do now what the next of sixty frames a second would; return whether there was any."""
    app = active_app.get(None)
    if app is None:
        return False
    resized = app._resize_timer is not None
    if resized:
        app._check_resize()
    due = [screen for screen in _screens(app) if _frame_is_due(screen)]
    for screen in due:
        screen._on_timer_update()
    return resized or bool(due)


async def _scrolled() -> bool:
    """Let what moves arrive; return whether anything moved."""
    app = active_app.get(None)
    animator: Any = app and app.animator  # its event has no type
    if app is None or animator._complete_event.is_set():
        return False
    await animator.wait_until_complete()
    return True


def _screens(app: App[Any]) -> list[Screen[Any]]:
    try:
        return list(app.screen_stack)
    except ScreenStackError:  # it has ended
        return []


def _frame_is_due(screen: Screen[Any]) -> bool:
    timer: Any = screen._update_timer  # its event has no type
    return bool(timer._active.is_set())

"""A sleep that can be cut short, and loops that outlive a fault of ours."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks_tui.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from mcp_tasks_tui.supervise.ports import Clock

T = TypeVar("T")

_AGAIN_AFTER = 1.0
_AT_A_STRETCH = 200


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


async def unhurried(items: Iterable[T]) -> AsyncIterator[T]:
    """Go through many `items`; what else is to be done meanwhile is not held up."""
    for place, item in enumerate(items, 1):
        yield item
        if place % _AT_A_STRETCH == 0:
            await asyncio.sleep(0)


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel these asyncio tasks and wait until they are over."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    if ending:
        await asyncio.gather(*ending, return_exceptions=True)


async def keep_running(
    run: Callable[[], Awaitable[None]],
    what: str,
    *,
    clock: Clock,
    notice: Callable[[str], None],
) -> None:
    """Run an endless loop; where a bug of ours ends it, say so once per kind and start it again."""
    told: set[str] = set()
    while True:
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - the watch goes on, whatever goes wrong in it
            words = fault_in(what, error)
            if words not in told:
                told.add(words)
                notice(f"{words} (it goes on)")
        await clock.sleep(_AGAIN_AFTER)


def fault_in(what: str, error: Exception) -> str:
    """Return the line that tells of a bug of ours."""
    return f"internal error in {what}: {type(error).__name__}: {one_line(str(error), 200)}"

"""Answers and cancels on their way: they outlive the screen that a person sent them from."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.pause import end
from mcp_tasks_tui.supervise.words import counted, title

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.view import TaskView

#: So long (seconds) the end of the program waits for what is on its way.
PATIENCE = 2.0


@record
class Sending:
    """What is sent to the server of the task `key`."""

    what: Literal["answer", "cancel"]
    key: str


def told_of(
    broken_off: Sequence[Sending], view_of: Callable[[str], TaskView | None]
) -> Iterator[str]:
    """Yield what to tell of them once the screen is gone, one clean line each."""
    for what, of in (("answer", "to"), ("cancel", "of")):
        keys = [each.key for each in broken_off if each.what == what]
        if len(keys) == 1 and (view := view_of(keys[0])) is not None:
            name = one_line(title(view.handle), 60)
            see = f"see `mcp-tasks-tui show {keys[0]} --refresh`"
            yield f"the {what} {of} {name} was on its way: it may have arrived; {see}"
        elif keys:
            yield f"{counted(len(keys), what)} on the way: they may have arrived"


class Sendings:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._under_way: dict[asyncio.Task[None], Sending] = {}
        self._broken_off: list[Sending] = []

    def under_way(self) -> Sequence[Sending]:
        """Return what is on its way, oldest first."""
        return list(self._under_way.values())

    def broken_off(self) -> Sequence[Sending]:
        """Return what was not waited for to its end: it may have arrived."""
        return list(self._broken_off)

    def break_off(self, sending: Sending) -> None:
        self._broken_off.append(sending)

    async def send(self, sending: Sending, work: Coroutine[Any, Any, None]) -> None:
        """Do the work; whoever waits for it may be gone before its end.

        It is cancelled by `close` alone, and then calls `break_off` if something was sent.
        """
        job = asyncio.create_task(work, name=sending.what)
        self._under_way[job] = sending
        job.add_done_callback(self._under_way.pop)
        await asyncio.shield(job)

    async def settled(self) -> None:
        """Wait until nothing is on its way."""
        while self._under_way:
            await asyncio.wait(self._under_way)

    async def close(self) -> None:
        """Wait a moment for what is on its way, and break off the rest."""
        if self._under_way:
            waits = [
                asyncio.ensure_future(wait)
                for wait in (self.settled(), self._clock.sleep(PATIENCE))
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await end(waits)
        await end(self._under_way)

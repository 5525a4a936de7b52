"""Answers and cancels on their way: they outlive the screen that a person sent them from."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.records import record
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.pause import end
from mcp_tasks_tui.supervise.problems import AnswerUnconfirmed, may_have_arrived

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from mcp_tasks_tui.supervise.ports import Clock

    #: Does the sending; it calls what it is given right before something goes on the wire.
    Work = Callable[[Callable[[], None]], Coroutine[Any, Any, None]]

#: So long (seconds) after it was sent, it is waited for when the program is to end.
PATIENCE = 2.0
#: So long (seconds) what was broken off has to note that on the disk.
_NOTING = 0.5


@record
class Sending:
    """What is sent to the server of the task `key`."""

    what: Literal["answer", "cancel"]
    key: str


@record
class Outcome:
    """What came of a sending that was not at its end when the program was to end.

    `why` says in one clean line why it was not taken.
    """

    sending: Sending
    what: Literal["taken", "not taken", "unknown", "not sent"]
    why: str = ""


class _Job:
    """One sending. `left_at`: when it went on the wire (monotonic), None before that."""

    def __init__(self, sending: Sending, clock: Clock) -> None:
        self.sending = sending
        self.left_at: float | None = None
        self._clock = clock

    def leave(self) -> None:
        self.left_at = self._clock.monotonic()

    def patience(self) -> float:
        """Return for how long it is still to be waited for."""
        if self.left_at is None:
            return 0.0
        return self.left_at + PATIENCE - self._clock.monotonic()

    def outcome(self, task: asyncio.Task[None]) -> Outcome:
        if not task.done() or task.cancelled():
            return Outcome(self.sending, "not sent" if self.left_at is None else "unknown")
        error = task.exception()
        if error is None:
            return Outcome(self.sending, "taken")
        why = one_line(str(error) or type(error).__name__, 240)
        lost = isinstance(error, AnswerUnconfirmed) or (
            isinstance(error, RequestError) and may_have_arrived(error)
        )
        return Outcome(self.sending, "unknown" if lost else "not taken", why)


class Sendings:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._under_way: dict[asyncio.Task[None], _Job] = {}
        #: What was under way when nothing more was to be sent.
        self._last: dict[asyncio.Task[None], _Job] | None = None

    def under_way(self) -> Sequence[Sending]:
        """Return what is on its way, oldest first."""
        return [job.sending for job in self._under_way.values()]

    def outcomes(self) -> Sequence[Outcome]:
        """Return what came of all that was under way when nothing more was to be sent."""
        return [job.outcome(task) for task, job in (self._last or {}).items()]

    async def send(self, sending: Sending, work: Work) -> None:
        """Do the work; whoever waits for it may be gone before its end."""
        if self._last is not None:
            raise asyncio.CancelledError
        job = _Job(sending, self._clock)
        task = asyncio.create_task(work(job.leave), name=sending.what)
        self._under_way[task] = job
        task.add_done_callback(self._under_way.pop)
        await asyncio.shield(task)

    async def settled(self) -> Sequence[Sending]:
        """Wait until nothing is on its way; return what of it was not taken."""
        failed = []
        while self._under_way:
            waited_for = dict(self._under_way)
            await asyncio.wait(waited_for)
            outcomes = (job.outcome(task) for task, job in waited_for.items())
            failed += [each.sending for each in outcomes if each.what != "taken"]
        return failed

    def send_no_more(self) -> Sequence[Sending]:
        """Break off what is not on the wire yet: from now on nothing goes out.

        Returns what `close` is going to wait for.
        """
        if self._last is None:
            self._last = dict(self._under_way)
        for task, job in self._under_way.items():
            if job.left_at is None:
                task.cancel()
        return [job.sending for job in self._under_way.values() if job.patience() > 0]

    async def close(self) -> None:
        """Wait a moment for what is on its way, and break off the rest."""
        self.send_no_more()
        while waiting := {
            task: patience
            for task, job in self._under_way.items()
            if (patience := job.patience()) > 0
        }:
            await self._wait(waiting, min(waiting.values()))
        for task in self._under_way:
            task.cancel()
        await self._wait(self._under_way, _NOTING)

    async def _wait(self, tasks: Iterable[asyncio.Task[None]], seconds: float) -> None:
        """Wait until all of them are over, so long at most."""
        if not (waited_for := list(tasks)):
            return
        waits = [
            asyncio.ensure_future(wait)
            for wait in (asyncio.wait(waited_for), self._clock.sleep(seconds))
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(waits)

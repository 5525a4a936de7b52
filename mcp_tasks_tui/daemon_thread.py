"""Work beside the event loop that the end of the program does not wait for."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def in_daemon_thread(work: Callable[..., T], *args: Any) -> T:
    """Run `work` in a thread of its own and return what it does.

    For what only reads and reckons: unlike that of `asyncio.to_thread`, the thread goes on to
    nobody's harm where nobody waits for it any more, and ends with the program.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            value = context.run(work, *args)
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            tell(loop, answer, error=error)
        else:
            tell(loop, answer, value)

    threading.Thread(target=run, name="daemon-work", daemon=True).start()
    return await answer


def tell(
    loop: asyncio.AbstractEventLoop,
    answer: asyncio.Future[T],
    value: Any = None,
    *,
    error: BaseException | None = None,
) -> None:
    """Set the answer that `loop` waits for, from another thread; not where nobody does any more."""

    def deliver() -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(deliver)

"""Work beside the event loop: it tells what it did, and nobody waits for it at the end."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from mcp_tasks_tui.daemon_thread import in_daemon_thread


async def test_it_runs_beside_the_loop_and_tells_its_outcome() -> None:
    name: ContextVar[str] = ContextVar("name", default="")
    name.set("inherited")

    def work(number: int) -> tuple[int, str, bool]:
        return number + 1, name.get(), threading.current_thread() is threading.main_thread()

    assert await in_daemon_thread(work, 1) == (2, "inherited", False)
    with pytest.raises(ZeroDivisionError):
        await in_daemon_thread(lambda: 1 / 0)


def test_what_is_not_waited_for_holds_up_no_end() -> None:
    begun, let_go, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        let_go.wait(10)
        ended.set()

    async def program() -> None:
        waiting = asyncio.create_task(in_daemon_thread(work))
        await asyncio.to_thread(begun.wait, 10)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()

    asyncio.run(program())
    assert not ended.is_set()
    let_go.set()
    assert ended.wait(10)

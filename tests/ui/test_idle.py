"""A pause in a test ends when nothing is left to do, and not before."""

from __future__ import annotations

import asyncio
import threading

from mcp_tasks_tui.ui.looks.text import content
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import BareApp, whole_screen


async def test_threads_and_what_follows_from_them_are_waited_for_and_drawn() -> None:
    line = Line(content("before"))
    app = BareApp(line)
    late = threading.Event()

    async def work() -> None:
        for word in ("first", "second"):
            await asyncio.to_thread(late.wait, 0.05)
            line.show(content(word))

    async with app.run_test(size=(30, 5)) as pilot:
        assert whole_screen(app).startswith("before")
        app.run_worker(work())
        await pilot.pause()
        assert whole_screen(app).startswith("second")


async def test_a_new_size_of_the_window_counts_at_once() -> None:
    app = BareApp(Line(content("x" * 40)))
    async with app.run_test(size=(30, 5)) as pilot:
        for width in (20, 50, 10):
            await pilot.resize_terminal(width, 5)
            assert app.screen.size.width == width
            assert whole_screen(app).splitlines()[0] == "x" * min(width, 40)

"""Lines that are built beside the screen: one thread at a time, and the newest width counts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, plain
from mcp_tasks_tui.ui.widgets.result.text import BuiltLines
from tests.ui.bare import BareApp, until

if TYPE_CHECKING:
    from collections.abc import Sequence


async def test_however_often_the_window_changes_one_build_runs_and_then_the_newest() -> None:
    go_on, running, most, widths = threading.Event(), 0, 0, list[int]()

    def build(width: int) -> Sequence[Line]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        widths.append(width)
        go_on.wait(60)
        running -= 1
        return ((Piece(f"{width} cells"),),)

    lines = BuiltLines(build)
    async with BareApp(lines).run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: running == 1)
        for width in range(60, 90):
            await pilot.resize_terminal(width, 30)
        go_on.set()
        last = lines.scrollable_content_region.width
        await until(pilot, lambda: [plain(line) for line in lines.lines] == [f"{last} cells"])
    assert most == 1
    assert len(widths) == 2

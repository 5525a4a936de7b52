"""A list that says the same draws nothing, however often its tasks are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import UNICODE
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from tests.ui.bare import BareApp
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from textual.geometry import Region

    from mcp_tasks_tui.supervise.view import TaskView

_EACH = 5


class _Counted(TaskList):
    """Knows what it drew: regions of single cells, None for all of it."""

    drawn: list[Region | None]

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        self.drawn = [*getattr(self, "drawn", []), *(regions or (None,))]
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


def _read(view: TaskView, at: float) -> TaskView:
    return replace(view, snapshot=replace(view.snapshot, observed_at=at), next_read_at=at + _EACH)


async def test_only_what_reads_differently_is_drawn() -> None:
    now = NOW
    views = [
        replace(a_task(f"t{n}", label=f"task {n}", changed_at=None), progress=None)
        for n in range(30)
    ]
    tasks = _Counted(Choice(), now=lambda: now, glyphs=UNICODE)
    async with BareApp(tasks).run_test(size=(90, 40)) as pilot:
        tasks.replace([_read(view, now) for view in views])
        await pilot.pause()
        assert "now    <10s" in tasks.render_line(1).text
        for y in range(1, 40):
            tasks.render_line(y)
        tasks.drawn = []
        for _ in range(12):
            now += 1
            if not (now - NOW) % _EACH:
                tasks.apply([_read(view, now) for view in views])
            tasks.tick()
        assert tasks.drawn == []

        # One of them is not read any more: its own cells tell so, and nothing else is drawn.
        for _ in range(3):
            now += _EACH
            tasks.apply([_read(view, now) for view in views[1:]])
            tasks.tick()
        y = 1 + list(tasks.model.keys()).index("t0")
        assert "10s     now" in tasks.render_line(y).text
        assert {region.y if region else None for region in tasks.drawn} == {y}

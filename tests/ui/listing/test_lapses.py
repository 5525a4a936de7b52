"""What went wrong is news for a while; then its row sinks, without any news of the task."""

from __future__ import annotations

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import RECENT
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import UNICODE
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from tests.ui.bare import BareApp
from tests.ui.fakes import NOW, a_task


async def test_an_end_that_went_wrong_sinks_when_it_is_no_news_any_more() -> None:
    now = NOW
    tasks = TaskList(Choice(), now=lambda: now, glyphs=UNICODE)
    async with BareApp(tasks).run_test(size=(90, 20)) as pilot:
        tasks.replace([a_task("runs"), a_task("fails", State.FAILED, changed_at=NOW - 100)])
        await pilot.pause()

        def rows() -> list[str]:
            return list(tasks.model.keys())

        assert rows() == ["fails", "runs"]
        tasks.apply([a_task("breaks", State.TOOL_ERROR, changed_at=NOW)])
        assert rows() == ["breaks", "fails", "runs"]
        tasks.select("fails")
        now = NOW + RECENT - 100
        tasks.tick()
        assert rows() == ["breaks", "runs", "fails"]
        assert tasks.model.cursor == "fails"

        # Nothing moves while a person holds the list still.
        tasks.freeze(True)
        now = NOW + RECENT
        tasks.tick()
        assert rows() == ["breaks", "runs", "fails"]
        tasks.freeze(False)
        tasks.tick()
        assert rows() == ["runs", "breaks", "fails"]

"""The headings say what the list is sorted by and which way, and stay where their columns are."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.supervise.arrange import SortBy
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.looks.signs import ASCII, UNICODE, Glyphs
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from tests.ui.bare import BareApp
from tests.ui.fakes import NOW, a_task

_HEADINGS = {
    SortBy.STATE: "STATE",
    SortBy.LABEL: "TASK",
    SortBy.SERVER: "SERVER",
    SortBy.PROGRESS: "≈%",
    SortBy.CHANGED: "CHANGE",
    SortBy.AGE: "AGE",
    SortBy.ATTENTION: "MESSAGE",
}


@pytest.mark.parametrize(("glyphs", "up", "down"), [(UNICODE, "↑", "↓"), (ASCII, "^", "v")])
async def test_the_heading_of_the_order_has_an_arrow_and_none_moves(
    glyphs: Glyphs, up: str, down: str
) -> None:
    tasks = TaskList(Choice(), now=lambda: NOW, glyphs=glyphs)
    async with BareApp(tasks).run_test(size=(160, 12)) as pilot:
        tasks.replace(
            a_task(
                f"t{n}",
                label=f"task {n}",
                server="ab"[n % 2],
                message="on",
                fraction=0.5,
                saved_at=NOW - 600 * n,
            )
            for n in range(30)
        )
        await pilot.pause()
        usual = tasks.render_line(0).text
        assert up not in usual
        assert "READ   NEXT" in usual
        assert set(_HEADINGS) == set(SortBy)
        for sort, word in _HEADINGS.items():
            heading = word.replace(UNICODE.about, glyphs.about)
            for reverse, arrow in ((False, up), (True, down)):
                tasks.rearrange(Choice(sort=sort, reverse=reverse))
                shown = tasks.render_line(0).text
                if (sort, reverse) == (SortBy.ATTENTION, False):
                    assert shown == usual
                    continue
                assert f"{heading}{arrow}" in shown
                assert shown.replace(f"{heading}{arrow}", f"{heading} ") == usual
        tasks.rearrange(Choice(sort=SortBy.AGE))
        live = tasks.render_line(0).text
        tasks.freeze(True)
        held = tasks.render_line(0).text
        assert held == live.replace(f"AGE{up}", f"AGE{glyphs.still}")
        assert held != live, "an arrow would say that the list sorts itself"
        tasks.freeze(False)
        assert tasks.render_line(0).text == live


async def test_one_long_label_leaves_the_server_of_all_rows_in_view() -> None:
    tasks = TaskList(Choice(), now=lambda: NOW, glyphs=UNICODE)
    async with BareApp(tasks).run_test(size=(60, 30)) as pilot:
        servers = ("training", "builds")
        few = [a_task(f"t{n}", label=f"job {n}", server=servers[n % 2]) for n in range(8)]
        few.append(a_task("t8", label="job 8", server="builds", fraction=0.5, failures=1))
        tasks.replace(few)
        await pilot.pause()
        assert "SERVER" in tasks.render_line(0).text
        tasks.apply([a_task("long", label="a label that somebody made very long", server="builds")])
        assert "SERVER" in tasks.render_line(0).text

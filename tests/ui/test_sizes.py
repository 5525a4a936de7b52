"""What a window of each size has: list, panel, and the facts of the header."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.handles.model import ReadState, State
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.widgets.header import Header
from tests.ui.fakes import FakeSupervisor, a_server, a_task
from tests.ui.running import QUESTION, press, running, sees, settle, text_of, three_tasks


@pytest.mark.parametrize(
    ("size", "list_shown", "panel_shown"),
    [
        ((160, 50), True, True),
        ((120, 40), True, True),
        ((100, 30), True, True),
        ((80, 24), True, True),
        ((60, 15), True, False),
        ((40, 10), True, False),
        ((20, 5), False, False),
        ((1, 1), False, False),
    ],
)
async def test_every_size(size: tuple[int, int], list_shown: bool, panel_shown: bool) -> None:
    fake = three_tasks()
    async with running(fake, size=size) as (app, pilot):
        main = app.main
        assert (sees(app, "#tasks"), sees(app, "#panel")) == (list_shown, panel_shown)
        if list_shown:
            assert "one" in text_of(app, "#tasks")
            await press(pilot, "enter")
            assert sees(app, "#panel")
            assert main.panel.has_focus
            await press(pilot, "escape")
            assert main.tasks.has_focus
            await press(pilot, "c", "escape", "question_mark", "escape", "v", "escape")
        else:
            assert sees(app, "#too-small")
        fake.put(a_task("t8", label="late"))
        await pilot.resize_terminal(1, 1)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert sees(app, "#tasks")
        assert "late" in text_of(app, "#tasks")


async def test_the_list_beside_the_panel_keeps_the_columns_to_steer_by() -> None:
    views = [
        a_task(f"t{n}", server="ab"[n % 2], label=f"task {n}", fraction=0.5, message="on")
        for n in range(20)
    ]
    fake = FakeSupervisor.of(*views)
    async with running(fake, size=(100, 30)) as (app, pilot):
        headings = text_of(app, "#tasks").split("\n")[0].split()
        assert headings == ["STATE", "TASK", "SERVER", "≈%", "MESSAGE"]
        fake.put(replace(views[0], snapshot=replace(views[0].snapshot, read=ReadState(failures=3))))
        await settle(pilot)
        headings = text_of(app, "#tasks").split("\n")[0].split()
        assert headings == ["STATE", "TASK", "≈%", "MESSAGE", "READ"]


async def test_narrow_windows_open_the_panel_over_the_list() -> None:
    async with running(three_tasks(), size=(50, 20)) as (app, pilot):
        await press(pilot, "enter")
        assert (sees(app, "#tasks"), sees(app, "#panel")) == (False, True)
        await press(pilot, "escape")
        assert (sees(app, "#tasks"), sees(app, "#panel")) == (True, False)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_the_panel_can_have_the_window_for_itself(size: tuple[int, int]) -> None:
    async with running(three_tasks(), size=size) as (app, pilot):
        await press(pilot, "enter", "plus", "plus")
        assert (sees(app, "#tasks"), sees(app, "#panel")) == (False, True)
        assert app.main.panel.size.width >= size[0] - 3
        await press(pilot, "minus")
        assert sees(app, "#tasks")
        await press(pilot, "plus")
        await pilot.resize_terminal(50, 20)
        await settle(pilot)
        assert sees(app, "#panel")
        await press(pilot, "escape")
        assert sees(app, "#tasks")
        assert app.main.tasks.has_focus


async def test_the_header_keeps_what_matters_when_room_is_short() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION}),
        *(a_task(f"f{n}", State.FAILED) for n in range(3)),
        *(a_task(f"d{n}", State.COMPLETED) for n in range(3)),
    )
    async with running(fake, size=(44, 12)) as (app, _):
        header = app.main.query_one(Header)
        shown = header.render().plain
        assert shown.rstrip() == " ◆ 1 needs input  ✗ 3 failed  ✓ 3 completed"


async def test_how_the_list_is_arranged_pushes_no_failure_out_of_the_header() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION}),
        a_task("t2", attention=[Reason.STUCK]),
        *(a_task(f"f{n}", State.FAILED) for n in range(3)),
        *(a_task(f"d{n}", State.COMPLETED) for n in range(3)),
    )
    async with running(fake, size=(80, 24)) as (app, pilot):
        await press(pilot, "s", "g", "space")
        shown = app.main.query_one(Header).render().plain
        for fact in ("1 needs input", "1 stuck", "3 failed", "1 task marked"):
            assert fact in shown


async def test_every_fact_of_the_header_is_whole_with_its_sign_or_not_there() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION}),
        a_task("t2", attention=[Reason.STUCK]),
        a_task("t3", attention=[Reason.EXPIRING]),
        a_task("t4", State.FAILED),
        servers=[a_server(), a_server("http://b/mcp", "b", Health.DOWN)],
    )
    facts = {
        "mcp-tasks-tui",
        "4 tasks",
        "◆ 1 needs input",
        "● 1 working",
        "◐ 1 stuck",
        "! 1 expiring",
        "✗ 1 failed",
        "✗ 1 of 2 servers ill",
    }
    async with running(fake, size=(120, 12)) as (app, pilot):
        header = app.main.query_one(Header)
        seen = {each.strip() for each in header.render().plain.split("  ")}
        assert seen == facts
        for width in (90, 80, 60, 45):
            await pilot.resize_terminal(width, 12)
            await pilot.pause()
            seen = {each.strip() for each in header.render().plain.split("  ")}
            short = {"◆1", "●1", "◐1", "!1", "✗1", "✗ 1 ill"}
            assert seen <= facts | short
            # All counts are there, with their words or without.
            assert len(seen & {"◆ 1 needs input", "◆1", "✗ 1 failed", "✗1", "◐ 1 stuck", "◐1"}) == 3

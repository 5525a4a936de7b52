"""The list among its neighbours: what is seen at a glance, and where keys and clicks lead."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.view import Attention, Coverage, Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.layout import PanelSize
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.listing.columns import Column
from mcp_tasks_tui.ui.memory import ScreenMemory
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.widgets.footer import Footer
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_server, a_task

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from textual.pilot import Pilot

    from mcp_tasks_tui.supervise.view import TaskView

_DOWN, _REFUSES = "http://media/mcp", "http://ledger/mcp"


@asynccontextmanager
async def _running(
    fake: FakeSupervisor, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[TasksApp, Pilot[None]]]:
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: bool(app.main.tasks.model.views))
        await pilot.pause()
        yield app, pilot


def _list(app: TasksApp) -> list[str]:
    """Return the lines of the list as they are drawn."""
    tasks = app.main.tasks
    height = tasks.scrollable_content_region.height
    return [tasks.render_line(y).text.rstrip() for y in range(height)]


def _wanting(key: str, reason: Reason, since: float, **said: Any) -> TaskView:
    """A task that wants a person, of a server that tells of it by itself."""
    attention = [Attention(reason, since, reason.value)]
    return a_task(key, attention=attention, coverage=Coverage.PUSHED, **said)


def _crowd() -> FakeSupervisor:
    """Two hundred tasks: four wait, ten are stuck, a server is down, another refuses."""
    question = {"q": {"params": {"message": "Replace what is there?"}}}
    waiting = [
        _wanting(
            f"w{n}",
            Reason.INPUT_REQUIRED,
            NOW - 60 * n,
            state=State.INPUT_REQUIRED,
            label=f"export {n}",
            requests=question,
        )
        for n in range(1, 5)
    ]
    stuck = [
        _wanting(
            f"s{n}",
            Reason.STUCK,
            NOW - 600 * n,
            label=f"train {n}",
            message="Epoch 3 of 40",
            fraction=0.075,
        )
        for n in range(1, 11)
    ]
    away = [
        a_task(
            f"{server[:1]}{n}",
            label=f"{server} {n}",
            server=server,
            server_url=url,
            message="Step 2/9",
            coverage=Coverage.PAUSED,
            live=False,
            saved_at=NOW - 5,
        )
        for server, url in (("media", _DOWN), ("ledger", _REFUSES))
        for n in range(15)
    ]
    calm = [
        a_task(f"c{n}", State.COMPLETED if n % 2 else State.WORKING, label=f"calm {n}")
        for n in range(156)
    ]
    return FakeSupervisor.of(
        *calm,
        *away,
        *stuck,
        *waiting,
        servers=[
            a_server(open_tasks=90),
            a_server(_DOWN, "media", Health.DOWN, "connection refused", open_tasks=20),
            a_server(_REFUSES, "ledger", Health.AUTH, "HTTP 401: token expired", open_tasks=15),
        ],
    )


async def test_two_hundred_tasks_at_a_glance_and_each_trouble_by_one_key() -> None:
    async with _running(_crowd()) as (app, pilot):
        screen = whole_screen(app).split("\n")
        assert "200 tasks  ◆ 4 need input  ● 108 working  ◐ 10 stuck" in screen[0]
        assert "2 of 3 servers ill" in screen[0]
        assert screen[1].split(" · ")[:2] == [" ✗ media down for 40 s", "connection refused"]
        assert screen[2].split(" · ")[:2] == [
            " ✗ ledger sign-in needed for 40 s",
            "HTTP 401: token expired",
        ]
        rows = _list(app)[1:]
        assert all("◆ needs input export" in row and "waits" in row for row in rows[:4])
        assert all("◐ stuck       train" in row and " for " in row for row in rows[4:14])
        assert "X ill server  ! trouble  / filter  v wall  n new  ? help  q quit" in screen[-1]

        model = app.main.tasks.model
        seen = []
        for _ in range(4):
            await pilot.press("i")
            seen.append(model.cursor)
        assert set(seen) == {"w1", "w2", "w3", "w4"}
        seen = []
        for _ in range(14):
            await pilot.press("exclamation_mark")
            seen.append(model.cursor)
        assert set(seen) == {f"w{n}" for n in range(1, 5)} | {f"s{n}" for n in range(1, 11)}
        servers = []
        for _ in range(3):
            await pilot.press("X")
            assert app.main.tasks.current is not None
            servers.append(app.main.tasks.current.server)
            # Below all that runs; where nothing is read the row says so.
            assert any(f"✗ {servers[-1]}" in row for row in _list(app))
        assert servers[0] != servers[1]
        assert servers[2] == servers[0]
        assert whole_screen(app).split("\n")[-1].startswith(" enter open  R retry server")


async def test_order_and_groups_are_those_of_the_last_time(tmp_path: Path) -> None:
    memory = ScreenMemory(tmp_path / "screen.json")
    kept = Choice(sort=SortBy.LABEL, group=GroupBy.SERVER).remembered()
    memory.keep({**kept, **Reading(newest_first=True).remembered()})
    app = TasksApp(_crowd(), memory=memory, now=lambda: NOW, environ={})
    async with app.run_test(size=(150, 40)) as pilot:
        await until(pilot, lambda: "sorted by label · grouped by server" in whole_screen(app))
        rows = _list(app)
        assert "SERVER" not in rows[0]
        assert rows[1].startswith("── builds (170) ─")
        await pilot.press("g", "s")
        kept = Choice(group=GroupBy.STATE).remembered() | PanelSize.USUAL.remembered()
        await until(pilot, lambda: memory.recall().items() >= kept.items())
        ages = {"clock_times": False, "utc": False}
        assert memory.recall() == {**kept, **ages, "newest_first": True}
        await pilot.press("enter", "S", "t")
        await until(pilot, lambda: memory.recall()["clock_times"] is True)
        assert memory.recall() == {**kept, **ages, "clock_times": True, "newest_first": False}
        await pilot.press("t", "K")
        await until(pilot, lambda: memory.recall()["utc"] is True)
        assert memory.recall().keys() == {*kept, *ages, "newest_first"}, "kinds are not kept"


async def test_the_group_of_an_ill_server_says_so() -> None:
    async with _running(_crowd()) as (app, pilot):
        await pilot.press("g", "end")
        assert any("── ✗ media (15) ─" in row for row in _list(app))
        await pilot.press("home")
        assert any("── builds (170) ─" in row for row in _list(app))


async def test_the_smallest_usual_window_names_the_server_of_each_task() -> None:
    async with _running(_crowd(), (80, 24)) as (app, _):
        rows = _list(app)
        assert rows[0].split()[:3] == ["STATE", "TASK", "SERVER"]
        assert "builds" in rows[1]


async def test_a_few_tasks_have_a_line_for_their_message_and_many_have_not() -> None:
    long = "Everything that there is to say about the first of these tasks, in one line"
    views = [a_task(f"t{n}", label=f"crawl {n}", message=long, saved_at=NOW - n) for n in range(5)]
    fake = FakeSupervisor.of(*views)
    async with _running(fake) as (app, pilot):
        rows = _list(app)
        assert rows[0].split() == ["STATE", "TASK", "CHANGE", "READ", "NEXT"]
        assert "● working     crawl 0" in rows[1]
        assert rows[2].strip() == f"{long[:56]}…"
        fake.put(replace(views[1], message=ServerText("short")))
        await pilot.pause()
        assert _list(app)[4].strip(" ▎") == "short"

        fake.put(*(a_task(f"n{n}", label=f"new {n}", message=long) for n in range(40)))
        await pilot.pause()
        rows = _list(app)
        assert "MESSAGE" in rows[0]
        assert all("working" in row for row in rows[1:])

        app.main.filter_bar.fill("crawl")
        await until(pilot, lambda: app.main.tasks.model.shown == 5)
        assert "MESSAGE" not in _list(app)[0]


async def test_of_an_id_that_stands_for_a_name_both_ends_are_seen() -> None:
    ids = [f"projects/long-name-of-a-project/tasks/{n:04}" for n in range(30)]
    views = [a_task(f"t{n}", task_id=each, tool=None) for n, each in enumerate(ids)]
    async with _running(FakeSupervisor.of(*views), (60, 15)) as (app, _):
        row = next(row for row in _list(app) if "working" in row)
        name = row.split()[2]
        assert name.startswith("projects/")
        assert "…" in name
        assert name[-4:].isdigit()


async def test_while_the_saved_tasks_are_read_it_says_so() -> None:
    fake = FakeSupervisor.of(a_task(label="one"))
    fake.gate = asyncio.Event()
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Reading the saved tasks" in whole_screen(app))
        fake.gate.set()
        await until(pilot, lambda: "● working     one" in whole_screen(app))


async def test_columns_stay_where_they_are_while_tasks_move() -> None:
    views = [
        a_task(f"t{n}", label=f"task {n}", server="ab"[n % 2], message=f"step {n}", fraction=0.5)
        for n in range(40)
    ]
    fake = FakeSupervisor.of(*views)
    async with _running(fake) as (app, pilot):
        headings = {_list(app)[0]}
        for n, view in enumerate(views):
            state = State.COMPLETED if n % 3 else State.WORKING
            fake.put(
                replace(view, state=state, message=ServerText("x" * n), progress=None),
            )
            app.main.tasks.tick()
            headings.add(_list(app)[0])
        await pilot.pause()
        assert len(headings) == 1


@pytest.mark.parametrize(
    ("column", "sort"),
    [
        (Column.STATE, SortBy.STATE),
        (Column.NAME, SortBy.LABEL),
        (Column.SERVER, SortBy.SERVER),
        (Column.PROGRESS, SortBy.PROGRESS),
        (Column.MESSAGE, SortBy.ATTENTION),
        (Column.CHANGED, SortBy.CHANGED),
        (Column.AGE, SortBy.AGE),
    ],
)
def test_a_heading_stands_for_an_order(column: Column, sort: SortBy) -> None:
    first = Choice(sort=SortBy.STATE, reverse=True).sorted_by(column)
    assert first.sort is sort
    assert not first.reverse
    assert first.sorted_by(column).reverse


async def test_all_around_the_list_can_be_clicked() -> None:
    async with _running(_crowd()) as (app, pilot):
        main = app.main
        name = _list(app)[0].index("TASK")
        await pilot.click("#tasks", offset=(name + 1, 0))
        await until(pilot, lambda: "sorted by label" in whole_screen(app))
        await pilot.click("#tasks", offset=(name + 1, 0))
        await until(pilot, lambda: "reversed" in whole_screen(app))
        heading = app.main.tasks.render_line(0)
        (marked,) = [each.text for each in heading if each.style and each.style.underline]
        assert marked == "TASK↓"
        await pilot.click("#tasks", offset=(_list(app)[0].index("MESSAGE"), 0))
        await until(pilot, lambda: "sorted by" not in whole_screen(app))
        header = whole_screen(app).split("\n")[0]
        await pilot.click("#header", offset=(header.index("need input"), 0))
        await until(pilot, lambda: main.tasks.model.shown == 4)
        assert main.filter_bar.text == "state:input_required"
        assert main.tasks.has_focus
        await pilot.click("#header", offset=(header.index("200 tasks"), 0))
        await until(pilot, lambda: main.tasks.model.shown == 200)
        await pilot.click("#servers", offset=(4, 1))
        await until(pilot, lambda: getattr(main.tasks.current, "server", "") == "ledger")
        await pilot.click("#tasks", offset=(20, 3))
        assert (
            main.tasks.model.cursor == list(main.tasks.model.keys())[main.tasks.scroll_offset.y + 2]
        )
        await pilot.click("#panel", offset=(5, 5))
        assert main.panel.has_focus
        words = whole_screen(app).split("\n")[-1]
        await pilot.click(Footer, offset=(words.index("help"), 0))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_keys_on_the_wall_are_about_the_panel_that_is_chosen_there() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"task {n}") for n in range(4)))
    async with _running(fake) as (app, pilot):
        await pilot.press("j", "space", "v")
        await until(pilot, lambda: app.main.wall.has_focus)
        await pilot.press("right")
        chosen = app.main.wall.selected
        assert chosen
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        asked = f"cancel {fake.tasks[chosen].handle.label}?"
        await until(pilot, lambda: asked in whole_screen(app))
        await pilot.press("y")
        await until(pilot, lambda: bool(fake.asked_for("cancel")))
        assert [each.key for each in fake.asked_for("cancel")] == [chosen]
        assert app.main.has_class("-wall")


async def test_the_palette_is_about_the_list_and_stays_away_from_dialogs() -> None:
    async with _running(FakeSupervisor.of(a_task())) as (app, pilot):
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, ConfirmScreen)


@pytest.mark.parametrize("count", [3, 60], ids=["roomy", "dense"])
async def test_wide_and_hostile_names_keep_every_column_in_its_place(count: int) -> None:
    texts = [
        "処理中 👨‍👩‍👧 é 100%",
        "e\u0301e\u0301 combining",
        "[@click=app.quit]q[/] [red]x[/red] [/",
        "\x1b[2J\x1b]0;x\x07\u202egpj.exe\u200b",
        "plain",
    ]
    views = [
        a_task(
            f"t{n}",
            label=texts[n % len(texts)] * 2,
            message=texts[(n + 1) % len(texts)],
            server="ab"[n % 2] * 3,
            fraction=0.5,
        )
        for n in range(count)
    ]
    async with _running(FakeSupervisor.of(*views)) as (app, pilot):
        tasks = app.main.tasks
        height = tasks.scrollable_content_region.height
        strips = [tasks.render_line(y) for y in range(height)]
        assert {strip.cell_length for strip in strips} == {tasks.scrollable_content_region.width}
        drawn = "".join(strip.text for strip in strips)
        assert "\x1b" not in drawn
        assert "\u202e" not in drawn
        server = strips[0].text.index("SERVER")
        for strip in strips[1 : min(count, height) :]:
            at_server = strip.crop(server, server + 3).text
            assert at_server in ("aaa", "bbb") or "working" not in strip.text
        y = next(y for y, strip in enumerate(strips) if "[@click" in strip.text)
        x = cell_len(strips[y].text[: strips[y].text.index("[@click")])
        await pilot.click("#tasks", offset=(x + 2, y))
        await pilot.pause()
        assert app.is_running
        assert app.screen is app.main

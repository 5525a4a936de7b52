"""The wall as it is used: pages, the cursor, and what is drawn again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import RECENT
from mcp_tasks_tui.supervise.view import Coverage, Reason
from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.vocabulary import COMMANDS
from mcp_tasks_tui.ui.widgets.wall.wall import Wall
from tests.ui.bare import BareApp, KeyedApp, until
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.wall.cards import HOSTILE, shown

if TYPE_CHECKING:
    from textual.message import Message


async def test_a_single_task_fills_the_wall_and_many_are_paged() -> None:
    wall = Wall(now=lambda: NOW)
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.focus()
        wall.show([a_task("k0")])
        assert wall.shown == ["k0"]
        wall.show([a_task(f"k{n:02}", saved_at=NOW + n) for n in range(25)])
        assert wall.pages == 5
        assert wall.shown == [f"k{n:02}" for n in range(6)]
        await pilot.press("pagedown")
        assert wall.shown == [f"k{n:02}" for n in range(6, 12)]
        await pilot.press(*["right_square_bracket"] * 4)
        assert wall.shown == ["k24"]
        await pilot.press(*["pageup"] * 4, "up", "up", "up", "up")
        assert wall.selected == "k00"
        wall.show([])
        assert wall.shown == []
        assert wall.selected == ""


def test_how_fresh_it_is_is_told_only_where_it_is_older_than_it_should_be() -> None:
    assert "read" not in shown(a_task())
    assert "read" not in shown(a_task(read_at=NOW - 300, next_read_at=NOW + 300))  # as planned
    late = a_task(read_at=NOW - 300, next_read_at=NOW - 30)
    assert "read 5 m ago" in shown(late)
    assert "read 40 s ago" in shown(a_task(read_at=NOW - 42, live=False))
    assert "never read" in shown(a_task(read_at=None))
    assert "read just now, 2 failed reads" in shown(a_task(failures=2, error="HTTP 502"))
    held = a_task(coverage=Coverage.HELD, held=True, read_at=NOW - 120)
    assert "read 2 m ago, polling held" in shown(held)


async def test_only_the_lines_that_changed_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = NOW
    wall = Wall(now=lambda: now)
    views = [a_task(f"k{n}", message="m", saved_at=NOW + n) for n in range(4)]
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.show(views)
        await pilot.pause()
        drawn: list[Any] = []
        monkeypatch.setattr(wall, "refresh", lambda *regions, **_: drawn.extend(regions))
        wall.show(views)
        assert drawn == []
        wall.show([*views[:3], replace(views[3], live=False)])
        band, *_, how_fresh = drawn  # last known, a mark that rests, read just now
        assert len(drawn) <= 4
        assert (band.width, band.height, how_fresh.width, how_fresh.height) == (50, 1, 50, 1)
        assert band.x == how_fresh.x == 50
        drawn.clear()
        now += 0.5  # within one second nothing is made anew
        cards = wall._cards
        wall.show([*views[:3], replace(views[3], live=False)])
        assert [wall._cards[key] is cards[key] for key in wall.shown] == [True, True, True, False]
        assert drawn == []


async def test_what_ended_leaves_by_itself_when_its_time_is_over() -> None:
    now = NOW
    wall = Wall(now=lambda: now)
    views = [a_task("k0"), a_task("k1", State.COMPLETED, changed_at=NOW)]
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.show(views)
        assert wall.shown == ["k0", "k1"]
        now = NOW + RECENT + 1
        await until(pilot, lambda: wall.shown == ["k0"])


async def test_the_cursor_stays_with_its_task_and_enter_opens_it() -> None:
    wall = Wall(now=lambda: NOW)
    seen: list[Message] = []
    views = [a_task(f"k{n}", saved_at=NOW + n) for n in range(4)]
    async with BareApp(wall).run_test(size=(100, 31), message_hook=seen.append) as pilot:
        wall.focus()
        wall.show(views)
        await pilot.press("right", "down")
        assert wall.selected == "k3"
        wall.show([*views, a_task("urgent", attention=[Reason.STUCK])])
        assert wall.shown[0] == "urgent"
        assert wall.selected == "k3"
        await pilot.press("enter")
        await pilot.pause()
    assert {each.key for each in seen if isinstance(each, Wall.Opened)} == {"k3"}


async def test_in_a_window_of_another_size_the_page_is_that_of_the_cursor() -> None:
    wall = Wall(now=lambda: NOW)
    async with BareApp(wall).run_test(size=(100, 31)) as pilot:
        wall.focus()
        wall.show([a_task(f"k{n:02}", saved_at=NOW + n) for n in range(25)])
        await pilot.press("pagedown", "pagedown", "right")
        assert (wall.selected, wall.shown[0]) == ("k13", "k12")
        for size in ((60, 15), (100, 31), (40, 10), (160, 50), (60, 15)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert wall.selected == "k13"
            assert "k13" in wall.shown
        # Others come before it: what a person reads stays, though the cursor is elsewhere by now.
        await pilot.resize_terminal(100, 31)
        await pilot.pause()
        urgent = [a_task(f"u{n}", attention=[Reason.STUCK]) for n in range(9)]
        wall.show([*urgent, *(a_task(f"k{n:02}", saved_at=NOW + n) for n in range(25))])
        first = wall.shown[0]
        assert "k13" not in wall.shown
        await pilot.resize_terminal(60, 15)
        await pilot.pause()
        assert first in wall.shown


@pytest.mark.parametrize("size", [(60, 12), (60, 9), (40, 10), (40, 7), (34, 4)])
async def test_where_more_cards_are_than_fit_the_last_line_says_so(size: tuple[int, int]) -> None:
    wall = Wall(now=lambda: NOW)
    async with BareApp(wall).run_test(size=size):
        wall.show([a_task(f"k{n:02}") for n in range(12)])
        foot = wall.render_line(size[1] - 1).text
        assert f"page 1 of {wall.pages}" in foot
        assert "…" not in foot
        wall.show([a_task("k00")])
        assert "page" not in wall.render_line(size[1] - 1).text


@pytest.mark.parametrize("size", [(160, 50), (60, 15), (40, 10), (3, 2), (1, 1)])
async def test_any_size_and_hostile_everything(size: tuple[int, int]) -> None:
    wall = Wall(now=lambda: NOW)
    app = BareApp(wall)
    async with app.run_test(size=size) as pilot:
        wall.focus()
        wall.show([a_task(f"k{n}", label=HOSTILE, message=HOSTILE, fraction=0.2) for n in range(9)])
        await pilot.press("down", "right", "pagedown")
        await pilot.click(wall, offset=(0, 0))
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        assert app.is_running


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, ["page 1 of 5, pgup pgdn turn", "enter opens · v list"]),
        ({"wall.next": "f8", "wall.previous": "f7", "wall.open": ""}, ["f7 f8 turn", "  v list"]),
    ],
)
async def test_the_last_line_names_the_keys_as_they_are_bound(
    settings: dict[str, str], said: list[str]
) -> None:
    wall = Wall(now=lambda: NOW)
    async with KeyedApp(wall, read_keymap(settings, COMMANDS)).run_test(size=(100, 31)):
        wall.show([a_task(f"k{n:02}") for n in range(25)])
        foot = wall.render_line(30).text
        assert [words for words in said if words not in foot] == []

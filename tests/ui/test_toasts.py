"""Toasts: one of a kind at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.notifications import Notifications
from textual.widgets._toast import Toast, ToastHolder

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.alerts import Alert, AlertKind
from mcp_tasks_tui.supervise.supervisor import Batch
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.toasts import Toasts
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import FakeSupervisor, a_task

if TYPE_CHECKING:
    from textual.geometry import Region


class _Rack:
    def __init__(self, room: int = 5) -> None:
        self.shown = Notifications()
        self.drawn = 0
        self.toasts = Toasts(lambda: self.shown, self.draw, room=lambda: room, seconds=60)

    def draw(self) -> None:
        self.drawn += 1

    @property
    def texts(self) -> list[str]:
        return [each.message for each in self.shown]


def test_a_toast_takes_the_place_of_an_earlier_one_of_its_kind() -> None:
    rack = _Rack()
    rack.toasts.show("8 tasks are stuck", "warning", "stuck")
    rack.toasts.show("reading one now", "information", "outcome")
    rack.toasts.show("10 tasks are stuck", "warning", "stuck")
    assert rack.texts == ["reading one now", "10 tasks are stuck"]
    assert rack.drawn == 3


def test_the_same_words_are_shown_once_and_other_ones_beside_them() -> None:
    rack = _Rack()
    for text in ("one: refused", "two: refused", "one: refused"):
        rack.toasts.show(text, "error")
    assert rack.texts == ["two: refused", "one: refused"]


def test_text_of_a_server_is_one_clean_line_and_never_markup() -> None:
    rack = _Rack()
    rack.toasts.show("[red]a[/red]\x1b[2J\nb", "error")
    (toast,) = rack.shown
    assert not toast.markup
    assert "\x1b" not in toast.message
    assert "\n" not in toast.message
    assert toast.message.startswith("[red]a[/red]")


def test_where_there_is_room_for_one_it_is_the_newest_and_errors_stay_longest() -> None:
    small, usual = _Rack(1), _Rack(3)
    for rack in (small, usual):
        rack.toasts.show("one failed", "error")
        for n in range(4):
            rack.toasts.show(f"task {n} finished", "information")
    assert small.texts == ["task 3 finished"]
    assert usual.texts == ["one failed", "task 2 finished", "task 3 finished"]


async def test_toasts_that_were_replaced_leave_nothing_behind_on_the_screen() -> None:
    app = TasksApp(FakeSupervisor(), config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(60, 24), notifications=True) as pilot:
        for n in range(12):
            app.say(f"reading task {n} now", kind="outcome")
            await pilot.pause()
        await pilot.pause()
        assert len(app.screen.query(ToastHolder)) <= 2
        assert [toast.render().plain for toast in app.screen.query(Toast)] == [
            "reading task 11 now"
        ]


async def test_in_a_small_window_and_over_a_dialog_there_is_one_in_the_last_lines() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": {}}), a_task("t2", State.FAILED)
    )
    app = TasksApp(fake, config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)

        async def told() -> Region:
            """Where the only toast is, on all screens."""
            await until(pilot, lambda: any(toast.region for toast in app.screen.query(Toast)))
            (toast,) = [toast for screen in app.screen_stack for toast in screen.query(Toast)]
            return toast.region

        app.say("t3 failed: no space is left on the device of the worker", "error")
        app.say("t4 failed: " + "no space is left on the device of the worker " * 9, "error")
        region = await told()
        assert (region.height, region.bottom, region.right, region.width) == (4, 23, 80, 60)
        app.say("no pager is set; set $PAGER to a program that is installed and try", "error")
        await until(pilot, lambda: "installed and try" in whole_screen(app))
        app.say("t4 failed: no space", "error")
        await until(pilot, lambda: "t4 failed: no space" in whole_screen(app).split("\n")[-2])
        region = await told()
        assert (region.y, region.height, region.right) == (22, 1, 80)
        assert "quit" in whole_screen(app).split("\n")[-1], "the keys can be read"

        # The dialog shows it, and nothing stands behind it; what finished waits for its end.
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        region = await told()
        assert (region.y, region.right) == (23, 80)
        done = (Alert(AlertKind.FINISHED, ("t2",), "t2 finished", "t2"),)
        fake.publish(Batch(alerts=done))
        await pilot.pause()
        assert "finished" not in whole_screen(app)
        await pilot.press("escape")
        await until(pilot, lambda: "t2 finished" in whole_screen(app).split("\n")[-2])
        await told()

        await pilot.resize_terminal(39, 9)
        await until(pilot, lambda: "The window is too small" in whole_screen(app))
        assert "finished" not in whole_screen(app)
        assert whole_screen(app).split("\n")[0].strip() == "◆1  ✗1"


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (40, 10)])
async def test_a_toast_leaves_the_row_that_a_person_is_on_and_the_keys(
    size: tuple[int, int],
) -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"job {n}") for n in range(30)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        app.say("job 3 failed: " + "no space is left on the device " * 5, "error")
        for keys in (("j",) * 12, ("G",), ("home",)):
            await pilot.press(*keys)
            await until(pilot, lambda: any(toast.region for toast in app.screen.query(Toast)))
            here = app.main.line_in_hand
            (toast,) = app.screen.query(Toast)
            assert here is not None
            assert not toast.region.y <= here < toast.region.bottom
            assert toast.region.bottom < size[1], "the last line has the keys"
            assert toast.region.y > 0
            assert "left on the device" in whole_screen(app)


@pytest.mark.parametrize("size", [(80, 24), (60, 15), (40, 10)])
async def test_a_toast_leaves_the_filter_and_its_mistake(size: tuple[int, int]) -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"job {n}") for n in range(30)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        app.say("job 3 failed: no space is left", "error")
        await pilot.press(*"jjjj", "slash", *"state:bogus", "enter")
        await until(pilot, lambda: "needs_input, stuck." in " ".join(whole_screen(app).split()))
        await until(pilot, lambda: "no space is" in whole_screen(app))
        (toast,) = app.screen.query(Toast)
        assert toast.region.y >= app.main.filter_bar.region.bottom
        assert toast.region.bottom == size[1] - 1, "the last line has the keys"


async def test_what_textual_tells_and_what_screens_tell_goes_one_way() -> None:
    app = TasksApp(FakeSupervisor.of(a_task()), config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        for _ in range(3):
            app.screen.notify("[red]told\x1b[2J", severity="error", markup=False)
        (told,) = app._notifications
        assert told.message.startswith("[red]told^[")
        assert not told.markup
        app.say("another")
        await until(pilot, lambda: [each.message for each in app._notifications] == ["another"])


async def test_a_key_that_comes_to_nothing_and_the_next_one_tell_one_thing() -> None:
    app = TasksApp(FakeSupervisor.of(a_task()), config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(120, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        await pilot.press("i", "u")
        await until(pilot, lambda: "asks nothing" in whole_screen(app))
        assert "waits for an answer" not in whole_screen(app)


async def test_toasts_cover_no_rows_of_the_list() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}") for n in range(34)))
    app = TasksApp(fake, config=ScreenConfig(animations=False), environ={})
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: app.main.tasks.free_lines == 3)
        for n in range(6):
            app.say(f"news {n}")
        await until(pilot, lambda: "news 5" in whole_screen(app))
        toasts = list(app.screen.query(Toast))
        assert len(toasts) == 3
        last_row = app.main.tasks.region.y + len(fake.tasks)
        assert min(toast.region.y for toast in toasts) == last_row + 1
        # With no empty line they leave the list alone.
        fake.put(*(a_task(f"n{n}") for n in range(9)))
        app.say("news 6")
        await until(pilot, lambda: "news 6" in whole_screen(app))
        listed = app.main.tasks.region
        assert not any(toast.region.overlaps(listed) for toast in app.screen.query(Toast))

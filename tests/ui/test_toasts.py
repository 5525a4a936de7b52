"""Toasts: one of a kind at a time."""

from __future__ import annotations

from textual.notifications import Notifications
from textual.widgets._toast import Toast, ToastHolder

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.toasts import Toasts
from tests.ui.fakes import FakeSupervisor


class _Rack:
    def __init__(self, height: int = 40) -> None:
        self.shown = Notifications()
        self.drawn = 0
        self.toasts = Toasts(lambda: self.shown, self.draw, height=lambda: height, seconds=60)

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


def test_a_small_window_has_room_for_the_newest_alone_and_errors_stay_longest() -> None:
    small, usual = _Rack(10), _Rack(24)
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

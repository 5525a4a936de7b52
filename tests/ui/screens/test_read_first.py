"""Questions are agreed to by somebody who could have read them, and by nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens import read_first
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, Asked, FakeSupervisor, a_task

if TYPE_CHECKING:
    from textual.app import App
    from textual.pilot import Pilot

    from mcp_tasks_tui.ui.screens.read_first import ReadFirst

_LINK = look_at("https://example.com/consent")
_TOO_EARLY = "came before this could be read"


class _Asking:
    """A question on the screen that was drawn a while ago; `answers` are what came of it."""

    def __init__(self, app: App[None], pilot: Pilot[None], screen: ReadFirst[object]) -> None:
        self.app, self.pilot, self.screen = app, pilot, screen
        self.answers: list[object] = []
        #: When it can have been read.
        self.readable = 0.0

    async def open(self) -> None:
        await self.app.push_screen(self.screen, self.answers.append)
        await self.pilot.pause()
        self.readable = self.screen._readable_at

    async def type(self, key: str, at: float) -> None:
        """Type a key `at` seconds after the question could be read."""
        event = events.Key(key, key if len(key) == 1 else None)
        event.time = self.readable + at
        self.app.post_message(event)
        await self.pilot.pause()

    async def click(self, button: str, at: float) -> None:
        x, y = self.screen.query_one(button).region.offset
        for make in (events.MouseDown, events.MouseUp):
            event = make(None, x, y, 0, 0, 1, False, False, False, x, y)
            event.time = self.readable + at
            self.app.post_message(event)
        await self.pilot.pause()


def _confirm() -> ReadFirst[object]:
    return ConfirmScreen("Cancel?", ["one"], yes="Yes", no="No")  # type: ignore[return-value]


def _open() -> ReadFirst[object]:
    return OpenScreen(_LINK, can_send=True)  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def time_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_first, "TIME_TO_READ", 0.3)


@pytest.mark.parametrize(
    ("make", "key", "says"),
    [(_confirm, "y", True), (_open, "y", "open"), (_open, "s", "open_and_send")],
)
async def test_a_yes_typed_before_it_could_be_read_is_wanted_once_more(
    make: type, key: str, says: object
) -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        asking = _Asking(app, pilot, make())
        await asking.open()
        await asking.type(key, at=-0.01)
        assert app.screen is asking.screen
        assert f"{key} {_TOO_EARLY}: once more for a yes" in whole_screen(app)
        assert asking.screen.children[0].outer_size.height < 15, "a box as it was, with a line more"
        await asking.type(key, at=0.01)
        assert asking.answers == [says]


@pytest.mark.parametrize(
    ("make", "button", "says"),
    [(_confirm, "#yes", True), (_open, "#open-only", "open")],
)
async def test_buttons_are_pressed_by_who_could_read_them(
    make: type, button: str, says: object
) -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        asking = _Asking(app, pilot, make())
        await asking.open()
        await asking.type("right", at=-0.2)
        await asking.type("enter", at=-0.1)
        assert f"enter {_TOO_EARLY}" in whole_screen(app)
        asking.screen.query_one(button).remove_class("-active")  # it shows for a while
        await asking.click(button, at=-0.01)
        assert f"that click {_TOO_EARLY}" in whole_screen(app)
        assert asking.answers == []
        asking.screen.query_one(button).remove_class("-active")
        await asking.click(button, at=0.01)
        assert asking.answers == [says]


@pytest.mark.parametrize("make", [_confirm, _open])
@pytest.mark.parametrize("key", ["n", "escape", "enter"])
async def test_a_no_is_never_too_early(make: type, key: str) -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        asking = _Asking(app, pilot, make())
        await asking.open()
        await asking.type(key, at=-0.3)
        assert asking.answers in ([None], [False])


async def test_who_types_what_means_nothing_here_is_not_reading() -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        asking = _Asking(app, pilot, _confirm())
        await asking.open()
        for key, at in (("o", 5.0), ("p", 5.1), ("y", 5.2), ("left", 5.3)):
            await asking.type(key, at)
        assert asking.answers == []
        await asking.type("y", at=5.5)
        assert asking.answers == [True]


async def test_a_question_that_was_under_another_has_to_be_read_again() -> None:
    app = BareApp()
    async with app.run_test(size=(80, 24)) as pilot:
        asking, above = _Asking(app, pilot, _confirm()), _Asking(app, pilot, _confirm())
        await asking.open()
        await above.open()
        await above.type("n", at=0.0)
        await asking.type("y", at=above.readable - asking.readable)
        assert asking.answers == []
        assert asking.screen._readable_at > above.readable


async def test_a_text_that_comes_without_the_marks_of_a_paste_cancels_nothing() -> None:
    fake = FakeSupervisor.of(a_task("t1", label="job"))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        for key in "copy":
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: _TOO_EARLY in whole_screen(app))
        assert isinstance(app.screen, ConfirmScreen)
        assert fake.asked_for("cancel") == []
        read = events.Key("y", "y")
        read.time = app.screen._readable_at + 0.01
        app.post_message(read)
        await until(pilot, lambda: bool(fake.asked_for("cancel")))
        assert fake.asked_for("cancel") == [Asked("cancel", "t1")]

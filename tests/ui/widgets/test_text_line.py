"""What was filled in for a person gives way to what they type; what they typed themselves stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.widgets import Input

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.add import AddScreen
from mcp_tasks_tui.ui.screens.edit import EditScreen
from mcp_tasks_tui.ui.servers import KnownServers
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, FakeSupervisor, a_task
from tests.ui.screens.answer.answering import AnswerApp, ask, settled, type_text

if TYPE_CHECKING:
    from textual.pilot import Pilot

URL = "http://builds.test/mcp"


async def test_a_default_of_a_form_is_replaced_and_what_was_typed_is_gone_on_with() -> None:
    whole = {"type": "integer", "default": 40}
    app = AnswerApp({"q": ask(batch=whole, other={"type": "string", "default": "eu"})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "5")
        await pilot.press("tab")
        await type_text(pilot, "us")
        await pilot.press("shift+tab")
        await type_text(pilot, "0")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"batch": 50, "other": "us"}}}]


async def test_a_draft_that_is_opened_again_is_gone_on_with() -> None:
    app = AnswerApp({"q": ask(batch={"type": "integer", "default": 40})})
    async with app.run_test() as pilot:
        await pilot.pause()
        await type_text(pilot, "5")
        await pilot.press("escape")
        await pilot.pause()
        app.open_answer()
        await pilot.pause()
        await type_text(pilot, "0")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert app.sent() == [{"q": {"action": "accept", "content": {"batch": 50}}}]


async def _added(pilot: Pilot[None], app: BareApp) -> list[HandleDraft | None]:
    added: list[HandleDraft | None] = []
    app.push_screen(AddScreen(KnownServers({URL: URL})), added.append)
    await pilot.pause()
    assert app.screen.query_one("#server", Input).value == URL
    return added


async def test_the_server_that_is_offered_is_replaced_and_a_typed_one_is_not() -> None:
    app = BareApp()
    async with app.run_test() as pilot:
        added = await _added(pilot, app)
        await type_text(pilot, "http://other.test/mc")
        await pilot.press("tab")
        await type_text(pilot, "id-1")
        await pilot.press("shift+tab")
        await type_text(pilot, "p")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert added == [HandleDraft("http://other.test/mcp", "id-1")]


async def test_a_server_behind_another_is_refused() -> None:
    app = BareApp()
    async with app.run_test() as pilot:
        added = await _added(pilot, app)
        await pilot.press("end")
        await type_text(pilot, URL)
        await pilot.press("tab")
        await type_text(pilot, "id-1")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert added == []
        assert "two URLs in one" in whole_screen(app)


async def test_a_label_is_replaced_unless_a_click_puts_the_cursor() -> None:
    app = BareApp()
    view = a_task("t1", label="nightly")
    async with app.run_test() as pilot:
        for click, label in ((False, "X"), (True, "nigXhtly")):
            edited = EditScreen(view.handle, "nightly")
            app.push_screen(edited)
            await pilot.pause()
            if click:
                await pilot.press("tab")
                await pilot.click("#label", offset=(3, 0))
            await type_text(pilot, "X")
            assert edited.query_one("#label", Input).value == label
            await pilot.press("escape")
            await pilot.pause()


async def test_a_window_that_is_gone_back_to_is_as_it_was() -> None:
    app = BareApp()
    edited = EditScreen(a_task("t1", label="nightly").handle, "nightly")
    async with app.run_test() as pilot:
        app.push_screen(edited)
        await pilot.pause()
        await pilot.press("home", "right")
        app.post_message(events.AppBlur())
        await pilot.pause()
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("x")
        assert edited.query_one("#label", Input).value == "nxightly"


async def test_what_is_selected_and_the_cursor_are_seen_without_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    fake = FakeSupervisor.of(a_task("t1", label="nightly"))
    config = ScreenConfig(animations=False)
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={"NO_COLOR": "1"})
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        await pilot.press("e")
        await until(pilot, lambda: "Label" in whole_screen(app))
        await pilot.pause()
        line = app.screen.query_one("#label", Input)
        [selected] = [each for each in line.render_line(0) if "nightly" in each.text]
        assert selected.style is not None
        assert selected.style.reverse
        await pilot.press("x")
        cursor = list(line.render_line(0))[1]
        assert cursor.style is not None
        assert cursor.style.reverse, "and so is where one types"

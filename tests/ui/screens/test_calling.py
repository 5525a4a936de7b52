"""Dialogs with fields: a handle is added, a tool is called, in windows of any size."""

from __future__ import annotations

import pytest
from textual.widgets import Input, OptionList

from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.protocol.messages import ToolList
from mcp_tasks_tui.ui.screens.add import AddScreen
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.widgets.form.text import LineField
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.urls import short_url
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import SERVER, Asked, a_server, a_tool
from tests.ui.running import press, running, settle, text_of, three_tasks


@pytest.mark.parametrize("size", [(60, 15), (40, 10)])
async def test_in_a_small_window_a_dialog_keeps_its_title_its_field_and_its_buttons(
    size: tuple[int, int],
) -> None:
    async with running(three_tasks(), size=size) as (app, pilot):

        def sees(*words: str) -> bool:
            return all(word in whole_screen(app) for word in words)

        await press(pilot, "a")
        await until(pilot, lambda: sees("Keep a task", "Server", "Keep it ^s", "Back"))
        await pilot.press(*"zz", "tab", *"id", "tab", "tab")
        await until(pilot, lambda: sees("Keep a task", "Label", "Keep it ^s"))
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: sees("Server", "zz", "no server is called", "Keep it ^s"))
        await press(pilot, "escape", "e")
        await until(pilot, lambda: sees("Edit", "Label", "Save ^s", "Leave as it is esc"))
        await press(pilot, "escape", "c")
        await until(pilot, lambda: sees("Let it run n", "Cancel the work y"))


async def test_add_a_handle() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "a")
        assert isinstance(app.screen, AddScreen)
        app.screen.query_one("#server", Input).value = "nope"
        app.screen.query_one("#task-id", Input).value = "tsk-1"
        await pilot.click("#save")
        assert "no server is called nope" in app.screen.query_one("#add-error", Line).text.plain
        app.screen.query_one("#server", Input).value = " builds "
        app.screen.query_one("#task-id", Input).value = " tsk 1\t"
        save = app.screen.query_one("#save")
        await until(pilot, lambda: not save.has_class("-active"))  # it is up again
        await pilot.click("#save")
        await settle(pilot)
        assert fake.asked_for("save") == [Asked("save", value=HandleDraft(SERVER, "tsk 1"))]
        assert app.main.tasks.current is fake.tasks["s3"]


async def test_a_new_call_is_a_tool_and_its_arguments() -> None:
    fake = three_tasks()
    deploy = a_tool("deploy", "Deploys it", env={"type": "string"})
    fake.tool_lists[SERVER] = ToolList((a_tool("build", "Builds it"), deploy))
    async with running(fake) as (app, pilot):
        await press(pilot, "n")
        assert isinstance(app.screen, NewCallScreen)
        await pilot.pause()
        assert app.screen.query_one("#call-search").has_focus
        assert "Builds it" in text_of(app, "#call-tools")
        await pilot.press(*"depl")
        await pilot.pause()
        assert app.screen.query_one(OptionList).option_count == 1
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.focused, LineField))
        await pilot.press(*"prod")
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: bool(fake.asked_for("call")))
        assert fake.asked_for("call") == [
            Asked("call", SERVER, value=("deploy", {"env": "prod"}, None))
        ]


async def test_a_new_call_says_whom_it_calls_however_long_its_form_is() -> None:
    fake = three_tasks()
    fake.server_views = [a_server(name="builds")]
    many = {f"field{n}": {"type": "string"} for n in range(30)}
    fake.tool_lists[SERVER] = ToolList((a_tool("deploy", "Deploys it", **many),))
    async with running(fake, size=(80, 24)) as (app, pilot):
        await press(pilot, "n")
        await settle(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.focused, LineField))
        box = app.screen.query_one(".dialog-body")
        for last in ("#call-label", "#send"):
            app.screen.query_one(last).focus()
            await settle(pilot)
            assert app.screen.query_one(last) in app.screen._compositor.visible_widgets
        assert box.scroll_offset.y > 0
        top = app.screen._compositor.render_strips()[
            app.screen.query_one(".dialog-box").region.y
        ].text
        assert f"on builds ({short_url(SERVER)})" in top

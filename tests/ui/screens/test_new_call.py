"""The dialog that calls a tool: what is listed is what the server that is called has."""

from __future__ import annotations

import asyncio

from textual.widgets import Input, OptionList

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.messages import ToolList
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.servers import KnownServers
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_tool

OTHER = "http://other.test/mcp"


async def test_no_tool_of_one_server_can_be_called_on_another() -> None:
    fake = FakeSupervisor.of()
    fake.tool_lists[SERVER] = ToolList((a_tool("build"),))
    screen = NewCallScreen(fake, KnownServers(), SERVER)
    app = BareApp()
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        tools = screen.query_one("#call-tools", OptionList)
        await until(pilot, lambda: tools.option_count == 1)

        fake.gate = asyncio.Event()
        field = screen.query_one("#call-server", Input)
        field.value = OTHER
        field.focus()
        await pilot.press("enter")
        await until(pilot, lambda: len(fake.asked_for("tools")) == 2)
        assert tools.option_count == 0, "while it is asked"
        fake.failures["tools"] = StoreError("it does not answer")
        fake.gate.set()
        await pilot.pause()
        assert tools.option_count == 0, "and when it gave none"
        assert not screen.has_class("-listed")

        fake.failures.clear()
        fake.tool_lists[OTHER] = ToolList((a_tool("deploy"), a_tool("stop")))
        await pilot.press("enter")
        await until(pilot, lambda: tools.option_count == 2)


async def test_with_no_server_known_it_asks_for_one_first() -> None:
    config = ScreenConfig(animations=False)
    app = TasksApp(FakeSupervisor(), config=config, now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "No tasks are kept here yet" in whole_screen(app))
        await pilot.press("n")
        await until(pilot, lambda: "none is known yet: give its URL" in whole_screen(app))
        assert "type to find a tool" not in whole_screen(app)
        await pilot.press(*"nowhere", "enter")
        await until(pilot, lambda: "no server is called nowhere" in whole_screen(app))

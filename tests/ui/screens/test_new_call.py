"""The dialog that calls a tool: what is listed is what the server that is called has."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.widgets import Input, OptionList

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.forms.answer import compose
from mcp_tasks_tui.forms.reading import read_form
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.messages import ToolList
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.quitting import LeaveScreen
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.screens.viewer import ViewerScreen
from mcp_tasks_tui.ui.servers import KnownServers
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_task, a_tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textual.pilot import Pilot

    from mcp_tasks_tui.forms.model import Form

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


def _app(fake: FakeSupervisor) -> TasksApp:
    return TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})


def _two_tools() -> FakeSupervisor:
    fake = FakeSupervisor.of(a_task("k1"))
    level = {"type": "string", "enum": ["low", "high"]}
    deploy = a_tool("deploy", env={"type": "string"}, token={"type": "string"}, level=level)
    fake.tool_lists[SERVER] = ToolList((a_tool("build", branch={"type": "string"}), deploy))
    return fake


async def _fields(pilot: Pilot[None], app: TasksApp, *which: str) -> None:
    """Open the dialog and, where one is named, take the tool."""
    await pilot.press("n")
    await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
    if which:
        await until(pilot, lambda: bool(app.screen.query_one("#call-search").has_focus))
        await pilot.press(*which, "enter")
    await until(pilot, lambda: app.screen.has_class("-filling") and isinstance(app.focused, Input))


def _values(app: TasksApp) -> list[str]:
    return [each.value for each in app.screen.query_one("#call-arguments").query(Input)]


async def _type_for_deploy(pilot: Pilot[None], app: TasksApp) -> None:
    await _fields(pilot, app, *"deploy")
    await pilot.press(*"prod", "escape", "escape")
    await until(pilot, lambda: app.screen is app.main)


def _called(fake: FakeSupervisor) -> list[Any]:
    return [each.value for each in fake.asked_for("call")]


class _Held:
    """Does `work` once `go_on` is set; where `only` is given, that is for what it is true of."""

    def __init__(self, work: Callable[..., Any], only: Callable[..., bool] | None = None) -> None:
        self._work = work
        self._only = only
        self.go_on = threading.Event()
        #: Those that it ran in, as far as it was held.
        self.threads: list[threading.Thread] = []

    def __call__(self, *of: Any) -> Any:
        if self._only is None or self._only(*of):
            self.threads.append(threading.current_thread())
            assert self.threads[-1] is threading.main_thread() or self.go_on.wait(60)
        return self._work(*of)


async def test_what_was_filled_in_is_there_again_until_it_is_sent() -> None:
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await _fields(pilot, app, *"build")
        await pilot.press(*"main", "escape")
        await pilot.press(*["backspace"] * 5, *"deploy", "enter")
        await until(pilot, lambda: len(_values(app)) == 3)
        await pilot.press(*"prod")
        app.screen.query_one("#call-label", Input).value = "nightly"
        await pilot.pause()
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is app.main)
        assert fake.asked_for("call") == []

        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, LeaveScreen))
        said = " ".join(whole_screen(app).replace("│", " ").split())
        assert "2 calls are filled in and not sent: leave without them?" in said
        assert "build on builds: filled in" in said
        assert "deploy on builds: filled in" in said
        await pilot.press("n")
        await until(pilot, lambda: app.screen is app.main)

        fake.failures["call"] = StoreError("it does not answer")
        for _ in range(2):  # a call that could not be sent takes nothing away
            await _fields(pilot, app)
            assert _values(app) == ["prod", "", "nightly"]
            assert "prod" not in repr(app.call_draft)
            await pilot.press("ctrl+s")
            await until(pilot, lambda: app.screen is app.main and len(app.call_draft.filled()) == 2)
        fake.failures.clear()
        await _fields(pilot, app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.screen is not app.main)  # its result
        assert fake.asked_for("call")[-1].value == ("deploy", {"env": "prod"}, "nightly")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)

        await _fields(pilot, app, *"deploy")
        assert _values(app) == ["", "", ""]
        await pilot.press("escape", *["backspace"] * 6, *"build", "enter")
        await until(pilot, lambda: _values(app) == ["main", ""])


async def test_a_server_that_was_half_typed_is_there_again_and_is_not_asked() -> None:
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        await until(pilot, lambda: bool(app.screen.query_one("#call-search").has_focus))
        server = app.screen.query_one("#call-server", Input)
        server.focus()
        server.value = "http://buil"
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        assert app.screen.query_one("#call-server", Input).value == "http://buil"
        assert [each.key for each in fake.asked_for("tools")] == [SERVER]


async def test_a_schema_is_checked_beside_the_screen_which_can_be_left_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = _Held(compose)
    monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.compose_answer", held)
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await _fields(pilot, app, *"build")
        await pilot.press(*"main", "ctrl+s")
        await until(pilot, lambda: bool(held.threads))
        await pilot.press("escape")
        await until(pilot, lambda: not app.screen.has_class("-filling"))
        held.go_on.set()
        await until(pilot, lambda: not held.threads[0].is_alive())
        assert fake.asked_for("call") == []
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        await _fields(pilot, app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.screen is not app.main and not fake.under_way)  # its result
        assert _called(fake) == [("build", {"branch": "main"}, None)]
        assert [each.daemon for each in held.threads] == [True, True], (
            "the end waits for none of them"
        )


async def test_a_check_that_ends_under_a_question_calls_nothing_and_leaves_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = _Held(compose)
    monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.compose_answer", held)
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await _fields(pilot, app, *"build")
        await pilot.press(*"main", "ctrl+s")
        await until(pilot, lambda: bool(held.threads))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, LeaveScreen))
        held.go_on.set()
        await until(pilot, lambda: not held.threads[0].is_alive())
        assert isinstance(app.screen, LeaveScreen)
        assert "build on builds: filled in" in whole_screen(app)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        said = "not called: something else came up while it was checked"
        await until(pilot, lambda: said in whole_screen(app))
        assert fake.asked_for("call") == []
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
    assert _called(fake) == [("build", {"branch": "main"}, None)]


@pytest.mark.parametrize("to_another", [[*"build", "enter"], ["down", "enter"]])
async def test_a_tool_is_called_with_what_was_filled_in_for_it_however_long_another_takes(
    to_another: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = _Held(read_form, only=lambda schema: "env" in schema["properties"])
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await _type_for_deploy(pilot, app)
        monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.read_form", held)
        await pilot.press("n")
        await until(pilot, lambda: bool(held.threads))
        await pilot.press(*to_another)
        await until(pilot, lambda: app.screen.has_class("-filling"))
        held.go_on.set()
        await until(pilot, lambda: not held.threads[0].is_alive())
        assert _values(app) == ["", ""]
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen))
        assert _called(fake) == [("build", {}, None)]
        assert app.call_draft.filled() == [(SERVER, "deploy")]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_who_types_is_not_taken_to_what_was_filled_in_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = _Held(read_form)
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await _type_for_deploy(pilot, app)
        monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.read_form", held)
        await pilot.press("n")
        await until(pilot, lambda: bool(held.threads))
        await pilot.press(*"bui")
        held.go_on.set()
        await until(pilot, lambda: not held.threads[0].is_alive())
        assert not app.screen.has_class("-filling")
        await pilot.press(*"ld", "enter")
        await until(pilot, lambda: _values(app) == ["", ""])


async def test_the_program_ends_while_a_schema_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    held = _Held(read_form)
    monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.read_form", held)
    fake = _two_tools()
    app = _app(fake)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        await until(pilot, lambda: bool(app.screen.query_one("#call-search").has_focus))
        app.post_message(events.Key("enter", None))  # not by the pilot: it waits for all of it
        async with asyncio.timeout(60):
            while not held.threads:
                await asyncio.sleep(0.01)
        app.told_to_end()
    assert not held.go_on.is_set()
    held.go_on.set()
    assert app.crash_report == ""
    assert fake.closed


async def test_a_bug_in_what_runs_beside_the_dialog_is_told_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[BaseException] = []

    def broken(_: object) -> Form:
        raise ZeroDivisionError

    monkeypatch.setattr("mcp_tasks_tui.ui.screens.new_call.read_form", broken)
    fake = _two_tools()
    app = _app(fake)
    monkeypatch.setattr(app, "bug", told.append)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: fake.started)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NewCallScreen))
        await until(pilot, lambda: bool(app.screen.query_one("#call-search").has_focus))
        await pilot.press("enter")
        await until(pilot, lambda: bool(told))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
    assert [type(each) for each in told] == [ZeroDivisionError]

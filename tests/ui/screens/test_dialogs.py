"""Dialogs look alike, say what they are about, and leave what is behind them in view."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from textual.color import Color
from textual.widgets import Input

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.messages import ToolList
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.cancelling import ask_to_cancel
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.button import Button
from tests.ui.bare import BareApp, until, whole_screen
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_server, a_task, a_tool
from tests.ui.screens.answer.answering import AnswerApp, form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Region

    from mcp_tasks_tui.supervise.view import TaskView


def _sees(app: TasksApp, *words: str) -> bool:
    return all(word in whole_screen(app) for word in words)


async def _said(views: Sequence[TaskView], left_out: Sequence[TaskView] = ()) -> str:
    """Return all that is asked before `views` are cancelled, on one line."""
    app = BareApp()
    async with app.run_test(size=(100, 30)) as pilot:
        app.push_screen(ask_to_cancel(views, left_out))
        await pilot.pause()
        return " ".join(whole_screen(app).replace("│", " ").split())


async def test_what_is_cancelled_is_named_once_with_what_it_does_just_now() -> None:
    view = a_task("t1", label="compact", message="Compacting segment 10 of 90", fraction=0.11)
    said = await _said([view])
    assert "Ask builds to cancel compact?" in said
    assert said.count("compact?") == 1
    assert "server builds 127.0.0.1:8900 tool build task t1 compact" in said
    assert "11% · Compacting segment 10 of 90" in said
    assert "The task stays as it is until its server says otherwise." in said
    assert "Let it run n Cancel the work y" in said
    silent = await _said([a_task("t1", State.INPUT_REQUIRED, label="compact")])
    assert "compact needs input The server may ignore this." in silent
    still = a_task("t1", label="compact", attention=(Reason.STUCK,))
    assert "compact stuck The server may ignore this." in await _said([still]), "as it is shown"


async def test_of_several_their_servers_are_named_and_what_is_left_out() -> None:
    def one(number: int, state: State = State.WORKING, server: int = 1) -> TaskView:
        return a_task(f"t{number}", state, server=f"s{server}", server_url=f"http://h{server}/mcp")

    two = await _said([one(1), one(2, server=2)], [one(3, State.COMPLETED)])
    assert "Ask s1, s2 to cancel 2 tasks?" in two
    assert "t2 build · s2 · working" in two
    labelled = await _said([a_task("t1", label="nightly"), one(2)])
    assert "t1 nightly · build · builds · working" in labelled
    assert "1 has already ended and is left out. The servers may ignore this." in two
    assert "Let them run n Cancel the work y" in two
    ended = [one(number, State.FAILED) for number in range(141)]
    many = await _said([one(number, server=number % 4) for number in range(59)], ended)
    assert "Ask 4 servers to cancel 59 tasks?" in many
    assert "141 have already ended and are left out." in many
    alike = await _said([one(1), one(2)], [one(3, State.GONE)])
    assert "Ask s1 to cancel 2 tasks?" in alike
    assert "1 is not known to a server and is left out. The server may" in alike
    both = await _said([one(1), one(2)], [one(3, State.GONE), one(4, State.FAILED)])
    assert "2 have already ended or are not known to a server and are left out." in both


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 15)])
async def test_every_dialog_has_its_title_in_the_frame_and_the_list_behind_it(
    size: tuple[int, int],
) -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", label=f"nightly {n}") for n in range(40)))
    fake.server_views = [a_server(name="builds")]
    fake.tool_lists[SERVER] = ToolList((a_tool("deploy", "Deploys it"),))
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        for key, title, needed in (
            ("c", "Ask builds to cancel nightly", ""),
            ("a", "Keep a task that something else started", "Task id  needed"),
            ("e", "Edit nightly", "Note  optional"),
            ("n", "Call a tool on builds", "Tool  needed"),
        ):
            await pilot.press(key)
            await until(pilot, partial(_sees, app, title, needed))
            box = app.screen.query_one(".dialog-box")
            shown = whole_screen(app).splitlines()
            assert title in shown[box.region.y]
            assert box.styles.border_top[1] in (
                Color.parse(app.theme_variables["primary"]),
                Color.parse(app.theme_variables["warning"]),
            )
            above = shown[: box.region.y]
            assert len(above) < 4 or "working" in above[-2], "the list is in view"
            buttons = [each for each in app.screen.query(Button) if each.region.height]
            assert key == "n" or len(buttons) == 2
            assert {each.region.height for each in buttons} <= {1}
            grounds = {each.background_colors[1] for each in app.screen.query(Input)}
            assert len(grounds) <= 1, "the field that is typed in keeps its ground"
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.main)


async def test_a_title_that_no_frame_is_wide_enough_for_is_said_below_it() -> None:
    app = BareApp()
    title = "12 calls have not been answered yet: leave and lose their handles?"
    async with app.run_test(size=(60, 15)) as pilot:
        app.push_screen(ConfirmScreen(title, [], yes="Leave", no="Stay"))
        await pilot.pause()
        await pilot.pause()
        assert title in " ".join(whole_screen(app).replace("│", " ").split())
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        box = app.screen.query_one(".dialog-box")
        assert title in whole_screen(app).splitlines()[box.region.y]
        assert whole_screen(app).count(title) == 1


def _box(app: BareApp) -> Region:
    return app.screen.query_one(".dialog-box").region


@pytest.mark.parametrize("size", [(120, 40), (60, 15)])
async def test_a_question_is_as_large_as_its_text_and_read_to_its_end(
    size: tuple[int, int],
) -> None:
    app = BareApp()
    async with app.run_test(size=size) as pilot:
        app.push_screen(ConfirmScreen("Sure?", ["short"], yes="Yes", no="No", hint="It is final."))
        await pilot.pause()
        assert _box(app).height < 9
        assert _box(app).width == min(76, size[0])
        await pilot.press("escape")
        whole = " ".join(f"word{number}" for number in range(150))
        app.push_screen(ConfirmScreen("Sure?", [whole], yes="Yes", no="No", hint="It is final."))
        await pilot.pause()
        await pilot.pause()
        assert "word0 word1 " in whole_screen(app)
        assert "…" not in whole_screen(app)
        await pilot.press("pagedown", "pagedown", "pagedown")
        await pilot.pause()
        assert "word149" in whole_screen(app)
        assert "It is final." in whole_screen(app), "what a yes means stays in view"
        assert "Yes y" in whole_screen(app)


async def test_many_tasks_have_one_line_each_and_all_can_be_seen() -> None:
    app = BareApp()
    views = [a_task(f"t{n}", label=f"nightly {n}", message="word " * 40) for n in range(40)]
    async with app.run_test(size=(60, 15)) as pilot:
        app.push_screen(ask_to_cancel(views))
        await pilot.pause()
        await pilot.pause()
        shown = [line for line in whole_screen(app).splitlines() if "nightly" in line]
        assert len(shown) > 5
        assert all("…" in line for line in shown), "one line each"
        await pilot.press(*["pagedown"] * 6)
        await pilot.pause()
        assert "t39 nightly 39" in whole_screen(app)
        assert "until its server says otherwise" in whole_screen(app)


@pytest.mark.parametrize(("key", "title"), [("ctrl+l", "Dismiss the"), ("ctrl+n", "Decline to")])
async def test_before_a_question_is_refused_it_is_said_whose_and_which_it_is(
    key: str, title: str
) -> None:
    asked = " ".join(f"word{number}" for number in range(60))
    app = AnswerApp({"q": form({"type": "object", "properties": {}}, asked)})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press(key)
        await until(pilot, lambda: title in whole_screen(app))
        box = app.screen.query_one(".dialog-box").region
        lines = whole_screen(app).splitlines()[box.y : box.bottom]
        said = " ".join(" ".join(line[box.x + 1 : box.right - 1] for line in lines).split())
        assert asked in said
        assert "server builds" in said
        assert "tool region_build task k7 nightly" in said
        assert box.height < 20

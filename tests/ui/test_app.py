"""The screen as a person uses it: keys in, what was asked of the engine and what is shown out."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input, OptionList, TextArea

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import HandleDraft, Intent, ReadState, State
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.protocol.messages import ToolList
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.alerts import Alert, AlertKind
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.supervisor import Batch
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.add import AddScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.screens.new_call import NewCallScreen
from mcp_tasks_tui.ui.widgets.footer import Footer
from mcp_tasks_tui.ui.widgets.header import Header
from mcp_tasks_tui.ui.widgets.line import Line
from mcp_tasks_tui.urls import short_url
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, SERVER, Asked, FakeSupervisor, a_server, a_task, a_tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.pilot import Pilot

_QUESTION = {
    "method": "elicitation/create",
    "params": {"message": "Deploy?", "requestedSchema": {"type": "object", "properties": {}}},
}


@asynccontextmanager
async def _running(
    fake: FakeSupervisor,
    *,
    size: tuple[int, int] = (120, 40),
    keys: dict[str, Any] | None = None,
    **options: Any,
) -> AsyncIterator[tuple[TasksApp, Pilot[None]]]:
    config = ScreenConfig(animations=False, keys=keys or {})
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={}, **options)
    async with app.run_test(size=size) as pilot:
        await _settle(pilot)
        # What is saved was loaded, or could not be.
        assert app.engine.loaded
        yield app, pilot


async def _settle(pilot: Pilot[None]) -> None:
    """Wait until the screen and its workers have nothing left to do."""
    await pilot.pause()


async def _press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys; a worker that waits for a dialog is not waited for."""
    await pilot.press(*keys)
    await pilot.pause()


def _shown(app: TasksApp, selector: str) -> str:
    """Return the lines that a widget draws, as text."""
    widget = app.screen.query_one(selector)
    strips = widget.render_lines(widget.outer_size.region)
    return "\n".join(strip.text.rstrip() for strip in strips)


def _sees(app: TasksApp, selector: str) -> bool:
    """Tell whether a widget of the main screen has a place in the window."""
    return app.main.query_one(selector) in app.main._compositor.visible_widgets


def _toasts(app: TasksApp) -> list[str]:
    return [note.message for note in app._notifications]


def _three() -> FakeSupervisor:
    return FakeSupervisor.of(
        a_task("t1", label="one", saved_at=NOW - 1),
        a_task("t2", label="two", saved_at=NOW - 2),
        a_task("t3", State.COMPLETED, label="three", saved_at=NOW - 3),
    )


# --- starting and ending ---------------------------------------------------------------------


async def test_saved_tasks_are_shown_and_the_engine_is_started_and_closed() -> None:
    fake = _three()
    async with _running(fake) as (app, _):
        assert fake.started
        assert "● working     one" in _shown(app, "#tasks")
        assert "3 tasks" in _shown(app, "#header")
    assert fake.closed
    assert not fake.listeners
    assert [each.what for each in fake.asked] == ["start"]


async def test_an_unreadable_store_says_what_to_do() -> None:
    fake = FakeSupervisor(failures={"start": StoreError("tasks.db cannot be opened")})
    async with _running(fake) as (app, _):
        shown = _shown(app, "#blank")
    assert "tasks.db cannot be opened" in shown
    assert "doctor" in shown


async def test_a_database_that_can_only_be_read_is_said_as_long_as_it_is_so() -> None:
    async def why() -> str | None:
        return "/data can only be read: nothing new is kept there"

    fake = _three()
    fake.failures["archive"] = StoreError("/data can only be read: nothing new is kept there")
    async with _running(fake, why_read_only=why, size=(60, 15)) as (app, pilot):
        assert "DATABASE READ-ONLY" in _shown(app, "#header")
        assert "one" in _shown(app, "#tasks")
        await _press(pilot, "d")
        await _settle(pilot)
        assert _toasts(app)[-1] == "one: /data can only be read: nothing new is kept there"
        assert len(list(app.main.tasks.model.keys())) == 3


async def test_without_tasks_it_teaches_where_they_come_from() -> None:
    async with _running(FakeSupervisor()) as (app, _):
        shown = _shown(app, "#blank")
    assert "mcp-tasks-tui call SERVER TOOL" in shown
    assert "n   call a tool" in shown


async def test_the_task_to_start_on() -> None:
    async with _running(_three(), initial="t2") as (app, _):
        assert app.main.tasks.model.cursor == "t2"


async def test_calls_that_left_no_handle_are_told() -> None:
    fake = _three()
    fake.intents = [Intent(1, SERVER, "deploy", {}, None, NOW - 100)]
    async with _running(fake) as (app, _):
        (toast,) = _toasts(app)
        assert toast.startswith("a call of deploy ")
        assert "no handle came back: it may have started" in toast


@pytest.mark.parametrize("in_file", [[], ["config.toml, line 2: keys: task.cancel: no such key"]])
async def test_wrong_settings_are_named_and_do_not_keep_anybody_out(in_file: list[str]) -> None:
    keys = {"task.cancel": "u"}
    fake = _three()
    config = ScreenConfig(theme="nope", keys=keys)
    more: dict[str, Any] = {"wrong_settings": in_file} if in_file else {}
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={}, **more)
    async with app.run_test() as pilot:
        await _settle(pilot)
        if in_file:
            assert _toasts(app) == in_file, "with their place, each of them once"
            return
        assert any("no theme is called nope" in toast for toast in _toasts(app))
        assert any("task.cancel and by task.answer" in toast for toast in _toasts(app))
        assert app.theme == "tasks-dark"


# --- looking ---------------------------------------------------------------------------------


async def test_the_panel_follows_the_cursor_and_what_changes() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "j")
        assert app.main.panel.view is fake.tasks["t2"]
        fake.put(replace(fake.tasks["t2"], message=ServerText("step 4/9")))
        await _settle(pilot)
        assert app.main.panel.view is fake.tasks["t2"]
        assert "step 4/9" in _shown(app, "#tasks")


async def test_new_tasks_appear_by_themselves_and_the_cursor_stays() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "j")
        fake.put(a_task("t0", label="newest", saved_at=NOW))
        await _settle(pilot)
        assert "newest" in _shown(app, "#tasks")
        assert app.main.tasks.model.cursor == "t2"


async def test_until_a_person_does_something_the_first_line_is_looked_at() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        assert app.main.tasks.model.cursor == "t1"
        fake.put(a_task("t0", label="newest", saved_at=NOW))
        await _settle(pilot)
        assert app.main.tasks.model.cursor == "t0"
        assert app.main.panel.view is fake.tasks["t0"]
        await _press(pilot, "r")
        fake.put(a_task("t-1", label="newer", saved_at=NOW + 1))
        await _settle(pilot)
        assert next(app.main.tasks.model.keys()) == "t-1"
        assert app.main.tasks.model.cursor == "t0"


async def test_hostile_text_is_shown_as_text_everywhere() -> None:
    hostile = "[/ [red]x[/red] [@click=app.quit]q[/] \x1b[2J"
    view = a_task(
        "t1",
        label=hostile,
        message=hostile,
        task_id=hostile,
        server=hostile,
        attention=[Reason.STUCK],
    )
    servers = [a_server(name=hostile, health=Health.DOWN, text=hostile)]
    fake = FakeSupervisor.of(view, servers=servers)
    async with _running(fake, size=(160, 50)) as (app, pilot):
        fake.publish(Batch(notices=(hostile,), alerts=(Alert(AlertKind.STUCK, ("t1",), hostile),)))
        await _settle(pilot)
        everything = "\n".join(_shown(app, each) for each in ("#tasks", "#panel", "#servers"))
        assert "[red]x[/red]" in everything
        assert "\x1b" not in everything
        await _press(pilot, "c")
        assert isinstance(app.screen, ConfirmScreen)
        await _press(pilot, "escape", "ctrl+p")
        await pilot.press(*"go")
        await pilot.pause()


async def test_ill_servers_have_a_line_each_and_well_ones_none() -> None:
    down = a_server("http://b/mcp", "billing", Health.DOWN, "connection refused", open_tasks=7)
    fake = FakeSupervisor.of(a_task("t1"), servers=[a_server(), down])
    async with _running(fake) as (app, pilot):
        shown = _shown(app, "#servers")
        assert "billing  down for 40 s · connection refused · 7 open tasks" in " ".join(
            shown.split("\n")
        ).replace("billing down", "billing  down")
        fake.server_views = [a_server()]
        fake.publish(Batch(servers=True))
        await _settle(pilot)
        assert app.main.query_one("#servers").display is False
        assert "1 server ok" in _shown(app, "#header")


async def test_ill_servers_that_nothing_is_waited_for_from_are_one_line_below() -> None:
    servers = [
        a_server("http://a/mcp", "archive", Health.DOWN, "refused", open_tasks=0),
        a_server("http://b/mcp", "billing", Health.DOWN, "refused", open_tasks=7),
    ]
    fake = FakeSupervisor.of(a_task("t1"), servers=servers)
    async with _running(fake) as (app, pilot):
        first, second = _shown(app, "#servers").split("\n")
        assert "billing down for" in first
        assert second.strip() == "✗ archive down · no open tasks"
        other = a_server("http://c/mcp", "http://c/mcp", Health.AUTH, open_tasks=0)
        fake.server_views = [*servers, other]
        fake.publish(Batch(servers=True))
        await _settle(pilot)
        last = _shown(app, "#servers").split("\n")[-1]
        assert last.strip() == "2 servers not well: archive, c · no open tasks"


async def test_sort_and_group_keep_the_cursor() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", label="b", server="s1", server_url="http://s1/mcp"),
        a_task("t2", label="a", server="s2", server_url="http://s2/mcp"),
    )
    async with _running(fake) as (app, pilot):
        await _press(pilot, "end")
        assert app.main.tasks.model.cursor == "t2"
        await _press(pilot, "s", "s", "g")
        assert app.main.tasks.model.cursor == "t2"
        assert "── s1 (1) ─" in _shown(app, "#tasks")


async def test_a_frozen_list_holds_still_and_counts() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "f")
        fake.put(replace(fake.tasks["t1"], message=ServerText("moved on")))
        await _settle(pilot)
        assert "moved on" not in _shown(app, "#tasks")
        assert "frozen +1 changed" in _shown(app, "#header")
        await _press(pilot, "f")
        assert "moved on" in _shown(app, "#tasks")


async def test_the_wall_and_back() -> None:
    async with _running(_three()) as (app, pilot):
        await _press(pilot, "v")
        assert app.main.wall.has_focus
        assert not _sees(app, "#tasks")
        await _press(pilot, "escape")
        assert app.main.tasks.has_focus
        assert _sees(app, "#tasks")


async def test_help_has_every_command_and_its_keys() -> None:
    async with _running(_three(), keys={"task.cancel": "X"}) as (app, pilot):
        await _press(pilot, "question_mark")
        assert isinstance(app.screen, HelpScreen)

        def told() -> str:
            return "\n".join(line.text.plain for line in app.screen.query(Line))

        first = told()
        assert first.index("Moving around") < first.index("The list")
        assert "Send together" not in first  # holds while answering only
        assert "task.answer" not in first
        await _press(pilot, "a")
        for command in app.keymap.commands.values():
            assert command.title in told()
        assert "X" in told()
        await _press(pilot, "i")
        for command in app.keymap.commands.values():
            assert command.id in told()
        await _press(pilot, "escape")
        assert not isinstance(app.screen, HelpScreen)


async def test_the_footer_shows_what_matters_and_can_be_clicked() -> None:
    fake = FakeSupervisor.of(a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION}))
    async with _running(fake) as (app, pilot):
        assert _shown(app, "#footer").startswith(" enter open  u answer")
        await pilot.click(Footer, offset=(15, 0))
        await pilot.pause()
        assert isinstance(app.screen, AnswerScreen)


async def test_the_footer_of_the_wall_is_that_of_the_chosen_card() -> None:
    fake = FakeSupervisor.of(
        a_task("done", State.COMPLETED),
        a_task("asks", State.INPUT_REQUIRED, requests={"q": _QUESTION}),
        a_task("runs"),
    )
    async with _running(fake) as (app, pilot):
        app.main.tasks.select("asks")
        await _press(pilot, "v")
        await until(pilot, lambda: app.main.wall.selected == "asks")
        await until(pilot, lambda: "u answer" in _shown(app, "#footer"))
        assert "c cancel" in _shown(app, "#footer")
        assert app.commands_here()[1].id == "task.answer"
        await _press(pilot, "right")
        assert app.main.wall.selected == "runs"
        await until(pilot, lambda: "u answer" not in _shown(app, "#footer"))
        assert "c cancel" in _shown(app, "#footer")
        await _press(pilot, "right")
        assert app.main.wall.selected == "done"
        await until(pilot, lambda: "w save" in _shown(app, "#footer"))
        await _press(pilot, "left", "v")
        await until(pilot, lambda: "w save" not in _shown(app, "#footer"))
        assert app.main.tasks.model.cursor == "runs"


async def test_the_palette_runs_commands_and_goes_to_tasks() -> None:
    async with _running(_three()) as (app, pilot):
        await _press(pilot, "ctrl+p")
        await until(pilot, lambda: "Poll now" in whole_screen(app))
        assert "a command, or a task by its name" in whole_screen(app)
        (line,) = [line for line in whole_screen(app).splitlines() if "Poll now" in line]
        assert " ".join(line.split()) == "Poll now read its status at once r"
        assert len(line.rstrip()) > app.size.width - 8  # its key is at the right
        await pilot.press(*"three")
        await until(pilot, lambda: "Go to three" in whole_screen(app))
        await _press(pilot, "enter")
        await _settle(pilot)
        assert app.main.tasks.model.cursor == "t3"
        await _press(pilot, "ctrl+p")
        await pilot.press(*"stuck")
        await until(pilot, lambda: "Filter: stuck" in whole_screen(app))
        await _press(pilot, "enter")
        await until(pilot, lambda: app.main.filter_bar.text == "is:stuck")
        told = ["sorted by label", "sorted by label · reversed"]
        while told:
            await _press(pilot, "ctrl+p")
            await pilot.press(*"by lab")
            await until(pilot, lambda: "Sort by label" in whole_screen(app))
            await _press(pilot, "enter")
            await until(pilot, lambda: told[0] in whole_screen(app))
            del told[0]


# --- filter ----------------------------------------------------------------------------------


async def test_filter_as_you_type_with_a_count_and_escape_clears() -> None:
    async with _running(_three()) as (app, pilot):
        await pilot.press("slash", *"state:completed")
        await _settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t3"]
        assert "1 of 3 tasks" in _shown(app, "#filter-says")
        await _press(pilot, "enter")
        assert app.main.tasks.has_focus
        assert list(app.main.tasks.model.keys()) == ["t3"]
        await _press(pilot, "escape")
        assert len(list(app.main.tasks.model.keys())) == 3
        assert not app.main.filter_bar.display


async def test_a_mistake_in_the_filter_says_where_and_keeps_the_last_good_one() -> None:
    async with _running(_three()) as (app, pilot):
        await pilot.press("slash", *"two")
        app.main.filter_bar.fill("two staet:working")
        await _settle(pilot)
        # It is being typed: what it may be is said in the same line, and no row moves.
        assert 'No field "staet". Did you mean state:?' in whole_screen(app).split("\n")[1]
        assert not _sees(app, "#filter-error")
        assert list(app.main.tasks.model.keys()) == ["t2"]
        await _press(pilot, "enter")
        assert 'at 5: No field "staet". Did you mean' in _shown(app, "#filter-error")
        assert _marked_in_the_filter(app) == "staet:working"
        app.main.filter_bar.fill("xyz:x and more")
        await _settle(pilot)
        assert len(list(app.main.tasks.model.keys())) == 3
        said = " ".join(whole_screen(app).split())
        assert 'quoted, "xyz:x" is found as text.' in said  # to its end
        app.main.filter_bar.fill("is:st")
        await _settle(pilot)
        assert not _sees(app, "#filter-error")
        assert _marked_in_the_filter(app) == ""
        assert "is: stuck" in whole_screen(app).split("\n")[1]


def _marked_in_the_filter(app: TasksApp) -> str:
    """Return what stands out in the filter, its cursor apart."""
    line = app.main.filter_bar.query_one(Input).render_line(0)
    marked = (s.text for s in line if s.style is not None and s.style.reverse and s.style.bgcolor)
    return "".join(marked).strip()


@pytest.mark.parametrize("size", [(60, 15), (40, 10)])
async def test_in_a_small_window_a_dialog_keeps_its_title_its_field_and_its_buttons(
    size: tuple[int, int],
) -> None:
    async with _running(_three(), size=size) as (app, pilot):

        def sees(*words: str) -> bool:
            return all(word in whole_screen(app) for word in words)

        await _press(pilot, "a")
        await until(pilot, lambda: sees("Keep a task", "Server", "Keep it ^s", "Back"))
        await pilot.press(*"zz", "tab", *"id", "tab", "tab")
        await until(pilot, lambda: sees("Keep a task", "Label", "Keep it ^s"))
        await _press(pilot, "ctrl+s")
        await until(pilot, lambda: sees("Server", "zz", "no server is called", "Keep it ^s"))
        await _press(pilot, "escape", "e")
        await until(pilot, lambda: sees("Edit", "Label", "Save ^s", "Leave as it is esc"))
        await _press(pilot, "escape", "c")
        await until(pilot, lambda: sees("Let it run n", "Cancel the work y"))


async def test_no_match_says_how_to_get_out() -> None:
    async with _running(_three()) as (app, pilot):
        await pilot.press("slash", *"nothing-like-it")
        await _settle(pilot)
        assert "No task matches the filter" in _shown(app, "#blank")
        await _press(pilot, "escape")
        assert _sees(app, "#tasks")


# --- acting ----------------------------------------------------------------------------------


async def test_cancel_asks_names_the_task_and_the_default_is_no() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "c")
        assert isinstance(app.screen, ConfirmScreen)
        await until(pilot, lambda: "to cancel one?" in whole_screen(app))
        await _press(pilot, "enter")
        await _settle(pilot)
        assert not fake.asked_for("cancel")
        await _press(pilot, "c", "y")
        await _settle(pilot)
        assert fake.asked_for("cancel") == [Asked("cancel", "t1")]
        assert "cancel asked now" in _shown(app, "#tasks")


async def test_a_dialog_stays_with_its_task_whatever_happens_below() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "j", "c")
        fake.put(replace(fake.tasks["t1"], attention=()), a_task("t0", label="zero", saved_at=NOW))
        fake.put(a_task("t9", attention=[Reason.STUCK], saved_at=NOW))
        await pilot.pause()
        assert "zero" not in _shown_below(app)
        await _press(pilot, "y")
        await _settle(pilot)
        assert fake.asked_for("cancel") == [Asked("cancel", "t2")]
        assert "zero" in _shown(app, "#tasks")


def _shown_below(app: TasksApp) -> str:
    tasks = app.main.tasks
    return "\n".join(strip.text for strip in tasks.render_lines(tasks.size.region))


async def test_cancel_of_marked_tasks_counts_only_those_it_applies_to() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "A", "c")
        await until(pilot, lambda: "2 tasks?" in whole_screen(app))
        text = "\n".join(line.text.plain for line in app.screen.query(Line))
        assert "1 has already ended and is left out" in text
        await _press(pilot, "y")
        await _settle(pilot)
        assert {each.key for each in fake.asked_for("cancel")} == {"t1", "t2"}
        assert not app.main.tasks.model.marks


async def test_a_failing_action_is_one_line_and_nothing_else_stops() -> None:
    fake = _three()
    fake.failures["cancel"] = Unreachable("refused")
    async with _running(fake) as (app, pilot):
        await _press(pilot, "c", "y")
        await _settle(pilot)
        assert _toasts(app)[-1].startswith("one: connection refused")
        assert app.is_running


async def test_a_bug_in_an_action_is_told_and_does_not_end_the_screen() -> None:
    fake = _three()
    fake.failures["archive"] = ZeroDivisionError("oh")
    seen: list[BaseException] = []

    def keep(error: BaseException) -> str:
        seen.append(error)
        return "/var/log/it"

    async with _running(fake, on_crash=keep) as (app, pilot):
        await _press(pilot, "d")
        await pilot.pause()
        await pilot.pause()
        assert _toasts(app)[-1] == "a bug: ZeroDivisionError: oh; details: /var/log/it"
        assert app.is_running
    assert [type(error) for error in seen] == [ZeroDivisionError]


async def test_keys_work_while_an_action_is_under_way() -> None:
    fake = _three()
    fake.gate = None
    async with _running(fake) as (app, pilot):
        fake.gate = asyncio.Event()
        await _press(pilot, "c", "y", "j")
        assert app.main.tasks.model.cursor == "t2"
        fake.gate.set()
        await _settle(pilot)


async def test_poll_now_and_hold() -> None:
    fake = _three()
    async with _running(fake) as (_, pilot):
        await _press(pilot, "r", "p")
        await _settle(pilot)
        assert fake.asked_for("poll_now") == [Asked("poll_now", keys=("t1",))]
        assert fake.asked_for("hold") == [Asked("hold", keys=("t1",), value=True)]
        await _press(pilot, "p")
        await _settle(pilot)
        assert fake.asked_for("hold")[-1] == Asked("hold", keys=("t1",), value=False)


async def test_holding_all_says_all_and_not_the_one_that_runs() -> None:
    fake = FakeSupervisor.of(a_task("t1", label="one"), a_task("t2", State.COMPLETED, label="two"))
    async with _running(fake) as (app, pilot):
        await _press(pilot, "E")
        await _settle(pilot)
        assert _toasts(app)[-1].startswith("all tasks: no longer read by itself")
        await _press(pilot, "H")
        await _settle(pilot)
        assert _toasts(app)[-1] == "all tasks of builds: read again"
        assert [asked.keys for asked in fake.asked_for("hold")] == [("t1",), ("t1",)]


async def test_archive_and_undo() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "d")
        await _settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2", "t3"]
        await _press(pilot, "z")
        await _settle(pilot)
        assert fake.asked_for("restore") == [Asked("restore", keys=("t1",))]
        assert app.main.tasks.model.cursor == "t1"
        await _press(pilot, "z")
        assert _toasts(app)[-1] == "nothing to bring back"


async def test_an_archived_question_leaves_the_list_until_another_is_asked() -> None:
    asks = a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION})
    fake = FakeSupervisor.of(asks, a_task("t2"))
    async with _running(fake) as (app, pilot):
        await pilot.press("d")
        await _settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2"]
        assert _toasts(app)[-1].endswith(" (still watched); z brings it back")
        fake.put(replace(fake.tasks["t1"], live=False))
        await _settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2"]
        await fake.restore(["t1"])
        await _settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t1", "t2"]


async def test_archived_tasks_can_be_looked_at() -> None:
    fake = FakeSupervisor.of(a_task("t1"), a_task("t2", label="old", archived_at=NOW - 5))
    async with _running(fake) as (app, pilot):
        assert "old" not in _shown(app, "#tasks")
        await _press(pilot, "D")
        assert "old" in _shown(app, "#tasks")
        await _press(pilot, "end", "d")
        await _settle(pilot)
        assert fake.asked_for("restore") == [Asked("restore", keys=("t2",))]


async def test_edit_label_note_and_tags() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "e")
        app.screen.query_one("#label", Input).value = "new name"
        app.screen.query_one("#note", TextArea).text = "look at it"
        app.screen.query_one("#tags", Input).value = "a, b a"
        await _press(pilot, "ctrl+s")
        await _settle(pilot)
        assert fake.asked_for("edit") == [
            Asked("edit", "t1", value=("new name", "look at it", ("a", "b")))
        ]
        assert "new name" in _shown(app, "#tasks")


async def test_marked_tasks_are_tagged_together_and_keep_their_names() -> None:
    fake = _three()
    async with _running(fake) as (_, pilot):
        await _press(pilot, "space", "space", "e")
        await pilot.press(*"nightly", "enter")
        await _settle(pilot)
        tagged = [fake.tasks[key].handle for key in ("t1", "t2")]
        assert [(each.label, each.tags) for each in tagged] == [
            ("one", ("nightly",)),
            ("two", ("nightly",)),
        ]


async def test_next_that_needs_input_and_its_answer() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", saved_at=NOW),
        a_task("t2", saved_at=NOW - 1),
        a_task("t3", State.INPUT_REQUIRED, requests={"q": _QUESTION}, saved_at=NOW - 2),
    )
    async with _running(fake) as (app, pilot):
        await _press(pilot, "u")
        assert _toasts(app)[-1] == "Answer: it asks nothing (build)"
        await _press(pilot, "i")
        assert app.main.tasks.model.cursor == "t3"
        await _press(pilot, "u")
        assert isinstance(app.screen, AnswerScreen)
        await _press(pilot, "escape")
    assert not fake.asked_for("answer")


async def test_add_a_handle() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await _press(pilot, "a")
        assert isinstance(app.screen, AddScreen)
        app.screen.query_one("#server", Input).value = "nope"
        app.screen.query_one("#task-id", Input).value = "tsk-1"
        await pilot.click("#save")
        assert "no server is called nope" in app.screen.query_one("#add-error", Line).text.plain
        app.screen.query_one("#server", Input).value = "builds"
        save = app.screen.query_one("#save")
        await until(pilot, lambda: not save.has_class("-active"))  # it is up again
        await pilot.click("#save")
        await _settle(pilot)
        assert fake.asked_for("save") == [Asked("save", value=HandleDraft(SERVER, "tsk-1"))]
        assert app.main.tasks.current is fake.tasks["s3"]


async def test_a_new_call_is_a_tool_and_its_arguments() -> None:
    fake = _three()
    deploy = a_tool("deploy", "Deploys it", env={"type": "string"})
    fake.tool_lists[SERVER] = ToolList((a_tool("build", "Builds it"), deploy))
    async with _running(fake) as (app, pilot):
        await _press(pilot, "n")
        assert isinstance(app.screen, NewCallScreen)
        await pilot.pause()
        assert app.screen.query_one("#call-search").has_focus
        assert "Builds it" in _shown(app, "#call-tools")
        await pilot.press(*"depl")
        await pilot.pause()
        assert app.screen.query_one(OptionList).option_count == 1
        await _press(pilot, "enter")
        await pilot.press(*"prod")
        await _press(pilot, "ctrl+s")
        await pilot.pause()
        assert fake.asked_for("call") == [
            Asked("call", SERVER, value=("deploy", {"env": "prod"}, None))
        ]


async def test_a_new_call_says_whom_it_calls_however_long_its_form_is() -> None:
    fake = _three()
    fake.server_views = [a_server(name="builds")]
    many = {f"field{n}": {"type": "string"} for n in range(30)}
    fake.tool_lists[SERVER] = ToolList((a_tool("deploy", "Deploys it", **many),))
    async with _running(fake, size=(80, 24)) as (app, pilot):
        await _press(pilot, "n")
        await _settle(pilot)
        await _press(pilot, "enter")
        box = app.screen.query_one(".dialog-body")
        for last in ("#call-label", "#send"):
            app.screen.query_one(last).focus()
            await _settle(pilot)
            assert app.screen.query_one(last) in app.screen._compositor.visible_widgets
        assert box.scroll_offset.y > 0
        top = app.screen._compositor.render_strips()[
            app.screen.query_one(".dialog-box").region.y
        ].text
        assert f"on builds ({short_url(SERVER)})" in top


async def test_read_only_sends_nothing() -> None:
    fake = FakeSupervisor.of(a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION}))
    async with _running(fake, read_only=True) as (app, pilot):
        assert "READ-ONLY" in _shown(app, "#header")
        for key in ("c", "u", "n"):
            app.clear_notifications()
            await _press(pilot, key)
            assert _toasts(app) == ["read-only: nothing is sent"]
        assert app.screen is app.main
        await _press(pilot, "question_mark")
        text = "\n".join(line.text.plain for line in app.screen.query(Line))
        assert "Cancel task" not in text
    assert [each.what for each in fake.asked] == ["start"]


async def test_copying_says_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    async with _running(_three()) as (app, pilot):
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        await _press(pilot, "y")
        assert _toasts(app)[-1].startswith("task id sent to the terminal's clipboard")
        assert _toasts(app)[-1].endswith(": task-t1")
    assert any("52;c;" in each for each in written)


async def test_the_mouse_selects_marks_and_opens() -> None:
    async with _running(_three()) as (app, pilot):
        assert app.main.tasks.size.height > 8  # there is room for two lines each
        await pilot.click("#tasks", offset=(20, 4))
        assert app.main.tasks.model.cursor == "t2"
        await pilot.click("#tasks", offset=(0, 5))
        assert app.main.tasks.model.marks == {"t3"}
        await pilot.click("#tasks", offset=(20, 4), times=2)
        await pilot.pause()
        assert app.main.panel.has_focus


async def test_control_c_leaves() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert not app.is_running
    assert fake.closed


async def test_news_is_a_toast() -> None:
    fake = _three()
    async with _running(fake) as (app, pilot):
        fake.publish(Batch(alerts=(Alert(AlertKind.FINISHED, ("t1",), "one finished"),)))
        await _settle(pilot)
        assert _toasts(app) == ["one finished"]


# --- windows of every size -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "list_shown", "panel_shown"),
    [
        ((160, 50), True, True),
        ((120, 40), True, True),
        ((100, 30), True, True),
        ((80, 24), True, True),
        ((60, 15), True, False),
        ((40, 10), True, False),
        ((20, 5), False, False),
        ((1, 1), False, False),
    ],
)
async def test_every_size(size: tuple[int, int], list_shown: bool, panel_shown: bool) -> None:
    fake = _three()
    async with _running(fake, size=size) as (app, pilot):
        main = app.main
        assert (_sees(app, "#tasks"), _sees(app, "#panel")) == (list_shown, panel_shown)
        if list_shown:
            assert "one" in _shown(app, "#tasks")
            await _press(pilot, "enter")
            assert _sees(app, "#panel")
            assert main.panel.has_focus
            await _press(pilot, "escape")
            assert main.tasks.has_focus
            await _press(pilot, "c", "escape", "question_mark", "escape", "v", "escape")
        else:
            assert _sees(app, "#too-small")
        fake.put(a_task("t8", label="late"))
        await pilot.resize_terminal(1, 1)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await _settle(pilot)
        assert _sees(app, "#tasks")
        assert "late" in _shown(app, "#tasks")


async def test_the_list_beside_the_panel_keeps_the_columns_to_steer_by() -> None:
    views = [
        a_task(f"t{n}", server="ab"[n % 2], label=f"task {n}", fraction=0.5, message="on")
        for n in range(20)
    ]
    fake = FakeSupervisor.of(*views)
    async with _running(fake, size=(100, 30)) as (app, pilot):
        headings = _shown(app, "#tasks").split("\n")[0].split()
        assert headings == ["STATE", "TASK", "SERVER", "≈%", "MESSAGE"]
        fake.put(replace(views[0], snapshot=replace(views[0].snapshot, read=ReadState(failures=3))))
        await _settle(pilot)
        headings = _shown(app, "#tasks").split("\n")[0].split()
        assert headings == ["STATE", "TASK", "≈%", "MESSAGE", "READ"]


async def test_narrow_windows_open_the_panel_over_the_list() -> None:
    async with _running(_three(), size=(50, 20)) as (app, pilot):
        await _press(pilot, "enter")
        assert (_sees(app, "#tasks"), _sees(app, "#panel")) == (False, True)
        await _press(pilot, "escape")
        assert (_sees(app, "#tasks"), _sees(app, "#panel")) == (True, False)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_the_panel_can_have_the_window_for_itself(size: tuple[int, int]) -> None:
    async with _running(_three(), size=size) as (app, pilot):
        await _press(pilot, "enter", "plus", "plus")
        assert (_sees(app, "#tasks"), _sees(app, "#panel")) == (False, True)
        assert app.main.panel.size.width >= size[0] - 3
        await _press(pilot, "plus")
        assert _sees(app, "#tasks")
        await _press(pilot, "plus")
        await pilot.resize_terminal(50, 20)
        await _settle(pilot)
        assert _sees(app, "#panel")
        await _press(pilot, "escape")
        assert _sees(app, "#tasks")
        assert app.main.tasks.has_focus


async def test_the_header_keeps_what_matters_when_room_is_short() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION}),
        *(a_task(f"f{n}", State.FAILED) for n in range(3)),
        *(a_task(f"d{n}", State.COMPLETED) for n in range(3)),
    )
    async with _running(fake, size=(44, 12)) as (app, _):
        header = app.main.query_one(Header)
        shown = header.render().plain
        assert shown.rstrip() == " ◆ 1 needs input  ✗ 3 failed  ✓ 3 completed"


async def test_how_the_list_is_arranged_pushes_no_failure_out_of_the_header() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION}),
        a_task("t2", attention=[Reason.STUCK]),
        *(a_task(f"f{n}", State.FAILED) for n in range(3)),
        *(a_task(f"d{n}", State.COMPLETED) for n in range(3)),
    )
    async with _running(fake, size=(80, 24)) as (app, pilot):
        await _press(pilot, "s", "g", "space")
        shown = app.main.query_one(Header).render().plain
        for fact in ("1 needs input", "1 stuck", "3 failed", "1 task marked"):
            assert fact in shown


async def test_every_fact_of_the_header_is_whole_with_its_sign_or_not_there() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", State.INPUT_REQUIRED, requests={"q": _QUESTION}),
        a_task("t2", attention=[Reason.STUCK]),
        a_task("t3", attention=[Reason.EXPIRING]),
        a_task("t4", State.FAILED),
        servers=[a_server(), a_server("http://b/mcp", "b", Health.DOWN)],
    )
    facts = {
        "mcp-tasks-tui",
        "4 tasks",
        "◆ 1 needs input",
        "● 1 working",
        "◐ 1 stuck",
        "! 1 expiring",
        "✗ 1 failed",
        "✗ 1 of 2 servers ill",
    }
    async with _running(fake, size=(120, 12)) as (app, pilot):
        header = app.main.query_one(Header)
        seen = {each.strip() for each in header.render().plain.split("  ")}
        assert seen == facts
        for width in (90, 80, 60, 45):
            await pilot.resize_terminal(width, 12)
            await pilot.pause()
            seen = {each.strip() for each in header.render().plain.split("  ")}
            short = {"◆1", "●1", "◐1", "!1", "✗1", "✗ 1 ill"}
            assert seen <= facts | short
            # All counts are there, with their words or without.
            assert len(seen & {"◆ 1 needs input", "◆1", "✗ 1 failed", "✗1", "◐ 1 stuck", "◐1"}) == 3


async def test_ten_thousand_tasks_are_there_at_once() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", saved_at=NOW - n) for n in range(10_000)))
    async with _running(fake) as (app, pilot):
        await _press(pilot, "end")
        assert app.main.tasks.model.cursor == "t9999"
        assert "10,000 tasks" in _shown(app, "#header")
        fake.put(replace(fake.tasks["t9999"], message=ServerText("the last one moved")))
        await _settle(pilot)
        assert "the last one moved" in _shown(app, "#tasks")

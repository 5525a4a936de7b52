"""What keys about tasks ask of the engine, and what is said of how it went."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from textual.widgets import Input, TextArea

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import until, whole_screen
from tests.ui.fakes import NOW, Asked, FakeSupervisor, a_task
from tests.ui.running import QUESTION, press, running, settle, text_of, three_tasks, toasts


async def test_cancel_asks_names_the_task_and_the_default_is_no() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "c")
        assert isinstance(app.screen, ConfirmScreen)
        await until(pilot, lambda: "to cancel one?" in whole_screen(app))
        await press(pilot, "enter")
        await settle(pilot)
        assert not fake.asked_for("cancel")
        await press(pilot, "c", "y")
        await settle(pilot)
        assert fake.asked_for("cancel") == [Asked("cancel", "t1")]
        assert "cancel asked now" in text_of(app, "#tasks")


async def test_a_dialog_stays_with_its_task_whatever_happens_below() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "j", "c")
        fake.put(replace(fake.tasks["t1"], attention=()), a_task("t0", label="zero", saved_at=NOW))
        fake.put(a_task("t9", attention=[Reason.STUCK], saved_at=NOW))
        await pilot.pause()
        assert "zero" not in _shown_below(app)
        await press(pilot, "y")
        await settle(pilot)
        assert fake.asked_for("cancel") == [Asked("cancel", "t2")]
        assert "zero" in text_of(app, "#tasks")


def _shown_below(app: TasksApp) -> str:
    tasks = app.main.tasks
    return "\n".join(strip.text for strip in tasks.render_lines(tasks.size.region))


async def test_cancel_of_marked_tasks_counts_only_those_it_applies_to() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "A", "c")
        await until(pilot, lambda: "2 tasks?" in whole_screen(app))
        text = "\n".join(line.text.plain for line in app.screen.query(Line))
        assert "1 has already ended and is left out" in text
        await press(pilot, "y")
        await settle(pilot)
        assert {each.key for each in fake.asked_for("cancel")} == {"t1", "t2"}
        assert not app.main.tasks.model.marks


async def test_a_failing_action_is_one_line_and_nothing_else_stops() -> None:
    fake = three_tasks()
    fake.failures["cancel"] = Unreachable("refused")
    async with running(fake) as (app, pilot):
        await press(pilot, "c", "y")
        await settle(pilot)
        assert toasts(app)[-1].startswith("one: connection refused")
        assert app.is_running


async def test_a_bug_in_an_action_is_told_and_does_not_end_the_screen() -> None:
    fake = three_tasks()
    fake.failures["archive"] = ZeroDivisionError("oh")
    seen: list[BaseException] = []

    def keep(error: BaseException) -> str:
        seen.append(error)
        return "/var/log/it"

    async with running(fake, on_crash=keep) as (app, pilot):
        await press(pilot, "d")
        await pilot.pause()
        await pilot.pause()
        assert toasts(app)[-1] == "a bug: ZeroDivisionError: oh; details: /var/log/it"
        assert app.is_running
    assert [type(error) for error in seen] == [ZeroDivisionError]


async def test_keys_work_while_an_action_is_under_way() -> None:
    fake = three_tasks()
    fake.gate = None
    async with running(fake) as (app, pilot):
        fake.gate = asyncio.Event()
        await press(pilot, "c", "y", "j")
        assert app.main.tasks.model.cursor == "t2"
        fake.gate.set()
        await settle(pilot)


async def test_poll_now_and_hold() -> None:
    fake = three_tasks()
    async with running(fake) as (_, pilot):
        await press(pilot, "r", "p")
        await settle(pilot)
        assert fake.asked_for("poll_now") == [Asked("poll_now", keys=("t1",))]
        assert fake.asked_for("hold") == [Asked("hold", keys=("t1",), value=True)]
        await press(pilot, "p")
        await settle(pilot)
        assert fake.asked_for("hold")[-1] == Asked("hold", keys=("t1",), value=False)


async def test_holding_all_says_all_and_not_the_one_that_runs() -> None:
    fake = FakeSupervisor.of(a_task("t1", label="one"), a_task("t2", State.COMPLETED, label="two"))
    async with running(fake) as (app, pilot):
        await press(pilot, "E")
        await settle(pilot)
        assert toasts(app)[-1].startswith("all tasks: no longer read by itself")
        await press(pilot, "H")
        await settle(pilot)
        assert toasts(app)[-1] == "all tasks of builds: read again"
        assert [asked.keys for asked in fake.asked_for("hold")] == [("t1",), ("t1",)]


async def test_archive_and_undo() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "d")
        await settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2", "t3"]
        await press(pilot, "z")
        await settle(pilot)
        assert fake.asked_for("restore") == [Asked("restore", keys=("t1",))]
        assert app.main.tasks.model.cursor == "t1"
        await press(pilot, "z")
        assert toasts(app)[-1] == "nothing to bring back"


async def test_an_archived_question_leaves_the_list_until_another_is_asked() -> None:
    asks = a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION})
    fake = FakeSupervisor.of(asks, a_task("t2"))
    async with running(fake) as (app, pilot):
        await pilot.press("d")
        await settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2"]
        assert toasts(app)[-1].endswith(" (still watched); z brings it back")
        fake.put(replace(fake.tasks["t1"], live=False))
        await settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t2"]
        await fake.restore(["t1"])
        await settle(pilot)
        assert list(app.main.tasks.model.keys()) == ["t1", "t2"]


async def test_archived_tasks_can_be_looked_at() -> None:
    fake = FakeSupervisor.of(a_task("t1"), a_task("t2", label="old", archived_at=NOW - 5))
    async with running(fake) as (app, pilot):
        assert "old" not in text_of(app, "#tasks")
        await press(pilot, "D")
        assert "old" in text_of(app, "#tasks")
        await press(pilot, "end", "d")
        await settle(pilot)
        assert fake.asked_for("restore") == [Asked("restore", keys=("t2",))]


async def test_edit_label_note_and_tags() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        await press(pilot, "e")
        app.screen.query_one("#label", Input).value = "new name"
        app.screen.query_one("#note", TextArea).text = "look at it"
        app.screen.query_one("#tags", Input).value = "a, b a"
        await press(pilot, "ctrl+s")
        await settle(pilot)
        assert fake.asked_for("edit") == [
            Asked("edit", "t1", value=("new name", "look at it", ("a", "b")))
        ]
        assert "new name" in text_of(app, "#tasks")


async def test_marked_tasks_are_tagged_together_and_keep_their_names() -> None:
    fake = three_tasks()
    async with running(fake) as (_, pilot):
        await press(pilot, "space", "space", "e")
        await pilot.press(*"nightly", "enter")
        await settle(pilot)
        tagged = [fake.tasks[key].handle for key in ("t1", "t2")]
        assert [(each.label, each.tags) for each in tagged] == [
            ("one", ("nightly",)),
            ("two", ("nightly",)),
        ]


async def test_next_that_needs_input_and_its_answer() -> None:
    fake = FakeSupervisor.of(
        a_task("t1", saved_at=NOW),
        a_task("t2", saved_at=NOW - 1),
        a_task("t3", State.INPUT_REQUIRED, requests={"q": QUESTION}, saved_at=NOW - 2),
    )
    async with running(fake) as (app, pilot):
        await press(pilot, "u")
        assert toasts(app)[-1] == "Answer: it asks nothing (build)"
        await press(pilot, "i")
        assert app.main.tasks.model.cursor == "t3"
        await press(pilot, "u")
        assert isinstance(app.screen, AnswerScreen)
        await press(pilot, "escape")
    assert not fake.asked_for("answer")


async def test_read_only_sends_nothing() -> None:
    fake = FakeSupervisor.of(a_task("t1", State.INPUT_REQUIRED, requests={"q": QUESTION}))
    async with running(fake, read_only=True) as (app, pilot):
        assert "READ-ONLY" in text_of(app, "#header")
        for key in ("c", "u", "n"):
            app.clear_notifications()
            await press(pilot, key)
            assert toasts(app) == ["read-only: nothing is sent"]
        assert app.screen is app.main
        await press(pilot, "question_mark")
        text = "\n".join(line.text.plain for line in app.screen.query(Line))
        assert "Cancel task" not in text
    assert [each.what for each in fake.asked] == ["start"]


async def test_copying_says_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    async with running(three_tasks()) as (app, pilot):
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        await press(pilot, "y")
        assert toasts(app)[-1].startswith("task id sent to the terminal's clipboard")
        assert toasts(app)[-1].endswith(": task-t1")
    assert any("52;c;" in each for each in written)

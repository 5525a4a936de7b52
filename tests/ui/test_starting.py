"""What is there when the program starts: saved tasks, none, too many, or a disk in trouble."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.handles.model import Intent
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.app import TasksApp
from tests.ui.fakes import NOW, SERVER, FakeSupervisor, a_task
from tests.ui.running import press, running, settle, text_of, three_tasks, toasts


async def test_saved_tasks_are_shown_and_the_engine_is_started_and_closed() -> None:
    fake = three_tasks()
    async with running(fake) as (app, _):
        assert fake.started
        assert "● working     one" in text_of(app, "#tasks")
        assert "3 tasks" in text_of(app, "#header")
    assert fake.closed
    assert not fake.listeners
    assert [each.what for each in fake.asked] == ["start"]


async def test_an_unreadable_store_says_what_to_do() -> None:
    fake = FakeSupervisor(failures={"start": StoreError("tasks.db cannot be opened")})
    async with running(fake) as (app, _):
        shown = text_of(app, "#blank")
    assert "tasks.db cannot be opened" in shown
    assert "doctor" in shown


async def test_a_database_that_can_only_be_read_is_said_as_long_as_it_is_so() -> None:
    async def why() -> str | None:
        return "/data can only be read: nothing new is kept there"

    fake = three_tasks()
    fake.failures["archive"] = StoreError("/data can only be read: nothing new is kept there")
    async with running(fake, why_read_only=why, size=(60, 15)) as (app, pilot):
        assert "DATABASE READ-ONLY" in text_of(app, "#header")
        assert "one" in text_of(app, "#tasks")
        await press(pilot, "d")
        await settle(pilot)
        assert toasts(app)[-1] == "one: /data can only be read: nothing new is kept there"
        assert len(list(app.main.tasks.model.keys())) == 3


async def test_without_tasks_it_teaches_where_they_come_from() -> None:
    async with running(FakeSupervisor()) as (app, _):
        shown = text_of(app, "#blank")
    assert "mcp-tasks-tui call SERVER TOOL" in shown
    assert "n   call a tool" in shown


async def test_the_task_to_start_on() -> None:
    async with running(three_tasks(), initial="t2") as (app, _):
        assert app.main.tasks.model.cursor == "t2"


async def test_calls_that_left_no_handle_are_told() -> None:
    fake = three_tasks()
    fake.intents = [Intent(1, SERVER, "deploy", {}, None, NOW - 100)]
    async with running(fake) as (app, _):
        (toast,) = toasts(app)
        assert toast.startswith("a call of deploy ")
        assert "no handle came back: it may have started" in toast


@pytest.mark.parametrize("in_file", [[], ["config.toml, line 2: keys: task.cancel: no such key"]])
async def test_wrong_settings_are_named_and_do_not_keep_anybody_out(in_file: list[str]) -> None:
    keys = {"task.cancel": "u"}
    fake = three_tasks()
    config = ScreenConfig(theme="nope", keys=keys)
    more: dict[str, Any] = {"wrong_settings": in_file} if in_file else {}
    app = TasksApp(fake, config=config, now=lambda: NOW, environ={}, **more)
    async with app.run_test() as pilot:
        await settle(pilot)
        if in_file:
            assert toasts(app) == in_file, "with their place, each of them once"
            return
        assert any("no theme is called nope" in toast for toast in toasts(app))
        assert any("task.cancel and by task.answer" in toast for toast in toasts(app))
        assert app.theme == "tasks-dark"


async def test_until_a_person_does_something_the_first_line_is_looked_at() -> None:
    fake = three_tasks()
    async with running(fake) as (app, pilot):
        assert app.main.tasks.model.cursor == "t1"
        fake.put(a_task("t0", label="newest", saved_at=NOW))
        await settle(pilot)
        assert app.main.tasks.model.cursor == "t0"
        assert app.main.panel.view is fake.tasks["t0"]
        await press(pilot, "r")
        fake.put(a_task("t-1", label="newer", saved_at=NOW + 1))
        await settle(pilot)
        assert next(app.main.tasks.model.keys()) == "t-1"
        assert app.main.tasks.model.cursor == "t0"


async def test_ten_thousand_tasks_are_there_at_once() -> None:
    fake = FakeSupervisor.of(*(a_task(f"t{n}", saved_at=NOW - n) for n in range(10_000)))
    async with running(fake) as (app, pilot):
        await press(pilot, "end")
        assert app.main.tasks.model.cursor == "t9999"
        assert "10,000 tasks" in text_of(app, "#header")
        fake.put(replace(fake.tasks["t9999"], message=ServerText("the last one moved")))
        await settle(pilot)
        assert "the last one moved" in text_of(app, "#tasks")

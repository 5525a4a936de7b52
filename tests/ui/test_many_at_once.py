"""What is done to many tasks at once is one step, and each still has its own outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from mcp_tasks_tui.handles.errors import StoreError
from mcp_tasks_tui.protocol.errors import Unreachable
from mcp_tasks_tui.supervise.view import TaskView
from mcp_tasks_tui.ui.actions import TaskActions
from mcp_tasks_tui.ui.alerts import Severity
from tests.ui.fakes import Asked, FakeSupervisor, a_task

MANY = 2_000


@dataclass
class FakeStage:
    """Keeps what is said, runs what is started, and answers each dialog the same."""

    answers: Any = True
    said: list[str] = field(default_factory=list)
    works: list[asyncio.Task[object]] = field(default_factory=list)
    gone_to: list[str] = field(default_factory=list)

    def say(self, text: str, severity: Severity = "information") -> None:
        self.said.append(text)

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        self.works.append(asyncio.create_task(work))

    async def ask(self, screen: Any) -> Any:
        return self.answers

    def aimed_at(self, target: Any) -> list[TaskView]:
        return []

    def unmark(self) -> None: ...

    def go_to(self, key: str) -> None:
        self.gone_to.append(key)

    def copy(self, text: str, what: str) -> None: ...

    def answer(self, key: str) -> None: ...


class Hands:
    """A person at the screen: runs commands and waits for their ends."""

    def __init__(self, fake: FakeSupervisor, *, answers: Any = True) -> None:
        self.fake = fake
        self.stage = FakeStage(answers)
        self.actions = TaskActions(self.stage, fake, "z")

    async def run(self, command: str, *keys: str) -> list[str]:
        """Return what was said of it."""
        already = len(self.stage.said)
        self.actions.run(command, [self.fake.tasks[key] for key in keys])
        await asyncio.gather(*self.stage.works)
        return self.stage.said[already:]


def many() -> FakeSupervisor:
    return FakeSupervisor.of(*(a_task(f"t{number}") for number in range(MANY)))


async def test_many_tasks_are_archived_and_brought_back_in_one_step_each() -> None:
    hands = Hands(many())
    keys = tuple(hands.fake.tasks)
    (said,) = await hands.run("task.archive", *keys)
    assert said == "archived 2,000 tasks (still watched); z brings them back"
    assert hands.fake.asked == [Asked("archive", keys=keys)]
    assert all(view.archived for view in hands.fake.tasks.values())
    assert await hands.run("task.undo") == ["2,000 tasks: brought back"]
    assert hands.fake.asked[1:] == [Asked("restore", keys=keys)]
    assert hands.stage.gone_to == ["t0"]


async def test_many_tasks_are_tagged_in_one_step() -> None:
    hands = Hands(many(), answers=("nightly",))
    keys = tuple(hands.fake.tasks)
    assert await hands.run("task.edit", *keys) == ["2,000 tasks: tagged"]
    assert hands.fake.asked == [Asked("tag", keys=keys, value=("nightly",))]


async def test_a_task_that_cannot_be_archived_is_told_and_the_others_are() -> None:
    hands = Hands(FakeSupervisor.of(*(a_task(f"t{number}") for number in range(3))))
    view = hands.fake.tasks.pop("t1")
    hands.actions.run("task.archive", [hands.fake.tasks["t0"], view, hands.fake.tasks["t2"]])
    await asyncio.gather(*hands.stage.works)
    refused, archived = hands.stage.said
    assert "no saved task 't1'" in refused
    assert archived.startswith("archived 2 tasks")
    assert await hands.run("task.undo") == ["2 tasks: brought back"]


async def test_what_fails_alike_is_told_once() -> None:
    hands = Hands(many())
    hands.fake.failures["archive"] = StoreError("the disk is full")
    assert await hands.run("task.archive", *hands.fake.tasks) == ["2,000 tasks: the disk is full"]
    hands.fake.failures["cancel"] = Unreachable("refused")
    (said,) = await hands.run("task.cancel", *hands.fake.tasks)
    assert said.startswith("2,000 tasks: ")


async def test_of_many_kinds_of_failures_the_first_are_told() -> None:
    hands = Hands(many())
    views = list(hands.fake.tasks.values())
    hands.fake.tasks.clear()
    hands.actions.run("task.archive", views)
    await asyncio.gather(*hands.stage.works)
    assert len(hands.stage.said) == 6
    assert hands.stage.said[-1] == "1,995 tasks: failed, too"

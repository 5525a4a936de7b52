"""What the stories tell, and how long it takes to watch them: played at once, in the past."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress

import pytest

from mcp_tasks_tui.demo.clock import FrozenClock, TaskClock
from mcp_tasks_tui.demo.lifecycles import LIFECYCLES, DemoCall
from mcp_tasks_tui.demo.stage import STORIES
from mcp_tasks_tui.demo.tasks import GivenAnswer, ProtocolFailure, Task, Work
from mcp_tasks_tui.demo.wire import Capabilities
from tests.demo.raw import EVERYTHING

DAY = 24 * 3600.0
START = 1_800_000_000.0
TOOLS = {tool.name: tool for tool in STORIES}


async def play(call: DemoCall) -> list[tuple[float, str]]:
    """Each message of a story and its second, up to its end or its first question."""
    told: list[tuple[float, str]] = []

    def changed(task: Task) -> None:
        told.append((task.updated_at - START, task.message or ""))

    clock = TaskClock(FrozenClock(START + DAY), START)
    work = Work(
        Task("t", START, START, None, 1.0),
        clock,
        capabilities=Capabilities(EVERYTHING),
        changed=changed,
        leave=lambda _seconds: None,
        first_answers={
            name: GivenAnswer(str(answer["action"]), answer["content"])
            for name, answer in call.answers.items()
        },
    )
    story = TOOLS[call.tool].story
    assert story is not None
    playing = asyncio.ensure_future(story(work, call.arguments))
    waiting = asyncio.ensure_future(clock.caught_up.wait())
    await asyncio.wait({playing, waiting}, return_when=asyncio.FIRST_COMPLETED)
    for future in (playing, waiting):
        future.cancel()
        with suppress(asyncio.CancelledError, ProtocolFailure):
            await future
    return told


@pytest.mark.parametrize("name", [name for name in LIFECYCLES if name != "flood"])
async def test_a_story_moves_often_enough_to_be_watched(name: str) -> None:
    [call] = LIFECYCLES[name].calls
    told = await play(call)
    assert told[0][0] == 0
    gaps = [later[0] - earlier[0] for earlier, later in itertools.pairwise(told)]
    assert max(gaps) <= 10
    assert told[-1][0] <= 400


@pytest.mark.parametrize("name", ["form", "two-questions", "chain", "link", "expires"])
async def test_a_question_comes_soon(name: str) -> None:
    [call] = LIFECYCLES[name].calls
    second, message = (await play(call))[-1]
    assert second <= 12
    assert message.startswith(("Waiting", "Question"))


async def test_the_build_counts_its_percent_upwards() -> None:
    told = await play(LIFECYCLES["progress"].calls[0])
    percents = [int(words.split(": ")[1].rstrip("%")) for _, words in told if words.endswith("%")]
    assert percents == sorted(percents)
    assert len(percents) > 8


async def test_a_story_that_began_long_ago_has_the_times_it_would_have() -> None:
    told = await play(LIFECYCLES["stuck"].calls[0])
    assert told[-1] == (29.0, "Migrating users: 62%")

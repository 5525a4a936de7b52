"""The time that a person takes to answer is nothing that the task can be blamed for."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.protocol.messages import InputResponse
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Progress, Reason, TaskView
from tests.supervise.answering import answer
from tests.supervise.sim import SimServer, World, a_question

ACCEPT = InputResponse(action="accept", content={})


def _view(supervisor: Supervisor) -> TaskView:
    view = supervisor.view("k1")
    assert view is not None
    return view


def _progress(supervisor: Supervisor) -> Progress:
    progress = _view(supervisor).progress
    assert progress is not None
    return progress


def _asks(server: SimServer) -> None:
    server.put("t1", status="input_required", inputRequests={"a": a_question("a")})


async def _works(world: World, server: SimServer, *steps: int) -> None:
    """Two seconds for each step of twenty."""
    for step in steps:
        server.put("t1", statusMessage=f"{step}/20")
        await world.clock.advance(2)


async def _waits(world: World, server: SimServer, seconds: float) -> None:
    _asks(server)
    await world.clock.advance(seconds)


async def test_a_task_is_not_stuck_right_after_an_answer() -> None:
    world = World()
    server = world.server()
    await world.saved(server, "t1")
    seen: list[TaskView] = []
    async with world.supervisor() as supervisor:
        supervisor.subscribe(lambda _: seen.append(_view(supervisor)))
        await _works(world, server, 1, 2, 3, 4)
        await _waits(world, server, 120)
        seen.clear()
        await answer(supervisor, {"a": ACCEPT})
        await world.clock.advance(5)  # the server takes its time to move
        await _works(world, server, 4, 5)
    assert seen
    assert not [one for one in seen if Reason.STUCK in {why.reason for why in one.attention}]
    assert {one.quiet for one in seen} == {""}


async def test_an_answer_that_moves_nothing_is_stuck_by_the_time_since_it() -> None:
    world = World()
    server = world.server()
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await _works(world, server, 1, 2, 3, 4)
        await _waits(world, server, 600)
        await answer(supervisor, {"a": ACCEPT})
        await world.clock.advance(55)
        assert _view(supervisor).attention == ()
        await world.clock.advance(10)
        (stuck,) = _view(supervisor).attention
    assert stuck.text == "stuck: answered, but nothing has changed for 1 m"


async def test_a_question_makes_no_task_slower_than_it_is() -> None:
    world = World()
    server = world.server()
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await _works(world, server, 1, 2, 3, 4)
        before = _progress(supervisor).rate
        assert before == pytest.approx(0.5, rel=0.3)
        await _waits(world, server, 300)
        assert _progress(supervisor).done == 4
        assert (_progress(supervisor).rate, _progress(supervisor).eta) == (None, None)
        await answer(supervisor, {"a": ACCEPT})
        await _works(world, server, 4, 5, 6, 7)
        after = _progress(supervisor)
        gap = _view(supervisor).snapshot.usual_gap
    assert after.rate == pytest.approx(0.5, rel=0.3)
    assert after.eta == pytest.approx(26, rel=0.3)
    assert gap == pytest.approx(2, rel=0.5)

"""What is stuck by our watch, over restarts and looks of others, and told once."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.supervise.alerts import AlertKind
from mcp_tasks_tui.supervise.view import Reason
from tests.supervise.looking import view_of
from tests.supervise.sim import World, one_server


async def test_a_silent_task_is_stuck_after_ten_watched_minutes() -> None:
    world, _ = await one_server("t1", statusMessage="thinking")
    async with world.supervisor() as supervisor:
        await world.clock.advance(590)
        assert view_of(supervisor, "k1").attention == ()
        await world.clock.advance(20)
        assert [one.reason for one in view_of(supervisor, "k1").attention] == [Reason.STUCK]
    assert AlertKind.STUCK in {alert.kind for batch in world.batches for alert in batch.alerts}


def stuck_alarms(world: World) -> int:
    told = [alert for batch in world.batches for alert in batch.alerts]
    return sum(alert.kind is AlertKind.STUCK for alert in told)


@pytest.mark.parametrize("away", [5, 86_400], ids=["a moment", "a day"])
async def test_what_is_stuck_stays_so_over_a_restart_and_is_told_once(away: float) -> None:
    world, server = await one_server("t1", statusMessage="thinking")
    async with world.supervisor() as supervisor:
        await world.clock.advance(630)
        assert stuck_alarms(world) == 1
        [stuck] = view_of(supervisor, "k1").attention
    await world.clock.advance(away)
    async with world.supervisor() as supervisor:
        before = view_of(supervisor, "k1")
        assert [one.text for one in before.attention] == [stuck.text]
        assert not before.live, "it is what was last known, and shown as such"
        await world.clock.advance(10)
        [again] = view_of(supervisor, "k1").attention
        assert view_of(supervisor, "k1").live
        assert again.text == stuck.text
        assert stuck_alarms(world) == 1
        server.put("t1", statusMessage="on it")
        await world.clock.advance(10)
        assert view_of(supervisor, "k1").attention == ()


async def test_what_changed_while_nobody_watched_is_not_stuck() -> None:
    world, server = await one_server("t1", statusMessage="thinking")
    async with world.supervisor():
        await world.clock.advance(630)
    server.put("t1", statusMessage="on it")
    await world.clock.advance(86_400)
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert view_of(supervisor, "k1").attention == ()
    assert stuck_alarms(world) == 1


async def test_that_a_task_is_stuck_is_on_the_disk_before_the_program_ends() -> None:
    world, _ = await one_server("t1", statusMessage="thinking")
    async with world.supervisor() as supervisor:
        await world.clock.advance(630)
        [stuck] = view_of(supervisor, "k1").attention
        async with world.supervisor(poll=False) as other:
            assert [one.reason for one in view_of(other, "k1").attention] == [stuck.reason]


async def test_a_look_of_another_process_does_not_end_our_watch() -> None:
    world, _ = await one_server("t1", statusMessage="thinking")
    async with world.supervisor() as supervisor:
        await world.clock.advance(300)
        async with world.supervisor(poll=False) as other:
            await other.refresh("k1")
        await world.clock.advance(310)
        assert [one.reason for one in view_of(supervisor, "k1").attention] == [Reason.STUCK]


async def test_what_is_stuck_stays_so_while_it_is_held_and_is_told_once() -> None:
    world, server = await one_server("t1", statusMessage="thinking")
    async with world.supervisor() as supervisor:
        await world.clock.advance(630)
        [stuck] = view_of(supervisor, "k1").attention
        await supervisor.hold(["k1"], True)
        await world.clock.advance(1800)
        assert [one.text for one in view_of(supervisor, "k1").attention] == [stuck.text]
        await supervisor.hold(["k1"], False)
        await world.clock.advance(10)
        [again] = view_of(supervisor, "k1").attention
        assert again.text == stuck.text  # the time that nobody watched does not count
        assert stuck_alarms(world) == 1
        server.put("t1", statusMessage="on it")
        await world.clock.advance(10)
        assert view_of(supervisor, "k1").attention == ()

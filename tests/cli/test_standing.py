"""What is waited for in vain, and after how many tries that is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.standing import Standing
from mcp_tasks_tui.handles.model import Snapshot
from mcp_tasks_tui.protocol.errors import NotHttp, Unreachable, UnusableReply
from tests.supervise.sim import EPOCH, SimServer, World

if TYPE_CHECKING:
    from mcp_tasks_tui.protocol.errors import RequestError
    from mcp_tasks_tui.supervise.supervisor import Supervisor

KNOWN = Snapshot(status="working", observed_at=EPOCH - 60, changed_at=EPOCH - 60)


async def reads_until_settled(
    world: World, server: SimServer, supervisor: Supervisor
) -> tuple[int, list[str]]:
    """Return after how many failed reads the wait for the task "k1" ends, and what is said."""
    standing = Standing(supervisor, ["k1"])
    told: list[str] = []
    while len(server.reads()) < 20:
        await world.clock.advance(0.4)
        told += standing.look()
        [view] = standing.views
        if standing.settled(view):
            assert standing.outcome(view) is Exit.UNREACHABLE
            return len(server.reads()), [*told, *standing.without_hope()]
    return -1, told


@pytest.mark.parametrize(
    ("snapshot", "fault", "reads"),
    [
        (None, NotHttp(), 3),
        (KNOWN, NotHttp(), 5),
        (None, UnusableReply("not JSON"), 3),
        (KNOWN, Unreachable("refused"), -1),
    ],
    ids=["never a server", "no server any more", "no use", "away"],
)
async def test_how_often_a_server_is_tried(
    snapshot: Snapshot | None, fault: RequestError, reads: int
) -> None:
    world = World()
    server = world.server()
    server.fault = fault
    await world.saved(server, "t1", snapshot=snapshot)
    async with world.supervisor() as supervisor:
        assert (await reads_until_settled(world, server, supervisor))[0] == reads


async def test_what_speaks_no_http_is_told_as_such() -> None:
    world = World()
    server = world.server()
    server.fault = NotHttp()
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        _, told = await reads_until_settled(world, server, supervisor)
    assert told == [
        "one.test: what answers there does not speak HTTP; `wait` tries a few times more",
        "one.test: what answers there does not speak HTTP (1 task not read)",
    ]


async def test_how_long_it_is_waited_for_is_said_again_once_that_is_otherwise() -> None:
    world = World()
    server = world.server()
    server.fault = NotHttp()
    await world.saved(server, "t1")
    told: list[str] = []
    async with world.supervisor() as supervisor:
        standing = Standing(supervisor, ["k1"])
        for fault in (NotHttp(), Unreachable("refused"), Unreachable("refused"), None):
            server.fault = fault
            before = len(server.reads())
            while len(server.reads()) == before:
                await world.clock.advance(0.4)
            await world.clock.advance(0.4)
            told += standing.look()
    assert [line.split("; ")[-1] for line in told] == [
        "`wait` tries a few times more",
        "`wait` keeps trying, and gives up when it was away for 10 m",
        "one.test: answers again",
    ]


async def test_a_server_that_starts_may_garble_its_words_in_between() -> None:
    world = World()
    server = world.server()
    faults = [Unreachable("refused")] * 4 + [NotHttp()] * 2 + [Unreachable("refused"), NotHttp()]
    server.fault = lambda _: faults[n] if (n := len(server.reads()) - 1) < len(faults) else None
    server.put("t1")
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        standing = Standing(supervisor, ["k1"])
        while len(server.reads()) <= len(faults):
            await world.clock.advance(0.4)
            list(standing.look())
            [view] = standing.views
            assert not standing.settled(view)
        await world.clock.advance(1)
        list(standing.look())
        assert standing.views[0].live

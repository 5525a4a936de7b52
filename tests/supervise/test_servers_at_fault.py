"""Servers that are down, refuse, ask to wait or forget: one line each, and one probe."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    RateLimited,
    RequestError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.alerts import AlertKind
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Coverage
from tests.supervise.looking import line_of, view_of
from tests.supervise.sim import World, draft, one_server

FAULTS: list[tuple[RequestError, Health]] = [
    (Unreachable("refused"), Health.DOWN),
    (Unreachable("closed"), Health.DOWN),
    (TimedOut("silence", 30), Health.DOWN),
    (HttpError(502, "Bad Gateway", hint=ServerText("<title>502")), Health.DOWN),
    (RateLimited(503, "Service Unavailable", hint=None, retry_after=20), Health.DOWN),
    (RateLimited(429, "Too Many Requests", hint=None, retry_after=20), Health.LIMITED),
    (RateLimited(429, "Too Many Requests", hint=None, retry_after=None), Health.LIMITED),
    (AuthFailed(401, "Unauthorized", hint=None, challenge=None), Health.AUTH),
    (AuthFailed(403, "Forbidden", hint=None, challenge=None), Health.AUTH),
    (UnusableReply("an HTML page, not an MCP reply"), Health.BROKEN),
]


@pytest.mark.parametrize(("fault", "health"), FAULTS, ids=lambda value: str(value)[:40])
async def test_a_server_at_fault_is_one_line_and_one_probe(
    fault: RequestError, health: Health
) -> None:
    world = World()
    server, other = world.server(), world.server("http://two.test/mcp")
    names = [f"t{number}" for number in range(30)]
    for name in names:
        server.put(name, pollIntervalMs=5000)
    other.put("x")
    await world.saved(server, *names)
    await world.saved(other, "x")
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert line_of(supervisor).health is Health.OK
        server.fault = fault
        began = len(server.reads())
        await world.clock.advance(300)
        line = line_of(supervisor)
        assert line.health is health
        assert str(fault) in line.text
        assert line.retry_at is not None
        assert len(server.reads()) - began <= 45
        views = [view_of(supervisor, f"k{number + 1}") for number in range(30)]
        assert {view.state for view in views} == {State.WORKING}
        assert {view.coverage for view in views} == {Coverage.PAUSED}
        assert all(not view.attention for view in views)
        assert len(other.reads()) > 280
        server.fault = None
        back = world.clock.monotonic()
        await supervisor.retry_server(server.url)
        await world.clock.advance(40)
        assert line_of(supervisor).health is Health.OK
        assert all(server.reads(name)[-1] > back for name in names)
        assert {event for event, _ in world.journal("k1")} >= {
            Event.SERVER_LOST,
            Event.SERVER_BACK,
        }


async def test_retry_after_holds_the_whole_server() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(20)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        server.fault = RateLimited(429, "Too Many Requests", hint=None, retry_after=90)
        await world.clock.advance(1)
        server.fault = None
        limited = world.clock.monotonic()
        supervisor.poll_now([f"k{number + 1}" for number in range(20)])
        await world.clock.advance(85)
        assert not [at for at in server.reads() if at > limited + 0.2]
        await world.clock.advance(20)
        assert line_of(supervisor).health is Health.OK


async def test_a_probe_that_ends_in_a_fault_of_ours_is_followed_by_another() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        server.fault = Unreachable("refused")
        await world.clock.advance(3)
        assert line_of(supervisor).health is Health.DOWN

        def script(_: float, __: str) -> dict[str, object]:
            raise ZeroDivisionError("oops")

        server.fault, server.script = None, script
        before = len(server.reads())
        await world.clock.advance(60)
        assert 5 <= len(server.reads()) - before <= 15
        server.script = None
        await world.clock.advance(130)
        assert line_of(supervisor).health is Health.OK
        assert view_of(supervisor, "k1").snapshot.read.ok


async def test_a_hostile_retry_after_is_bounded() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        server.fault = RateLimited(429, "Slow", hint=None, retry_after=99_999_999)
        await world.clock.advance(2)
        server.fault = None
        await world.clock.advance(1000)
        assert line_of(supervisor).health is Health.OK


async def test_a_refusing_server_is_tried_rarely_and_at_once_when_a_person_says_so() -> None:
    world = World()
    server = world.server()
    server.put("t1", pollIntervalMs=3_600_000)
    server.fault = AuthFailed(401, "Unauthorized", hint=None, challenge=None)
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3600)
        assert 4 <= len(server.reads()) <= 9
        assert "renew" in line_of(supervisor).text
        notices: list[str] = []
        supervisor.subscribe(lambda batch: notices.extend(batch.notices))
        await supervisor.retry_server(server.url)
        await world.clock.advance(1)
        assert len(notices) == 1
        assert "still sign-in needed: renew this server's token" in notices[0]
        server.fault = None
        await supervisor.retry_server(server.url)
        await world.clock.advance(1)
        assert len(notices) == 2
        assert notices[1].endswith("it answers again")
        assert line_of(supervisor).health is Health.OK
        assert view_of(supervisor, "k1").live


async def test_a_server_whose_tasks_are_held_is_read_when_a_person_says_so_alone() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        server.fault = Unreachable("refused")
        await world.clock.advance(10)
        await supervisor.hold(["k1", "k2"], True)
        before = len(server.reads())
        await world.clock.advance(600)
        assert len(server.reads()) == before
        server.fault = None
        await supervisor.retry_server(server.url)
        await world.clock.advance(600)
        assert len(server.reads()) == before + 1
        assert line_of(supervisor).health is Health.OK


async def test_a_server_without_usable_settings_is_said_and_loses_nothing() -> None:
    world = World()
    await world.store.save(draft("ftp://odd"))
    async with world.supervisor() as supervisor:
        await world.clock.advance(60)
        assert line_of(supervisor).health is Health.UNUSABLE
        assert "ftp://odd" in line_of(supervisor).text
        assert view_of(supervisor, "k1").handle.task_id == "t1"


async def test_tasks_that_vanish_together_are_one_warning() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(100)]
    for name in names:
        server.put(name, pollIntervalMs=5000)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        server.tasks.clear()
        await world.clock.advance(60)
        assert line_of(supervisor).health is Health.FORGOT
        assert line_of(supervisor).text
        assert {view.state for view in supervisor.views()} == {State.GONE}
        for name in names:
            server.put(name, pollIntervalMs=5000)
        await world.clock.advance(400)
        assert line_of(supervisor).health is Health.OK
        assert {view.state for view in supervisor.views()} == {State.WORKING}
    alerts = [alert for batch in world.batches for alert in batch.alerts]
    assert {alert.kind for alert in alerts} <= {AlertKind.BACK}


async def test_a_hanging_server_delays_no_other() -> None:
    world = World()
    hanging, quick = world.server(), world.server("http://two.test/mcp")
    hanging.latency = 20
    names = [f"t{number}" for number in range(150)]
    for name in names:
        hanging.put(name, pollIntervalMs=1000)
        quick.put(name, pollIntervalMs=1000)
    await world.saved(hanging, *names)
    await world.saved(quick, *names[:10])
    async with world.supervisor():
        await world.clock.advance(120)
    assert hanging.most_in_flight == EngineSettings().max_reads
    for name in names[:10]:
        gaps = [later - earlier for earlier, later in pairwise(quick.reads(name))]
        assert max(gaps) < 1.3

"""The engine as a whole, in a simulated world: polling, ends, failures, servers."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from mcp_tasks_tui.handles.model import Event, Snapshot, State
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    RateLimited,
    ReplyTooLarge,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.alerts import AlertKind
from mcp_tasks_tui.supervise.problems import UnknownKey
from mcp_tasks_tui.supervise.server_view import Health, ServerView
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.supervisor import Supervisor
from mcp_tasks_tui.supervise.view import Coverage, Reason, TaskView
from tests.supervise.sim import EPOCH, World, a_question, draft, one_server


def view_of(supervisor: Supervisor, key: str) -> TaskView:
    view = supervisor.view(key)
    assert view is not None
    return view


def state_of(supervisor: Supervisor, key: str) -> State:
    return view_of(supervisor, key).state


def line_of(supervisor: Supervisor, place: int = 0) -> ServerView:
    return supervisor.servers()[place]


# --- reading ----------------------------------------------------------------------------------


async def test_a_saved_task_is_read_until_it_ends_and_no_longer() -> None:
    world = World()
    server = world.server()
    server.put("t1", statusMessage="1/10")
    async with world.supervisor() as supervisor:
        key = (await supervisor.save(draft(server.url))).key
        await world.clock.advance(5)
        seen = view_of(supervisor, key)
        assert (seen.state, seen.live) == (State.WORKING, True)
        assert seen.progress is not None
        assert seen.progress.fraction == 0.1
        server.put("t1", status="completed", result={"content": []})
        await world.clock.advance(3)
        assert await supervisor.result(key) == {"content": []}
        reads = len(server.reads())
        await world.clock.advance(600)
        assert len(server.reads()) == reads
    assert world.disk.rows[key].result == {"content": []}
    assert [event for event, _ in world.journal(key)] == [Event.SAVED, Event.STATUS, Event.STATUS]


async def test_every_task_keeps_its_own_spacing_and_follows_the_newest_hint() -> None:
    world = World()
    server = world.server()
    server.put("fast", pollIntervalMs=500)
    server.put("slow", pollIntervalMs=30_000)
    server.put("none", pollIntervalMs=0)
    await world.saved(server, "fast", "slow", "none")
    async with world.supervisor():
        await world.clock.advance(120)
        for task_id, least in (("fast", 0.5), ("slow", 30.0), ("none", 5.0)):
            times = server.reads(task_id)
            assert all(later - earlier >= least for earlier, later in pairwise(times)), task_id
        assert len(server.reads("fast")) > 180
        assert len(server.reads("slow")) >= 4
        server.put("fast", pollIntervalMs=20_000)
        await world.clock.advance(1)
        before = len(server.reads("fast"))
        await world.clock.advance(60)
        assert len(server.reads("fast")) - before <= 3


async def test_the_first_reads_after_a_start_are_no_burst() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(500)]
    for name in names:
        server.put(name, pollIntervalMs=10_000)
    just_read = Snapshot(status="working", poll_interval_ms=10_000, observed_at=EPOCH - 1)
    await world.saved(server, *names, snapshot=just_read)
    async with world.supervisor():
        await world.clock.advance(20)
    times = server.reads()
    assert len(times) >= 500
    busiest = max(sum(start <= at < start + 1 for at in times) for start in range(20))
    assert busiest <= 60
    assert min(times) >= 8
    assert server.most_in_flight <= 8


async def test_what_has_ended_is_read_again_only_when_a_person_asks() -> None:
    world = World()
    server = world.server()
    server.put("kept", status="completed", result={"n": 1})
    ended = Snapshot(status="completed", has_result=True, observed_at=EPOCH - 86_400)
    await world.saved(server, "kept", snapshot=ended)
    world.disk.rows["k1"].result = {"n": 1}
    async with world.supervisor() as supervisor:
        await supervisor.edit("k1", label="mine", note=None, tags=())
        await world.clock.advance(3600)
        assert server.reads() == []
        supervisor.poll_now(["k1"])
        await supervisor.edit("k1", label="still mine", note=None, tags=())
        await world.clock.advance(3600)
        assert len(server.reads()) == 1
        assert view_of(supervisor, "k1").live
    assert world.store.commits[-1][1][0].has_result is False


async def test_a_stored_state_is_marked_as_old_until_a_read_confirms_it() -> None:
    world = World()
    server = world.server()
    server.put("t1", status="completed", result={})
    old = Snapshot(status="working", observed_at=EPOCH - 3 * 86_400)
    await world.saved(server, "t1", snapshot=old)
    async with world.supervisor() as supervisor:
        before = view_of(supervisor, "k1")
        await world.clock.advance(10)
        after = view_of(supervisor, "k1")
    assert (before.state, before.live) == (State.WORKING, False)
    assert (after.state, after.live) == (State.COMPLETED, True)


async def test_poll_now_does_not_wait_for_a_long_interval_but_is_rate_limited() -> None:
    world, server = await one_server("t1", pollIntervalMs=3_600_000)
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert len(server.reads()) == 1
        due = view_of(supervisor, "k1").next_read_at
        assert due is not None
        assert due - world.clock.now() == pytest.approx(3600, rel=0.1)
        for _ in range(50):
            supervisor.poll_now(["k1"])
            await world.clock.advance(0.1)
        assert 4 <= len(server.reads()) <= 8


async def test_refresh_reads_at_once_and_tells_of_a_failure_in_the_view() -> None:
    world, server = await one_server("t1")
    async with world.supervisor(poll=False) as supervisor:
        assert (await supervisor.refresh("k1")).state is State.WORKING
        server.fault = HttpError(502, "Bad Gateway")
        failed = await supervisor.refresh("k1")
        assert failed.state is State.WORKING
        assert failed.snapshot.read.error == "HTTP 502 Bad Gateway"
        await world.clock.advance(600)
        assert len(server.reads()) == 2
        with pytest.raises(UnknownKey):
            await supervisor.refresh("k9")


async def test_only_the_asked_tasks_are_watched() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor(keys=["k2"]):
        await world.clock.advance(10)
    assert server.reads("t1") == []
    assert server.reads("t2")


async def test_asking_for_everything_again_and_again_never_delays_a_read() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(100)]
    for name in names:
        server.put(name, pollIntervalMs=2000)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(20)
        before = len(server.reads())
        keys = [view.key for view in supervisor.views()]
        for _ in range(20):
            supervisor.poll_now(keys)
            await world.clock.advance(0.1)
        await world.clock.advance(20)
        assert len(server.reads()) - before > 900


async def test_held_tasks_are_not_read_and_stay_held_after_a_restart() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        await supervisor.hold(["k1"], True)
        before = len(server.reads())
        await world.clock.advance(60)
        assert len(server.reads()) == before
        assert view_of(supervisor, "k1").coverage is Coverage.HELD
        assert line_of(supervisor).held
        supervisor.poll_now(["k1"])
        await world.clock.advance(2)
        assert len(server.reads()) == before + 1
    async with world.supervisor() as supervisor:
        await world.clock.advance(60)
        assert len(server.reads()) == before + 1
        await supervisor.hold(["k1"], False)
        await world.clock.advance(5)
        assert len(server.reads()) > before + 1
    assert [e for e, _ in world.journal("k1") if e in (Event.HELD, Event.RESUMED)] == [
        Event.HELD,
        Event.RESUMED,
    ]


async def test_holding_a_task_drops_a_read_that_hangs() -> None:
    world = World()
    server = world.server()
    server.put("t1")
    server.latency = 60
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        assert server.in_flight == 1
        await supervisor.hold(["k1"], True)
        await world.clock.advance(1)
        assert server.in_flight == 0
        assert view_of(supervisor, "k1").snapshot.read.ok


async def test_a_task_released_before_its_read_was_dropped_is_read_again() -> None:
    world = World()
    server = world.server()
    server.put("t1")
    server.latency = 60
    await world.saved(server, "t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        assert server.in_flight == 1
        await supervisor.hold(["k1"], True)
        await supervisor.hold(["k1"], False)
        server.latency = 0
        await world.clock.advance(30)
        assert len(server.reads()) > 2


# --- failures of one task ---------------------------------------------------------------------


async def test_a_failing_read_keeps_the_last_state_and_goes_on() -> None:
    world = World()
    server = world.server()
    server.put("t1", statusMessage="7/9")
    server.put("t2")
    await world.saved(server, "t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        error = RpcError(-32603, ServerText("Internal server error"), None, 200)
        server.script = lambda _, name: error if name == "t1" else {"status": "working"}
        await world.clock.advance(120)
        view = view_of(supervisor, "k1")
        assert view.state is State.WORKING
        assert view.snapshot.read.failures >= 2
        assert [one.reason for one in view.attention] == [Reason.READ_FAILING]
        assert line_of(supervisor).health is Health.OK
        assert len(server.reads("t2")) > 100
        server.script = None
        await world.clock.advance(70)
        assert view_of(supervisor, "k1").snapshot.read.ok


@pytest.mark.parametrize(
    ("error", "most"),
    [
        (AuthFailed(401, "Unauthorized", hint=None, challenge=None), 8),
        (AuthFailed(403, "Forbidden", hint=None, challenge=None), 8),
        (ReplyTooLarge(2**25), 8),
        (UnusableReply("the reply is about another task"), 80),
        (HttpError(500, "Internal Server Error"), 80),
    ],
    ids=str,
)
async def test_what_a_server_answers_about_one_task_holds_no_other(
    error: RequestError, most: int
) -> None:
    world = World()
    server = world.server()
    names = ("t1", "t2", "t3")
    for name in names:
        server.put(name)
    server.script = lambda _, name: error if name == "t1" else {"status": "working"}
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(900)
        assert line_of(supervisor).health is Health.OK
        assert len(server.reads("t2")) > 800
        assert len(server.reads("t1")) <= most
        view = view_of(supervisor, "k1")
        assert [one.reason for one in view.attention] == [Reason.READ_FAILING]
        assert view.coverage is Coverage.POLLED
        server.script = None
        supervisor.poll_now(["k1"])
        await world.clock.advance(1)
        assert view_of(supervisor, "k1").snapshot.read.ok


async def test_a_task_that_is_refused_alone_is_tried_again_with_its_server() -> None:
    world, server = await one_server("t1", "t2")
    error = AuthFailed(401, "Unauthorized", hint=None, challenge=None)
    server.script = lambda _, name: error if name == "t1" else {"status": "working"}
    async with world.supervisor() as supervisor:
        await world.clock.advance(300)
        notices: list[str] = []
        supervisor.subscribe(lambda batch: notices.extend(batch.notices))
        server.script = None
        await supervisor.retry_server(server.url)
        await world.clock.advance(2)
        assert view_of(supervisor, "k1").snapshot.read.ok
        await supervisor.retry_server(server.url)
        await world.clock.advance(1)
    assert [notice.partition(": ")[2] for notice in notices] == [
        "it answers; asked again for 1 task not read lately",
        "it is read as usual, nothing to try again",
    ]


async def test_a_reply_that_is_too_large_is_told_of_its_task_though_it_is_the_only_one() -> None:
    world, server = await one_server("t1")
    server.fault = ReplyTooLarge(2**25)
    async with world.supervisor() as supervisor:
        await world.clock.advance(900)
        assert not line_of(supervisor).retry_at
        (told,) = view_of(supervisor, "k1").attention
        assert "may have ended" in told.text
        assert "max_reply_mib" in told.text
        assert len(server.reads("t1")) <= 6


async def test_a_server_that_refuses_everything_is_not_asked_for_each_of_its_tasks() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(250)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(60)
        server.fault = AuthFailed(401, "Unauthorized", hint=None, challenge=None)
        before = len(server.reads())
        await world.clock.advance(50)
        assert line_of(supervisor).health is Health.AUTH
        assert len(server.reads()) - before <= 2 + EngineSettings().max_reads


async def test_a_bug_in_one_tasks_read_marks_that_task_alone() -> None:
    world = World()
    server = world.server()

    def script(_: float, name: str) -> dict[str, object]:
        if name == "t1":
            raise ZeroDivisionError("oops")
        return {"status": "working"}

    server.script = script
    await world.saved(server, "t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(30)
        assert view_of(supervisor, "k1").snapshot.read.error_kind == "internal"
        assert view_of(supervisor, "k2").snapshot.read.ok
        assert len(server.reads("t2")) > 20
        assert line_of(supervisor).health is Health.OK


async def test_a_vanished_task_is_gone_after_three_reads_and_can_come_back() -> None:
    world, server = await one_server("t1", "t2")
    async with world.supervisor() as supervisor:
        await world.clock.advance(3)
        del server.tasks["t1"]
        await world.clock.advance(10)
        assert state_of(supervisor, "k1") is State.GONE
        assert line_of(supervisor).health is Health.OK
        before = len(server.reads("t1"))
        await world.clock.advance(1000)
        assert 2 <= len(server.reads("t1")) - before <= 5
        server.put("t1")
        await world.clock.advance(400)
        assert state_of(supervisor, "k1") is State.WORKING
    alerts = [alert for batch in world.batches for alert in batch.alerts]
    assert [alert.kind for alert in alerts if "k1" in alert.keys] == [AlertKind.BACK]


# --- failures of a server ---------------------------------------------------------------------

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


# --- attention and alerts ---------------------------------------------------------------------


async def test_news_is_told_in_batches_and_bursts_are_folded() -> None:
    world = World()
    server = world.server()
    names = [f"t{number}" for number in range(40)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor():
        await world.clock.advance(10)
        world.batches.clear()
        for name in names:
            server.put(name, status="completed", result={})
        began = world.clock.monotonic()
        await world.clock.advance(10)
        passed = world.clock.monotonic() - began
    assert len(world.batches) <= 5 * passed + 1
    alerts = [alert for batch in world.batches for alert in batch.alerts]
    assert {alert.kind for alert in alerts} == {AlertKind.FINISHED}
    assert len(alerts) <= 3
    assert sum(len(alert.keys) for alert in alerts) == 40


async def test_time_alone_makes_a_task_expiring() -> None:
    world, _ = await one_server(
        "t1", createdAt="2026-09-01T10:00:00Z", ttlMs=4_000_000, pollIntervalMs=86_400_000
    )
    async with world.supervisor() as supervisor:
        await world.clock.advance(10)
        assert view_of(supervisor, "k1").attention == ()
        world.batches.clear()
        await world.clock.advance(3_800)
        assert [one.reason for one in view_of(supervisor, "k1").attention] == [Reason.EXPIRING]
        assert any("k1" in batch.changed for batch in world.batches)


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


async def test_an_archived_task_comes_back_when_it_asks() -> None:
    world, server = await one_server("t1")
    async with world.supervisor() as supervisor:
        await world.clock.advance(2)
        await supervisor.archive(["k1"])
        before = len(server.reads())
        await world.clock.advance(5)
        assert view_of(supervisor, "k1").archived
        assert len(server.reads()) > before
        server.put("t1", status="input_required", inputRequests={"a": a_question()})
        await world.clock.advance(2)
        assert not view_of(supervisor, "k1").archived
        await supervisor.archive(["k1"])
        await world.clock.advance(20)
        assert view_of(supervisor, "k1").archived


# --- quitting ---------------------------------------------------------------------------------


async def test_quitting_drops_reads_under_way_without_a_trace_and_sends_nothing() -> None:
    world, server = await one_server(
        "t1", status="input_required", inputRequests={"a": a_question()}
    )
    async with world.supervisor():
        await world.clock.advance(2)
        server.latency = 60
        await world.clock.advance(3)
        assert server.in_flight == 1
    assert server.in_flight == 0
    assert world.disk.rows["k1"].snapshot.read.ok
    assert {one.method for one in server.requests} == {"tasks/get"}


async def test_quitting_starts_none_of_the_reads_that_wait_for_a_slot() -> None:
    world = World()
    server = world.server()
    server.latency = 60
    names = [f"t{number}" for number in range(30)]
    for name in names:
        server.put(name)
    await world.saved(server, *names)
    async with world.supervisor() as supervisor:
        await world.clock.advance(20)
        assert server.in_flight == EngineSettings().max_reads
        late = asyncio.create_task(supervisor.refresh("k30"))
        await world.clock.advance(1)
        asked = len(server.requests)
    await world.clock.advance(120)
    assert late.done()
    assert len(server.requests) == asked
    assert server.in_flight == 0


async def test_what_is_known_at_the_end_is_on_disk() -> None:
    world, _ = await one_server("t1", statusMessage="1/2")
    async with world.supervisor():
        await world.clock.advance(30)
        commits = len(world.store.commits)
        assert commits <= 3
    stored = world.disk.rows["k1"].snapshot
    assert stored.observed_at is not None
    assert world.clock.now() - stored.observed_at < 2

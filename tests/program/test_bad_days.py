"""Several servers with bad days at once: on real sockets, with the real wire, disk and clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from email.utils import formatdate
from pathlib import Path

import pytest

from mcp_tasks_tui.handles.model import Event, State
from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Coverage
from tests.program.engine import LIMITS, Host, engine, line, save, until, until_told
from tests.protocol.servers import Reply, Request, Then, http

PAGE = b"<!doctype html><title>Sign in</title><p>Please sign in</p>"
_EACH = 12


def _busy_for_a_second(_: Request) -> bytes:
    return http(429, headers={"Retry-After": "1"})


def _busy_until(_: Request) -> bytes:
    now = time.time()
    date, until_then = formatdate(now, usegmt=True), formatdate(now + 2, usegmt=True)
    return http(429, headers={"Retry-After": until_then, "Date": date})


MOODS: Mapping[str, Reply] = {
    "hangs": (Then.HANG,),
    "unavailable": http(503, b"no backend", kind="text/plain"),
    "busy for a second": _busy_for_a_second,
    "busy until a date": _busy_until,
    "login page": http(200, PAGE, kind="text/html"),
}
#: How each is called; "refuses" is one that stops listening.
LOST: Mapping[str, Health] = {
    "hangs": Health.DOWN,
    "unavailable": Health.DOWN,
    "busy for a second": Health.LIMITED,
    "busy until a date": Health.LIMITED,
    "login page": Health.BROKEN,
    "refuses": Health.DOWN,
}
WORDS: Mapping[str, tuple[str, ...]] = {
    "hangs": ("nothing heard for 1.5 s",),
    "unavailable": ("HTTP 503",),
    "busy for a second": ("HTTP 429", "wait 1 s"),
    "busy until a date": ("HTTP 429", "wait 2 s"),
    "login page": ("HTTP 200 with a web page", "Sign in"),
    "refuses": ("refused",),
}


async def test_a_server_that_hangs_delays_no_other(home: Path) -> None:
    healthy, hanging = Host(), Host()
    patient = Limits(silence=600.0, total=600.0)  # nothing that hangs is given up meanwhile
    hung: list[Request] = []

    def hang(request: Request) -> tuple[Then]:
        hung.append(request)
        return (Then.HANG,)

    async with healthy.server, hanging.server:
        save(home, hanging.url, *(f"h{number}" for number in range(_EACH)))
        save(home, healthy.url, *(f"t{number}" for number in range(_EACH)))
        async with engine(home, limits=patient) as supervisor:
            await until(lambda: all(view.live for view in supervisor.views()))
            hanging.mood = hang
            await until(lambda: len(hung) == EngineSettings().max_reads)
            since = time.monotonic()
            await until(
                lambda: all(len(healthy.reads(f"t{n}", since=since)) > 3 for n in range(_EACH))
            )
            assert line(supervisor, hanging).health is Health.OK


async def test_each_bad_day_is_said(home: Path) -> None:
    hosts = {name: Host() for name in ("healthy", *LOST)}
    async with AsyncExitStack() as stack:
        for host in hosts.values():
            await stack.enter_async_context(host.server)
        keys = {
            name: save(home, host.url, *(f"{name} {number}" for number in range(_EACH)))
            for name, host in hosts.items()
        }
        supervisor = await stack.enter_async_context(engine(home))
        await until(lambda: all(view.live for view in supervisor.views()))
        await _spoil(hosts)
        await until(
            lambda: all(line(supervisor, hosts[name]).health is LOST[name] for name in LOST)
        )
        for name, words in WORDS.items():
            said = line(supervisor, hosts[name])
            assert all(word in said.text for word in words), (name, said.text)
            assert said.retry_at is not None
        for name in LOST:
            await until_told(supervisor, keys[name][0], Event.SERVER_LOST)
            views = [view for key in keys[name] if (view := supervisor.view(key))]
            assert {(view.state, view.coverage) for view in views} == {
                (State.WORKING, Coverage.PAUSED)
            }
        mended = await _mend(hosts)
        await until(
            lambda: all(
                line(supervisor, host).health is Health.OK
                and all(host.reads(f"{name} {number}", since=mended) for number in range(_EACH))
                for name, host in hosts.items()
            )
        )
        told = {name: await supervisor.journal(keys[name][0]) for name in hosts}

    busiest = {name: host.server.most_in_flight for name, host in hosts.items()}
    assert max(busiest.values()) <= LIMITS.in_flight, busiest
    assert busiest["hangs"] == EngineSettings().max_reads
    for name in LOST:
        events = [entry.event for entry in told[name]]
        assert events.count(Event.SERVER_LOST) == events.count(Event.SERVER_BACK) == 1, name
    assert Event.SERVER_LOST not in [entry.event for entry in told["healthy"]]


@pytest.mark.parametrize(
    ("mood", "seconds"), [(_busy_for_a_second, 1.0), (_busy_until, 2.0)], ids=["seconds", "date"]
)
async def test_a_busy_server_is_left_alone_for_as_long_as_it_asked(
    home: Path, mood: Callable[[Request], bytes], seconds: float
) -> None:
    """Also where it answers what is under way, and where a person cannot wait."""
    host = Host()
    async with host.server:
        keys = save(home, host.url, *(f"t{number}" for number in range(_EACH)))
        async with engine(home) as supervisor:
            await until(lambda: all(view.live for view in supervisor.views()))
            said: list[float] = []

            def busy(request: Request) -> bytes:
                said.append(time.monotonic())
                return mood(request)

            host.mood = busy
            await until(lambda: line(supervisor, host).health is Health.LIMITED)
            told, host.mood = time.monotonic(), None
            supervisor.poll_now(keys)
            await until(lambda: line(supervisor, host).health is Health.OK)
            again = time.monotonic()
            await until(lambda: all(host.reads(f"t{n}", since=again - 0.2) for n in range(_EACH)))
    on_their_way = [at for at in host.reads(since=told) if at - max(said) < seconds - 0.1]
    assert len(on_their_way) < EngineSettings().max_reads, "of twelve that were to be read at once"


async def _spoil(hosts: Mapping[str, Host]) -> None:
    for name, mood in MOODS.items():
        hosts[name].mood = mood
    await hosts["refuses"].server.__aexit__()


async def _mend(hosts: Mapping[str, Host]) -> float:
    """Make all of them well; return since when."""
    for host in hosts.values():
        host.mood = None
    await hosts["refuses"].server.__aenter__()
    return time.monotonic()

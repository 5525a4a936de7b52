"""Started again on what is saved: no burst, and what a person held stays held."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mcp_tasks_tui.handles.model import Event
from mcp_tasks_tui.protocol.transport.connections import Limits
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.view import Coverage
from tests.program.engine import Host, Pace, engine, line, save, until


@pytest.mark.parametrize(
    ("many", "interval"), [(250, 2.5), pytest.param(500, 5.0, marks=pytest.mark.slow)]
)
async def test_hundreds_of_saved_tasks_are_read_one_after_the_other(
    home: Path, many: int, interval: float
) -> None:
    """With the real spacing: no faster than their interval allows when all of them run."""
    settings = EngineSettings(default_poll=interval)
    host = Host(int(interval * 1000))
    async with host.server:
        save(home, host.url, *(f"t{number}" for number in range(many)))
        began = time.monotonic()
        async with engine(home, settings=settings, limits=Limits()) as supervisor, Pace() as pace:
            assert len(supervisor.views()) == many
            await until(lambda: len(host.asked_for()) == many, seconds=40)
    first = [host.reads(f"t{number}")[0] for number in range(many)]
    arrivals = sorted(first)
    busiest = max(sum(at <= other < at + 1.0 for other in arrivals) for at in arrivals[::10])
    allowed = 2 * many / interval
    assert busiest < allowed * (1 + pace.lost(began, arrivals[-1])), "a busy machine catches up"
    assert arrivals[-1] - began > interval * 0.8
    assert host.server.most_in_flight <= 8
    assert host.server.connections <= 10


async def test_what_is_held_stays_held_and_the_rest_goes_on(home: Path) -> None:
    """One task of the first server, and the whole of the second."""
    one, other = Host(), Host()
    async with one.server, other.server:
        held, free = save(home, one.url, "held", "free")
        whole = save(home, other.url, "a", "b", "c")
        async with engine(home) as supervisor:
            await until(lambda: all(view.live for view in supervisor.views()))
            await supervisor.hold([held, *whole], True)
        before = {"held": one.reads("held"), "whole": other.reads()}
        async with engine(home) as supervisor:
            started = time.monotonic()
            await until(lambda: len(one.reads("free", since=started)) > 10)
            assert one.reads("held") == before["held"]
            assert other.reads() == before["whole"]
            shown = {view.key: view.coverage for view in supervisor.views()}
            assert shown == dict.fromkeys([held, *whole], Coverage.HELD) | {free: Coverage.POLLED}
            assert line(supervisor, other).held
            assert not line(supervisor, one).held
            supervisor.poll_now([held])
            await until(lambda: len(one.reads("held")) == len(before["held"]) + 1)
            await supervisor.hold([held, *whole], False)
            await until(lambda: all(view.live for view in supervisor.views()))
            await until(lambda: len(other.reads("c")) > 3)
            told = [entry.event for entry in await supervisor.journal(held)]
    assert [event for event in told if event in (Event.HELD, Event.RESUMED)] == [
        Event.HELD,
        Event.RESUMED,
    ]

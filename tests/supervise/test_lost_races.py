"""What we saw while another process saved first: none of it is lost, none is told twice."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.errors import DiskFull
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Event,
    Handle,
    Saved,
    Snapshot,
    State,
)
from mcp_tasks_tui.protocol.errors import RequestError, TimedOut
from mcp_tasks_tui.supervise.roster import Watched
from mcp_tasks_tui.supervise.server_line import ServerLine
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.writing import rebase
from tests.supervise.sim import no_such_task, one_server


@pytest.mark.parametrize("later", [TimedOut("total", 60.0), no_such_task()], ids=lambda e: e.kind)
async def test_an_end_outlasts_a_full_disk_a_failed_read_and_a_lost_race(
    later: RequestError,
) -> None:
    world, server = await one_server("t1", pollIntervalMs=60_000)
    async with world.supervisor(keys=()) as first:
        await first.refresh("k1")
        await world.clock.advance(2)
        store = world.store
        store.fault = DiskFull("no room")
        server.put("t1", status="completed", statusMessage="done", result={"n": 42})
        await first.refresh("k1")
        server.fault = later
        await first.refresh("k1")
        async with world.supervisor(poll=False) as second:
            await second.hold(["k1"], True)
        store.fault = None
        await world.clock.advance(60)
        view = first.view("k1")
        assert view is not None
        assert view.state is State.COMPLETED
        assert not view.snapshot.read.ok
    stored = world.disk.rows["k1"]
    assert (stored.snapshot.state, stored.snapshot.held) == (State.COMPLETED, True)
    assert stored.result == {"n": 42}
    assert world.journal("k1").count((Event.STATUS, "done")) == 1


def test_an_answer_that_was_just_acknowledged_is_not_taken_back_by_an_older_save() -> None:
    url = "http://one.test/mcp"
    intended = AnswerRecord("a", "h", AnswerState.INTENDED, "accept", 1.0)
    acknowledged = AnswerRecord("a", "h", AnswerState.ACKNOWLEDGED, "accept", 2.0)
    saved = Saved(Handle("k1", url, "t1", 0.0), Snapshot(), 2, {"a": intended})
    task = Watched(saved, ServerLine(url, url, EngineSettings(), {}), watched=True)
    task.answers, task.answering = {"a": acknowledged}, frozenset({"a"})
    rebase(task, saved, None)
    assert task.answers == {"a": acknowledged}
    task.answering = frozenset()
    rebase(task, saved, None)
    assert task.answers == {"a": intended}

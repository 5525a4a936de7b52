"""How a server stands, told by its failures and answers one after the other."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import Handle, Saved, Snapshot
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NotSent,
    RateLimited,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.roster import Watched
from mcp_tasks_tui.supervise.server_line import REFUSED_RETRY_CAP, ServerLine, judge
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from tests.supervise.sim import no_such_task

SETTINGS = EngineSettings()
AUTH = AuthFailed(401, "Unauthorized", hint=None, challenge=None)


def a_line(open_tasks: int = 5) -> ServerLine:
    return a_line_of(open_tasks)[0]


def a_line_of(open_tasks: int) -> tuple[ServerLine, dict[str, Watched]]:
    """Return a line that has answered, and its tasks."""
    tasks: dict[str, Watched] = {}
    line = ServerLine("http://one.test/mcp", "one", SETTINGS, tasks)
    for number in range(open_tasks):
        handle = Handle(f"k{number}", line.url, f"t{number}", 0.0)
        task = Watched(Saved(handle, Snapshot(status="working"), 1), line, watched=True)
        tasks[handle.key] = task
    line.answered(0.0, probe=True)
    return line, tasks


def fail(line: ServerLine, error: RequestError, at: float = 10.0, *, probe: bool = False) -> bool:
    return line.failed(error, at, at, 1.0, probe=probe)


@pytest.mark.parametrize(
    ("error", "health", "reads"),
    [
        (Unreachable("refused"), Health.DOWN, 1),
        (Unreachable("dns"), Health.DOWN, 1),
        (Unreachable("reset"), Health.DOWN, 2),
        (TimedOut("connect", 10), Health.DOWN, 1),
        (TimedOut("silence", 30), Health.DOWN, 2),
        (HttpError(500, "Internal Server Error"), Health.DOWN, 2),
        (RateLimited(429, "Slow", hint=None, retry_after=5), Health.LIMITED, 1),
        (RateLimited(503, "Away", hint=None, retry_after=5), Health.DOWN, 1),
        (AUTH, Health.AUTH, 1),
        (NotSent("${TOKEN} is not set"), Health.UNUSABLE, 2),
        (UnusableReply("HTML"), Health.BROKEN, 3),
        (RpcError(-32603, ServerText("oops"), None, 200), Health.BROKEN, 3),
        (UnsupportedVersion(-32022, ServerText("v"), None, 400, ("2025",)), Health.BROKEN, 1),
    ],
    ids=str,
)
def test_how_many_failures_in_a_row_it_takes(
    error: RequestError, health: Health, reads: int
) -> None:
    line = a_line()
    for _ in range(reads - 1):
        assert not fail(line, error)
    assert line.health is Health.OK
    assert fail(line, error)
    assert (line.health, line.paused) == (health, True)
    assert str(error) in line.text
    assert line.answered(20.0, probe=True)
    assert (line.view().health, line.view().text, line.view().retry_at) == (Health.OK, "", None)


def test_an_answer_between_failures_acquits_the_server() -> None:
    line = a_line()
    for _ in range(20):
        assert not fail(line, TimedOut("silence", 30))
        line.answered(10.0, probe=True)
    assert not line.paused


def test_a_not_found_is_a_proper_answer() -> None:
    assert judge(no_such_task()) is None


def test_reads_that_were_under_way_do_not_lengthen_the_pause() -> None:
    line = a_line()
    fail(line, Unreachable("refused"))
    first = line.probe_at
    for _ in range(7):
        assert not fail(line, Unreachable("refused"), at=10.5)
    assert line.probe_at == first


def test_probes_come_ever_more_rarely_and_at_least_once_a_minute() -> None:
    line = a_line()
    waits = []
    at = 0.0
    for _ in range(10):
        fail(line, Unreachable("refused"), at=at, probe=True)
        assert line.probe_at is not None
        waits.append(line.probe_at - at)
        at = line.probe_at
    assert waits == sorted(waits)
    assert waits[0] <= SETTINGS.backoff_base
    assert waits[-1] == SETTINGS.backoff_cap


def test_refused_credentials_are_tried_rarely() -> None:
    line = a_line()
    waits = []
    for _ in range(8):
        fail(line, AUTH, at=0.0, probe=True)
        assert line.probe_at is not None
        waits.append(line.probe_at)
    assert waits[0] >= 60
    assert waits[-1] == REFUSED_RETRY_CAP
    line.retry(3.0)
    assert line.probe_at == 3.0


@pytest.mark.parametrize("status", [429, 503])
def test_a_person_cannot_hurry_a_server_that_told_us_to_wait(status: int) -> None:
    line = a_line()
    fail(line, RateLimited(status, "Slow", hint=None, retry_after=90), at=0.0)
    line.probe_no_later_than(1.0)
    assert line.probe_at is not None
    assert line.probe_at >= 90


def test_what_was_under_way_does_not_end_a_wait_that_the_server_asked_for() -> None:
    line = a_line()
    fail(line, RateLimited(429, "Slow", hint=None, retry_after=90))
    assert not line.answered(11.0, probe=False)
    assert (line.health, line.paused) == (Health.LIMITED, True)
    assert line.answered(100.0, probe=True)
    fail(line, Unreachable("refused"), at=110.0)
    assert line.answered(111.0, probe=False)


def test_lost_and_back_are_told_once_each_and_a_blip_not_at_all() -> None:
    line = a_line()
    fail(line, Unreachable("refused"))
    assert line.moment() is None
    line.answered(11.0, probe=True)
    assert line.moment() is None
    fail(line, Unreachable("refused"))
    fail(line, Unreachable("refused"), at=20.0, probe=True)
    assert line.moment() == "lost"
    fail(line, Unreachable("refused"), at=40.0, probe=True)
    assert line.moment() is None
    line.answered(60.0, probe=True)
    assert line.moment() == "back"
    assert line.moment() is None


def test_a_few_vanished_tasks_among_good_reads_are_their_own_matter() -> None:
    line = a_line()
    for number in range(5):
        assert not line.vanished(f"k{number}", 10.0)
        line.knows(10.0)
    assert line.health is Health.OK


def test_all_tasks_vanishing_is_the_servers_matter() -> None:
    line = a_line()
    assert [line.vanished(f"k{number}", 10.0) for number in range(5)] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert line.health is Health.FORGOT
    assert not line.answered(11.0, probe=True)
    assert line.health is Health.FORGOT
    assert line.knows(12.0)
    assert line.view().health is Health.OK


def test_the_only_two_tasks_vanishing_is_enough() -> None:
    line = a_line(open_tasks=2)
    assert not line.vanished("k0", 10.0)
    assert line.vanished("k1", 10.0)


def test_one_task_vanishing_is_no_servers_matter() -> None:
    line = a_line(open_tasks=1)
    assert not any(line.vanished("k0", float(at)) for at in range(9))


def test_a_server_line_counts_its_tasks() -> None:
    line, tasks = a_line_of(5)
    tasks["k0"].wish(held=True)
    line.recount()
    assert (line.view().tasks, line.view().open_tasks, line.view().held) == (5, 5, False)
    for one in tasks.values():
        one.wish(held=True)
    line.recount()
    assert line.view().held


def test_its_tasks_are_told_only_what_they_show() -> None:
    line = a_line()
    assert not line.tells_tasks()  # that it answers is no news to them
    fail(line, Unreachable("refused"))
    assert line.tells_tasks()
    assert not line.tells_tasks()
    fail(line, Unreachable("refused"), at=20.0, probe=True)
    assert line.tells_tasks()  # the next try is at another time
    line.answered(30.0, probe=True)
    assert line.tells_tasks()


def test_tasks_that_were_asked_nothing_share_that() -> None:
    _, tasks = a_line_of(2)
    one, other = tasks.values()
    assert one.trace is other.trace
    assert one.answering is other.answering is one.answered_keys()

"""How a server stands, told by its failures and answers one after the other."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.handles.model import Handle, Saved, Snapshot
from mcp_tasks_tui.protocol.errors import (
    AuthFailed,
    HttpError,
    NotSent,
    RateLimited,
    ReplyTooLarge,
    RequestError,
    RpcError,
    TimedOut,
    Unreachable,
    UnsupportedVersion,
    UnusableReply,
)
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.roster import Watched
from mcp_tasks_tui.supervise.server_line import REFUSED_RETRY_CAP, ServerLine
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.settings import EngineSettings
from mcp_tasks_tui.supervise.verdict import judge
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
    answer(line, 0.0)
    return line, tasks


def fail(
    line: ServerLine,
    error: RequestError,
    at: float = 10.0,
    *,
    key: str = "k0",
    probe: bool = False,
) -> bool:
    return line.failed(key, error, at, at, 1.0, probe=probe)


def answer(line: ServerLine, at: float, *, key: str = "k4", probe: bool = True) -> bool:
    return line.answered(key, at, probe=probe)


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
        (AUTH, Health.AUTH, 2),
        (NotSent("${TOKEN} is not set"), Health.UNUSABLE, 2),
        (UnusableReply("HTML"), Health.BROKEN, 3),
        (RpcError(-32603, ServerText("oops"), None, 200), Health.BROKEN, 3),
        (UnsupportedVersion(-32022, ServerText("v"), None, 400, ("2025",)), Health.BROKEN, 2),
    ],
    ids=str,
)
def test_how_many_failures_in_a_row_it_takes(
    error: RequestError, health: Health, reads: int
) -> None:
    line = a_line()
    for number in range(reads - 1):
        assert not fail(line, error, key=f"k{number}")
    assert line.health is Health.OK
    assert fail(line, error, key=f"k{reads - 1}")
    assert (line.health, line.paused) == (health, True)
    assert str(error) in line.text
    assert answer(line, 20.0)
    assert (line.view().health, line.view().text, line.view().retry_at) == (Health.OK, "", None)


def test_an_answer_between_failures_acquits_the_server() -> None:
    line = a_line()
    for _ in range(20):
        assert not fail(line, TimedOut("silence", 30))
        answer(line, 10.0)
    assert not line.paused


#: What a server may answer about one task, and about no other.
ABOUT_ONE = (
    AUTH,
    AuthFailed(403, "Forbidden", hint=None, challenge=None),
    HttpError(500, "Internal Server Error"),
    TimedOut("total", 60),
    RpcError(-32603, ServerText("oops"), None, 200),
    UnsupportedVersion(-32022, ServerText("v"), None, 400, ("2025",)),
    UnusableReply("HTML"),
)


@pytest.mark.parametrize("error", ABOUT_ONE, ids=str)
def test_one_task_that_fails_beside_others_is_no_servers_fault(error: RequestError) -> None:
    line = a_line(open_tasks=3)
    for at in range(10, 2000, 10):
        assert not fail(line, error, float(at), key="k0")
        if at % 250 == 0:
            assert not answer(line, at + 1.0, key="k1", probe=False)
    assert (line.health, line.paused, line.fails_alone("k0")) == (Health.OK, False, True)
    answer(line, 2000.0, key="k0", probe=False)
    assert not line.fails_alone("k0")


@pytest.mark.parametrize("error", ABOUT_ONE, ids=str)
def test_tasks_that_fail_in_a_row_are_the_servers_fault(error: RequestError) -> None:
    line = a_line(open_tasks=250)
    reads = 0
    while not fail(line, error, key=f"k{reads}"):
        reads += 1
    assert line.paused
    assert reads <= 2


@pytest.mark.parametrize("error", ABOUT_ONE, ids=str)
def test_the_only_task_speaks_for_the_server_where_http_fails(error: RequestError) -> None:
    line = a_line(open_tasks=1)
    failed = [fail(line, error, float(at)) for at in range(10)]
    about_the_reply = isinstance(error, UnusableReply | RpcError) and not isinstance(
        error, UnsupportedVersion
    )
    assert any(failed) is not about_the_reply


def test_a_task_that_failed_alone_does_not_pause_its_server_a_second_time() -> None:
    """Two that fail one after the other are taken for the server, once."""
    line = a_line(open_tasks=5)
    assert [fail(line, AUTH, key=key) for key in ("k0", "k1")] == [False, True]
    fail(line, AUTH, 100.0, key="k0", probe=True)
    assert line.view().health is Health.AUTH
    assert answer(line, 200.0, key="k2")
    assert not any(fail(line, AUTH, 300.0, key=key) for key in ("k0", "k1", "k0"))
    assert line.view().health is Health.OK


def test_all_tasks_that_fail_are_the_servers_fault_though_each_had_failed_alone() -> None:
    line = a_line(open_tasks=3)
    for key in ("k0", "k1"):
        fail(line, AUTH, key=key)
        answer(line, 11.0, key="k2")
    assert fail(line, AUTH, 20.0, key="k2")
    assert line.health is Health.AUTH


def test_a_task_that_fails_for_long_speaks_for_those_that_were_not_read_lately() -> None:
    line = a_line(open_tasks=2)
    failed = [fail(line, AUTH, float(at), key="k0") for at in (200, 250, 290, 310)]
    assert failed == [False, False, False, True]


def test_a_clock_that_is_set_back_does_not_make_a_good_read_last() -> None:
    line = a_line(open_tasks=2)
    answer(line, 9000.0, key="k1", probe=False)
    failed = [fail(line, AUTH, float(at), key="k0") for at in (5000, 5100, 5200)]
    assert failed == [False, False, True]


def test_a_reply_that_is_too_large_says_nothing_of_its_server() -> None:
    line = a_line(open_tasks=2)
    assert not any(fail(line, ReplyTooLarge(2**25), key=key) for key in ("k0", "k1") * 5)


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
    fail(line, AUTH, at=10.0, key="k1")
    for _ in range(8):
        fail(line, AUTH, at=10.0, probe=True)
        assert line.probe_at is not None
        waits.append(line.probe_at - 10.0)
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
    assert not answer(line, 11.0, probe=False)
    assert (line.health, line.paused) == (Health.LIMITED, True)
    assert answer(line, 100.0)
    fail(line, Unreachable("refused"), at=110.0)
    assert answer(line, 111.0, probe=False)


def test_lost_and_back_are_told_once_each_and_a_blip_not_at_all() -> None:
    line = a_line()
    fail(line, Unreachable("refused"))
    assert line.moment() is None
    answer(line, 11.0)
    assert line.moment() is None
    fail(line, Unreachable("refused"))
    fail(line, Unreachable("refused"), at=20.0, probe=True)
    assert line.moment() == "lost"
    fail(line, Unreachable("refused"), at=40.0, probe=True)
    assert line.moment() is None
    answer(line, 60.0)
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
    assert not answer(line, 11.0)
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
    answer(line, 30.0)
    assert line.tells_tasks()


def test_tasks_that_were_asked_nothing_share_that() -> None:
    _, tasks = a_line_of(2)
    one, other = tasks.values()
    assert one.trace is other.trace
    assert one.answering is other.answering is one.answered_keys()


def test_a_refusal_after_an_outage_is_tried_again_after_one_minute() -> None:
    line = a_line()
    at = 10.0
    for _ in range(8):
        fail(line, Unreachable("refused"), at, probe=True)
        at += 60
    fail(line, AUTH, at, probe=True)
    assert (line.health, line.probe_at) == (Health.AUTH, at + 60)
    fail(line, AUTH, at + 60, probe=True)
    assert line.probe_at == at + 180  # and then ever later
    fail(line, Unreachable("refused"), at + 180, probe=True)
    assert line.probe_at == at + 180 + SETTINGS.backoff_base


def test_a_probe_of_a_task_that_fails_alone_does_not_make_an_outage_a_refusal() -> None:
    line = a_line()
    fail(line, AUTH, 1.0, key="k0")
    answer(line, 2.0, probe=False)
    fail(line, Unreachable("refused"), 10.0, key="k1")
    fail(line, AUTH, 11.0, key="k0", probe=True)
    assert line.health is Health.DOWN
    assert line.probe_at == 11 + 2 * SETTINGS.backoff_base


@pytest.mark.parametrize("error", ABOUT_ONE, ids=str)
def test_neighbours_that_never_were_read_well_do_not_condemn_a_server_that_just_answered(
    error: RequestError,
) -> None:
    line = a_line(open_tasks=8)
    answer(line, 9.8, key="k3", probe=False)
    assert not any(fail(line, error, 10.0 + n / 5, key=f"k{n % 2}") for n in range(6))
    answer(line, 12.0, key="k4", probe=False)
    assert line.health is Health.OK
    assert line.fails_alone("k0")
    assert line.fails_alone("k1")


def test_a_task_that_was_read_well_and_fails_convicts_its_server() -> None:
    line = a_line(open_tasks=8)
    answer(line, 9.8, key="k3", probe=False)
    assert [fail(line, AUTH, key=key) for key in ("k0", "k1", "k3")] == [False, False, True]


def test_very_many_that_fail_in_a_row_outweigh_a_good_read() -> None:
    line = a_line(open_tasks=250)
    answer(line, 9.99, key="k249", probe=False)
    failed = [fail(line, AUTH, key=f"k{number}") for number in range(10, 20)]
    assert failed == [False] * 9 + [True]


def test_the_probe_takes_what_was_read_well_last_and_what_failed_comes_last() -> None:
    line = a_line(open_tasks=8)
    fail(line, AUTH, 1.0, key="k0")
    for number in (3, 2):
        answer(line, 9.0 - number, key=f"k{number}", probe=False)
    fail(line, AUTH, key="k1")
    order = sorted((f"k{number}" for number in range(5)), key=line.probe_order)
    assert order == ["k2", "k3", "k4", *("k1", "k0")]
    assert fail(line, AUTH, key="k2")
    assert sorted(("k2", "k3"), key=line.probe_order) == ["k3", "k2"]

"""`wait` on several servers, some of which never answer: it ends, and says why."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator

import pytest

from mcp_tasks_tui.cli import standing, waiting
from tests.commandline import Cli
from tests.program.recorder import Recorder

#: Nobody listens on the port for discarding.
NOWHERE = "http://127.0.0.1:9/mcp"
_REFUSED = b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n"


#: However busy the machine is: no test is about how long it takes.
PATIENT = ("--timeout", "120")


@pytest.fixture
def server() -> Iterator[Recorder]:
    with Recorder() as recorder:
        yield recorder


def refuse(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
    write(_REFUSED)


def greet_as_ssh(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
    write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


def saved(cli: Cli, url: str, *task_ids: str) -> list[str]:
    text = json.dumps([{"serverUrl": url, "taskId": task_id} for task_id in task_ids])
    return cli("import", stdin=text).lines


def test_a_server_that_refuses_us_ends_the_wait_for_all_its_tasks(
    cli: Cli, server: Recorder
) -> None:
    server.on_reply = refuse
    keys = saved(cli, server.url, *(f"t{number}" for number in range(30)))
    outcome = cli("wait", *keys, *PATIENT)
    assert outcome.code == 6
    assert "(30 tasks not read)" in outcome.err
    assert "401" in outcome.err
    assert server.sent("tasks/get") < 30, "one probe stands for all"


def test_a_server_that_stays_away_ends_the_wait_for_all_its_tasks(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "PATIENCE", 1.0)
    keys = saved(cli, NOWHERE, *(f"t{number}" for number in range(10)))
    outcome = cli("wait", *keys)
    assert outcome.code == 6
    told, last = outcome.err.splitlines()
    assert "127.0.0.1:9: connection refused" in told
    assert "keeps trying" in told
    assert last.endswith("(10 tasks not read)")


def away_for(server: Recorder, reads: int, status: str, task_id: str = "t1") -> None:
    """Have so many reads fail, and the first one after that be the last before the end."""
    whole = server.on_reply
    first = server.sent("tasks/get")

    def last(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        server.tasks[task_id] |= {"status": "completed", "result": {"content": []}}
        server.on_reply = whole
        write(answer)

    def starting(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        if server.sent("tasks/get") - first == reads:
            server.on_reply = last
        write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())

    server.on_reply = starting


def test_a_server_that_is_away_is_waited_for_though_nobody_set_a_limit(
    cli: Cli, server: Recorder
) -> None:
    server.add("t1")
    (key,) = saved(cli, server.url, "t1")
    away_for(server, 3, "502 Bad Gateway")
    outcome = cli("wait", key)
    assert outcome.code == 0, outcome.err
    assert outcome.lines == [f"{key}  working", f"{key}  completed"]
    assert outcome.err.count("keeps trying, and gives up when it was away for 10 m") == 1
    assert outcome.err.splitlines()[-1].endswith("answers again")


def test_where_no_mcp_server_ever_was_is_soon_given_up(cli: Cli, server: Recorder) -> None:
    server.add("t1")
    (key,) = saved(cli, server.url, "t1")
    away_for(server, 3, "404 Not Found")
    assert cli("wait", key).code == 6
    assert cli("show", key, "--refresh").code == 0
    server.add("t1")
    away_for(server, 3, "404 Not Found")
    assert cli("wait", key).code == 0, "a gateway says so while the server starts"


def test_where_something_else_answers_is_soon_given_up(
    cli: Cli, server: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "_USELESS_ANSWERS", 1)
    server.on_reply = greet_as_ssh
    outcome = cli("wait", *saved(cli, server.url, "t1", "t2"), *PATIENT)
    assert outcome.code == 6
    assert outcome.err.endswith("what answers there does not speak HTTP (2 tasks not read)\n")


def test_that_a_task_was_gone_is_not_believed_of_a_server_that_is_away(
    cli: Cli, server: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "PATIENCE", 1.0)
    (key,) = saved(cli, server.url, "never-there")
    assert cli("wait", key).code == 5
    away_for(server, 1000, "502 Bad Gateway")
    assert cli("wait", key).code == 6


def test_what_was_saved_before_is_no_change(cli: Cli, server: Recorder) -> None:
    server.add("t1", statusMessage="old news")
    (key,) = saved(cli, server.url, "t1")
    assert cli("show", key, "--refresh").code == 0
    server.add("t1", "completed", result={"content": []})
    outcome = cli("wait", key, "--json")
    assert [json.loads(line)["state"] for line in outcome.lines] == ["completed"]
    again = cli("wait", key)
    assert again.lines == [f"{key}  completed"], "how it ended is told though nothing is read"


def test_a_time_is_told_as_it_was_typed(
    cli: Cli, server: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left(_: waiting.Limit) -> float:
        return 0.05 if server.sent("tools/call") else 60.0

    monkeypatch.setattr(waiting.Limit, "left", left)
    waited = cli("call", server.url, "build", "--wait", "--timeout", "0.7")
    assert waited.code == 124
    assert "not finished after 0.7 s" in waited.err


def test_a_refusal_of_yesterday_is_not_believed(cli: Cli, server: Recorder) -> None:
    (key,) = saved(cli, server.url, "t1")
    answer, server.on_reply = server.on_reply, refuse
    assert cli("show", key, "--refresh").code == 6
    server.on_reply = answer
    server.add("t1", "completed", result={"content": []})
    assert cli("wait", key, *PATIENT).code == 0


def test_several_servers_are_waited_for_side_by_side(cli: Cli, server: Recorder) -> None:
    with Recorder() as other:
        server.add("t1", "completed", result={"content": []})
        other.add("t1", "cancelled")
        good, stopped = saved(cli, server.url, "t1") + saved(cli, other.url, "t1")
        outcome = cli("wait", good, stopped, "--json", *PATIENT)
    assert outcome.code == 3
    last = {one["key"]: one["state"] for one in map(json.loads, outcome.lines)}
    assert last == {good: "completed", stopped: "cancelled"}


def test_one_is_enough_with_any_though_another_server_is_away(cli: Cli, server: Recorder) -> None:
    server.silent.add("tasks/get")
    with Recorder() as other:
        other.add("t1", "completed", result={"content": []})
        (hanging,), (good,) = saved(cli, server.url, "t1"), saved(cli, other.url, "t1")
        outcome = cli("wait", hanging, good, "--any", *PATIENT)
    assert outcome.code == 0, outcome.err


def test_an_outage_is_waited_through(cli: Cli, server: Recorder) -> None:
    """A server that was reached once is not given up."""
    (key,) = saved(cli, server.url, "t1")
    server.add("t1", statusMessage="half of it")
    whole = server.on_reply

    def fail_once(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        server.tasks["t1"] |= {"status": "completed", "result": {"content": []}}
        server.on_reply = whole
        write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")

    def break_down() -> None:
        server.wait_for("tasks/get", 2)
        server.on_reply = fail_once

    story = threading.Thread(target=break_down)
    story.start()
    outcome = cli("wait", key, *PATIENT)
    story.join()
    assert outcome.code == 0, outcome.err
    assert "502" in outcome.err


def test_wait_says_each_thing_once(cli: Cli, server: Recorder) -> None:
    """A read of a task that still stands as it did, or that fails again, is no news."""
    server.add("t1", statusMessage="half of it")
    (key,) = saved(cli, server.url, "t1")

    def end_after_some(method: str, write: Callable[[bytes], object], answer: bytes) -> None:
        if server.sent("tasks/get") >= 4:
            server.tasks["t1"] |= {"status": "completed", "result": {"content": []}}
        write(answer)

    whole, server.on_reply = server.on_reply, end_after_some
    outcome = cli("wait", key, *PATIENT)
    assert outcome.out == f"{key}  working  half of it\n{key}  completed  half of it\n"
    assert server.sent("tasks/get") > 4

    server.on_reply = whole
    server.add("t2", statusMessage="half of it")
    (other,) = saved(cli, server.url, "t2")
    away_for(server, 3, "502 Bad Gateway", "t2")
    outcome = cli("wait", other, *PATIENT)
    assert outcome.code == 0
    said = outcome.err.splitlines()
    assert "502" in outcome.err
    assert sorted(set(said)) == sorted(said)


def test_what_was_said_before_the_end_is_not_said_of_the_end(cli: Cli, server: Recorder) -> None:
    (key,) = saved(cli, server.url, "t1")
    server.add("t1", statusMessage="step 1 of 5")
    assert cli("show", key, "--refresh").code == 0
    server.add("t1", "completed", result={"content": []})
    outcome = cli("wait", key, *PATIENT)
    assert outcome.lines[-1] == f"{key}  completed"
    assert outcome.code == 0


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("add {url} t2", "saved as {new}; waiting for the answer of "),
        ("show t1 --refresh", "{key}: waiting for the answer of its server"),
        ("result t1", "{key}: waiting for the answer of its server"),
        ("tools {url}", "waiting for the answer of 127.0.0.1:"),
    ],
)
def test_a_command_that_waits_for_a_server_says_so(
    cli: Cli, server: Recorder, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    monkeypatch.setattr(waiting, "MOMENT", 0.0)
    server.add("t1", "working")
    server.add("t2", "working")
    (key,) = saved(cli, server.url, "t1")
    outcome = cli(*command.format(url=server.url).split())
    new = outcome.lines[0] if command.startswith("add") else ""
    assert outcome.err.startswith(told.format(key=key, new=new))


def test_a_command_that_is_answered_at_once_says_nothing(cli: Cli, server: Recorder) -> None:
    server.add("t1", "working")
    assert cli("add", server.url, "t1").err == ""

"""A server that is not ours, from the command line: each way a task can go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commandline import Cli
from tests.program.running import QUICK, environment, on_terminal
from tests.quick import make_quick

pytestmark = pytest.mark.peer

FORM_ANSWER = {
    "name": "v2-1",
    "email": "ops@example.com",
    "due": "2026-12-24",
    "replicas": 4,
    "ratio": 0.25,
    "notify": False,
    "target": "production",
    "size": "m",
    "regions": ["eu", "us"],
    "extras": ["logs"],
}


@pytest.fixture
def server(peer: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    make_quick(monkeypatch)
    assert cli("servers", "add", "peer", peer).code == 0
    return "peer"


#: However busy the machine is: no test is about how long it takes.
PATIENT = ("--timeout", "120")


def called(cli: Cli, server: str, tool: str, *more: str) -> str:
    outcome = cli("call", server, tool, *more)
    assert outcome.code == 0, outcome.err
    return outcome.lines[0]


def test_a_build_is_watched_to_its_result(cli: Cli, server: str) -> None:
    key = called(cli, server, "slow_build", "--arg", "seconds=1.2", "--arg", "steps=6")
    waited = cli("wait", key, "--json", *PATIENT)
    assert waited.code == 0, waited.err
    changes = [json.loads(line) for line in waited.lines]
    assert any("building" in (change["statusMessage"] or "") for change in changes)
    assert changes[-1]["state"] == "completed"
    assert changes[-1]["lastMessage"], "the last message outlives the work"
    result = cli("result", key, "--json")
    assert result.json["structuredContent"]["artifact"] == "build-1.tar.gz"


def test_a_form_is_answered(cli: Cli, server: str) -> None:
    key = called(cli, server, "ask_form")
    assert cli("wait", key, *PATIENT).code == 4
    refused = cli("update", key, "--accept", json.dumps({**FORM_ANSWER, "replicas": 10}))
    assert refused.code == 2
    assert "replicas" in refused.err
    answered = cli("update", key, "--accept", json.dumps(FORM_ANSWER))
    assert answered.code == 0, answered.err
    assert cli("wait", key, *PATIENT).code == 0
    text = cli("result", key).out
    assert "form accepted" in text
    assert "production" in text


def test_two_questions_are_answered_one_after_the_other(cli: Cli, server: str) -> None:
    key = called(cli, server, "ask_two")
    assert cli("wait", key, *PATIENT).code == 4
    asked = cli("update", key, "--form").json["requests"]
    answers = {"colour": {"colour": "green"}, "count": {"count": 5}}
    for number, request in enumerate(asked, 1):
        (field,) = request["schema"]["properties"]
        still_open = len(asked) - number + 1
        reference = request["request"] if still_open > 1 else "."
        done = cli("update", key, "--accept", f"{reference}={json.dumps(answers[field])}")
        assert done.code == 0, done.err
    assert cli("wait", key, *PATIENT).code == 0
    text = cli("result", key).out
    assert "green" in text
    assert "5" in text


def test_a_chain_of_questions(cli: Cli, server: str) -> None:
    key = called(cli, server, "ask_chain", "--arg", "rounds=2")
    for word in ("to", "be"):
        assert cli("wait", key, *PATIENT).code == 4
        done = cli("update", key, "--accept", json.dumps({"word": word}))
        assert done.code == 0, done.err
    assert cli("wait", key, *PATIENT).code == 0
    assert cli("result", key).out.strip() == "chain: to be"


def test_a_page_to_open_is_accepted_without_content(cli: Cli, server: str) -> None:
    key = called(cli, server, "ask_url")
    assert cli("wait", key, *PATIENT).code == 4
    (request,) = cli("update", key, "--form").json["requests"]
    assert (request["mode"], request["url"]) == ("url", "https://example.com/connect?state=abc")
    assert cli("update", key, "--accept", '{"a": 1}').code == 2, "there is nothing to fill in"
    assert cli("update", key, "--accept", "{}").code == 0
    assert cli("wait", key, *PATIENT).code == 0
    assert cli("result", key).out.strip() == "url accept"


def test_what_cannot_be_answered_here_is_shown_and_left_alone(cli: Cli, server: str) -> None:
    key = called(cli, server, "ask_sampling")
    assert cli("wait", key, *PATIENT).code == 4
    (request,) = cli("update", key, "--form").json["requests"]
    assert request["mode"] == "other"
    assert request["raw"]["method"] == "sampling/createMessage"
    refused = cli("update", key, "--accept", "{}")
    assert refused.code == 2
    assert "cannot be answered here" in refused.err
    assert cli("show", key, "--json").json["answeredKeys"] == []
    assert cli("cancel", key).code == 0
    assert cli("wait", key, *PATIENT).code == 3


def test_an_endless_task_is_cancelled(cli: Cli, server: str) -> None:
    key = called(cli, server, "never_ends")
    while not cli("show", key, "--refresh", "--json").json["lastMessage"]:
        pass
    assert cli("wait", key, "--timeout", "0.2").code == 124
    assert cli("cancel", key).code == 0
    assert cli("wait", key, *PATIENT).code == 3
    assert cli("show", key, "--json").json["lastMessage"].startswith("still at it")


def test_a_tool_error_and_a_protocol_failure(cli: Cli, server: str) -> None:
    tool = called(cli, server, "fails_tool")
    protocol = called(cli, server, "fails_protocol")
    assert cli("wait", tool, protocol, *PATIENT).code == 1
    states = {one["key"]: one for one in cli("list", "--json").json}
    assert states[tool]["state"] == "tool_error"
    assert states[protocol]["state"] == "failed"
    assert states[protocol]["error"]["message"] == "upstream rate limit exceeded"
    assert "the build broke: 3 tests failed" in cli("result", tool).out


def test_an_argument_travels_in_a_header(cli: Cli, server: str) -> None:
    key = called(cli, server, "region_build", "--arg", "region=eu-nörth")
    assert cli("wait", key, *PATIENT).code == 0
    assert "eu-nörth" in cli("result", key).out


def test_hostile_text_reaches_no_terminal_raw(
    cli: Cli,
    server: str,
    neutral_environment: Path,
) -> None:
    key = called(cli, server, "hostile_text", "--arg", "seconds=0.5")
    env = environment(neutral_environment)
    for command in (["wait", key], ["list"], ["show", key, "--journal"], ["result", key]):
        with on_terminal([*QUICK, *command], env) as terminal:
            terminal.wait_exit()
            assert terminal.output
            for raw in (b"\x1b[2J", b"\x1b[31m", b"\x1b]0;", b"\x07", b"\x00", b"\xc2\x9b"):
                assert raw not in terminal.output, (command, raw)
            assert "\u202e" not in terminal.text()

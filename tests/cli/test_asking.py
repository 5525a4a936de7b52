"""A tool that asks before it starts: what a person is told, and what a program gets."""

from __future__ import annotations

import errno
import json
import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.asking import questions
from tests.cli.scripted import Scripted
from tests.commandline import Cli


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as scripted:
        yield scripted


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)


def test_a_person_is_told_the_questions_and_the_command_that_answers_them(
    cli: Cli, server: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch)
    asked = cli("call", server.url, "asks-first", "--label", "nightly")
    assert asked.code == 4
    assert asked.lines[0].startswith("1  ")
    assert "   Deploy to production?" in asked.lines
    assert "requestState" not in asked.out
    command = asked.err.split("answer with: mcp-tasks-tui ")[1]
    (kept,) = neutral_environment.rglob("asked-*.json")
    words = shlex.split(command)
    assert words[:4] == ["call", "--resume", str(kept), "--answer"]
    assert kept.stat().st_mode & 0o777 == 0o600
    key = next(iter(json.loads(kept.read_text())["inputRequests"]))
    assert words[4].startswith(f"{key}={{")
    copy = neutral_environment.parent / "asked-mine.json"
    copy.write_bytes(kept.read_bytes())
    assert cli(*words[:4], '{"confirm": 1}').code == 2
    assert kept.exists(), "nothing was sent"
    answered = cli(*words[:4], '{"confirm": true, "reason": "x"}')
    assert (answered.code, answered.out) == (0, "all is built\n"), answered.err
    assert not kept.exists(), "what it was asked is answered"
    cli("call", "--resume", str(copy), "--answer", '{"confirm": true, "reason": "x"}')
    assert copy.exists(), "a file of somebody else's"


def test_what_a_call_was_kept_in_goes_by_another_way_to_its_folder_too(
    cli: Cli, server: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch)
    cli("call", server.url, "asks-first")
    (kept,) = neutral_environment.rglob("asked-*.json")
    monkeypatch.chdir(kept.parent)
    answered = cli("call", "--resume", kept.name, "--answer", '{"confirm": true, "reason": "x"}')
    assert answered.code == 0
    assert not kept.exists()


def test_what_is_asked_next_is_kept_before_what_was_asked_goes(
    cli: Cli, server: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch)
    cli("call", server.url, "asks-twice")
    (first,) = neutral_environment.rglob("asked-*.json")
    a_week_ago = time.time() - 8 * 86_400
    os.utime(first, (a_week_ago, a_week_ago))
    answer = ("--answer", '{"confirm": true, "reason": "x"}')

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr("mcp_tasks_tui.files.replace", full)
        asked = cli("call", "--resume", str(first), *answer)
    assert asked.code not in (0, 4)
    assert "No space left on device" in asked.err
    assert first.exists(), "there is nothing else to go on from"
    assert asked.json["requestState"] == "state-2"

    assert cli("call", "--resume", str(first), *answer).code == 4
    (second,) = neutral_environment.rglob("asked-*.json")
    assert second != first
    ended = cli("call", "--resume", str(second), *answer)
    assert (ended.code, ended.out) == (0, "all is built\n"), ended.err


def test_what_nobody_answered_within_a_week_is_not_kept(
    cli: Cli, server: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch)
    for _ in range(2):
        cli("call", server.url, "asks-first")
    old, young = neutral_environment.rglob("asked-*.json")
    others = old.with_name("asked-me-anything.json")
    others.touch()
    for path, days in ((old, 8), (young, 6), (others, 8)):
        then = time.time() - days * 86_400
        os.utime(path, (then, then))
    assert cli("call", server.url, "inline").code == 0
    assert [path.exists() for path in (old, young, others)] == [False, True, True]


def test_with_json_a_terminal_gets_what_a_pipe_gets(
    cli: Cli, server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_a_terminal(monkeypatch)
    asked = cli("call", server.url, "asks-first", "--json")
    assert asked.json["requestState"] == "state-1"
    assert "call --resume FILE --answer REQUEST=JSON" in asked.err


def test_questions_are_clean_and_tell_their_fields() -> None:
    schema = {
        "type": "object",
        "properties": {
            "region": {"type": "string", "enum": ["eu", "us"], "description": "Where\x1b[2J to"},
            "count": {"type": "integer"},
        },
        "required": ["region"],
    }
    form = {"mode": "form", "message": "Which\nregion?\x1b[31m", "requestedSchema": schema}
    url = {"mode": "url", "message": "Sign in", "url": "https://a.test/", "elicitationId": "1"}
    requests = {
        "where\x1b": {"method": "elicitation/create", "params": form},
        "who": {"method": "elicitation/create", "params": url},
    }
    lines = list(questions(requests))
    assert not any("\x1b" in line for line in lines)
    assert "   region?^[[31m" in lines
    assert '   - region (one of "eu", "us", needed): Where^[[2J to' in lines
    assert "   - count (integer)" in lines
    assert "   to open: https://a.test/" in lines
    many = {f"q{number}": requests["who"] for number in range(500)}
    assert list(questions(many))[-1] == "and 480 more"

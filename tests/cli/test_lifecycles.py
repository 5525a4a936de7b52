"""What scripts do with tasks, against the demo server: call, wait, answer, cancel, result."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_tasks_tui.handles.model import SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.places import find_paths
from tests.commandline import Cli

#: However busy the machine is: no test is about how long it takes.
PATIENT = ("--timeout", "120")


def called(cli: Cli, server: str, tool: str, *more: str) -> str:
    """Call a tool that becomes a task; return the key that was printed."""
    outcome = cli("call", server, tool, *more)
    assert outcome.code == 0, outcome.err
    (key,) = outcome.lines
    return key


def asked(cli: Cli, key: str) -> None:
    """Wait until the task asks for input."""
    outcome = cli("wait", key, *PATIENT)
    assert outcome.code == 4, outcome.err


def test_call_wait_result(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "build_image", "--arg", "service=checkout", "--label", "nightly")
    waited = cli("wait", key, "--json", *PATIENT)
    assert waited.code == 0
    changes = [json.loads(line) for line in waited.lines]
    assert {change["key"] for change in changes} == {key}
    assert changes[-1]["state"] == "completed"
    assert any(change["progress"] for change in changes), "no progress was seen on the way"
    result = cli("result", key)
    assert result.code == 0
    assert "checkout" in result.out
    raw = cli("result", key, "--json").json
    assert raw["isError"] is False


def test_call_and_wait_prints_the_result_alone(cli: Cli, demo: str) -> None:
    outcome = cli("call", demo, "build_image", "--arg", "service=api", "--wait", *PATIENT)
    assert outcome.code == 0
    assert "saved as" in outcome.err
    assert "%" not in outcome.err, "no progress line in a pipe"
    key = cli("list", "-q").lines[0]
    assert outcome.out == cli("result", key).out


def test_a_plain_result_is_printed_and_nothing_is_saved(cli: Cli, demo: str) -> None:
    outcome = cli("call", demo, "lint_project")
    assert outcome.code == 0
    assert outcome.out.strip()
    assert cli("list", "-q").out == ""


def test_a_tool_error_is_an_outcome_of_its_own(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "run_tests", "--arg", "suite=integration")
    assert cli("wait", key, *PATIENT).code == 1
    assert cli("show", key, "--json").json["state"] == "tool_error"
    result = cli("result", key)
    assert result.code == 1
    assert result.out.strip()


def test_a_protocol_failure_says_its_error(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "sync_replica", "--arg", "replica=db-replica-2")
    assert cli("wait", key, *PATIENT).code == 1
    shown = cli("show", key, "--json").json
    assert shown["state"] == "failed"
    assert shown["error"]["code"] < 0
    result = cli("result", key)
    assert (result.code, result.out) == (1, "")
    assert shown["error"]["message"] in result.err


def test_a_question_is_answered(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "plan_release")
    asked(cli, key)
    form = cli("update", key, "--form").json
    (request,) = form["requests"]
    assert request["number"] == 1
    assert request["schema"]["properties"]
    refused = cli("update", key, "--accept", "{}")
    assert refused.code == 2
    assert refused.err.startswith("error: the schema of ")
    answer = {name: sample(schema) for name, schema in request["schema"]["properties"].items()}
    accepted = cli("update", key, "--accept", f"1={json.dumps(answer)}", "--json")
    assert accepted.code == 0, accepted.err
    assert accepted.json["answeredKeys"] == [request["request"]]
    again = cli("update", key, "--accept", json.dumps(answer))
    assert again.code in (0, 2), "either the task moved on, or the key is known as answered"
    assert cli("wait", key, *PATIENT).code == 0


def sample(schema: dict[str, Any]) -> Any:
    """A value that the field of the demo's release form takes."""
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    if "oneOf" in schema:
        return schema["oneOf"][0]["const"]
    if schema["type"] == "array":
        items = schema["items"]
        choice = items.get("enum") or [one["const"] for one in items["anyOf"]]
        return choice[:1]
    by_format = {"email": "ops@example.com", "date": "2026-12-01", "uri": "https://example.com/x"}
    if "format" in schema:
        return by_format.get(str(schema["format"]), "2026-12-01T10:00:00Z")
    return {"integer": 3, "number": 0.5, "boolean": True}.get(str(schema["type"]), "checkout-2")


def test_two_questions_are_answered_one_at_a_time(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "migrate_schema")
    asked(cli, key)
    first, second = cli("update", key, "--form").json["requests"]
    assert cli("update", key, "--accept", "{}").code == 2, "two are open: it must be said which"
    assert cli("update", key, "--decline", "2").code == 0
    left = [one["request"] for one in cli("update", key, "--form").json["requests"]]
    assert left == [first["request"]]
    assert cli("update", key, "--dismiss", ".").code == 0
    assert cli("wait", key, *PATIENT).code in (0, 1, 3)
    answered = cli("show", key, "--json").json["answeredKeys"]
    assert set(answered) == {first["request"], second["request"]}


def test_a_cancel_is_a_wish_until_the_server_shows_it(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "deploy_fleet", "--arg", "hosts=40")
    cancelled = cli("cancel", key, "--json")
    assert cancelled.code == 0
    (task,) = cancelled.json
    assert task["requested"]["cancel"]
    assert cli("wait", key, *PATIENT).code == 3
    result = cli("result", key)
    assert (result.code, result.out) == (3, "")


def test_a_tool_that_asks_first_is_resumed(cli: Cli, demo: str, tmp_path: Path) -> None:
    first = cli("call", demo, "create_environment", "--label", "review")
    assert first.code == 4
    saved = tmp_path / "asked.json"
    saved.write_text(first.out, encoding="utf-8")
    (request,) = first.json["inputRequests"]
    schema = first.json["inputRequests"][request]["params"]["requestedSchema"]
    answer = {name: sample(one) for name, one in schema["properties"].items()}
    bad = cli("call", "--resume", str(saved), "--answer", f"{request}={{}}")
    assert bad.code == 2
    second = cli("call", "--resume", "-", "--answer", json.dumps(answer), stdin=first.out)
    assert second.code == 0, second.err
    assert cli("show", second.lines[0], "--json").json["label"] == "review"
    mine = ("--label", "mine", "--tag", "ci", "--tag", "new")
    third = cli("call", "--resume", str(saved), "--answer", json.dumps(answer), *mine)
    shown = cli("show", third.lines[0], "--json").json
    assert (shown["label"], shown["tags"]) == ("mine", ["ci", "new"])


def test_not_finished_is_said(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "compact_archive", "--arg", "segments=90")
    outcome = cli("result", key)
    assert (outcome.code, outcome.out) == (7, "")
    timed_out = cli("wait", key, "--timeout", "0.2")
    assert timed_out.code == 124
    assert f"mcp-tasks-tui wait {key}" in timed_out.err


def test_an_unknown_task_is_saved_with_a_warning_and_is_gone_for_wait(
    cli: Cli, demo: str, neutral_environment: Path
) -> None:
    with (neutral_environment / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write("[engine]\ndefault_poll = 0.5\n")  # the three looks come faster
    added = cli("add", demo, "--label", "lost", "--", "-no-such-task")
    assert added.code == 5
    (key,) = added.lines
    assert "first look failed" in added.err
    assert cli("show", key, "--refresh").code == 5
    assert cli("show", "--", "-no-such-task").code == 0
    assert cli("wait", key, *PATIENT).code == 5
    shown = cli("show", key, "--journal").out
    assert "state      gone: never known here: check the id, the server" in shown
    assert shown.rstrip().rpartition("\n")[2].partition("  ")[2].startswith("never known here: ")
    assert "any more" not in shown


def test_a_server_that_is_not_there(cli: Cli) -> None:
    (key,) = cli("add", "http://127.0.0.1:1/mcp", "t1", "--no-check").lines
    for command in (["show", key, "--refresh"], ["cancel", key], ["result", key]):
        outcome = cli(*command)
        assert outcome.code == 6, command
        assert "connection refused" in outcome.err
    call = cli("call", "http://127.0.0.1:1/mcp", "build_image")
    assert call.code == 6
    assert "connection refused" in call.err
    assert cli("tools", "http://127.0.0.1:1/mcp").code == 6
    assert cli("show", key, "--json").json["read"]["ok"] is False


def test_several_keys_end_in_the_worst(cli: Cli, demo: str) -> None:
    good = called(cli, demo, "build_image", "--arg", "service=api")
    bad = called(cli, demo, "run_tests", "--arg", "suite=integration")
    assert cli("wait", good, bad, *PATIENT).code == 1
    assert cli("wait", good, bad, "--any").code in (0, 1)


def test_hostile_text_is_raw_in_json_and_clean_for_people(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "read_mailbox")
    waited = cli("wait", key, *PATIENT)
    shown = [waited, cli("list"), cli("show", key, "--journal"), cli("update", key, "--form")]
    assert all("\x1b" not in one.out + one.err for one in shown)
    raw = cli("show", key, "--json")
    assert "\x1b" not in raw.out, "JSON escapes control characters"
    assert "\x1b" in raw.json["lastMessage"], "and keeps them"


def test_debug_logs_how_requests_end_and_nothing_of_their_contents(
    cli: Cli, demo: str, neutral_environment: Path
) -> None:
    outcome = cli("--debug", "call", demo, "build_image", "--arg", "service=very-secret")
    assert outcome.code == 0
    log = neutral_environment / "log" / "mcp-tasks-tui.log"
    assert str(log) in outcome.err
    assert log.stat().st_mode & 0o777 == 0o600
    written = log.read_text(encoding="utf-8")
    assert "tools/call 127.0.0.1:" in written
    assert ": answered, " in written
    task_id = cli("show", outcome.lines[0], "--json").json["taskId"]
    assert "very-secret" not in written
    assert task_id not in written


def test_a_call_that_is_not_answered_in_time_says_that_no_handle_came(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/mcp"
        outcome = cli("call", url, "build", "--timeout", "0.3")
    assert (outcome.code, outcome.out) == (124, "")
    assert "no handle was received" in outcome.err


def test_waiting_lets_a_task_go_on_that_was_held(cli: Cli, demo: str) -> None:
    key = called(cli, demo, "build_image", "--arg", "service=held")
    with HandleStore.open(find_paths().data) as store:
        saved = store.load_one(key)
        assert saved is not None
        held = replace(saved.snapshot, held=True)
        assert store.commit([SnapshotWrite(key, saved.version, held)]) != [None]
    waited = cli("wait", key, *PATIENT)
    assert waited.code == 0, waited.err
    assert "was held" in waited.err

"""Every command and every outcome: exit status, stdout and stderr, for people and as JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from mcp_tasks_tui.cli.main import cli as root
from mcp_tasks_tui.handles.model import HandleDraft
from mcp_tasks_tui.handles.store import HandleStore
from tests.cli.scripted import RESULT, TASKS, Scripted
from tests.commandline import Cli, Outcome

DEAD = "http://127.0.0.1:9/mcp"
KEY = r"^[a-z0-9]{4,}$"
ANSWER = """'{"reason": "because"}'"""


@dataclass(frozen=True)
class Row:
    """One command and its outcome.

    `out` and `err` are searched for in the text; empty means that there is nothing. `json` is
    what must hold for the values that are printed with ``--json`` (None: there is no such form),
    where `json_err` is said on stderr, the same as `err` if not given.
    """

    command: str
    code: int
    out: str = ""
    err: str = ""
    json: Callable[[Any], bool] | None = None
    json_err: str | None = None
    stdin: str = ""


def state(word: str) -> Callable[[Any], bool]:
    return lambda task: bool(task["state"] == word)


def all_states(word: str) -> Callable[[Any], bool]:
    return lambda tasks: {task["state"] for task in tasks} == {word}


def last_state(word: str) -> Callable[[Any], bool]:
    """Of a command that prints one object per change."""
    return lambda changes: bool(changes[-1]["state"] == word)


def text(word: str) -> Callable[[Any], bool]:
    return lambda result: bool(result["content"][0]["text"] == word)


REFUSED = "connection refused"
TABLE = [
    # call
    Row("call s working", 0, KEY, json=state("working")),
    Row("call s inline", 0, "^all is built$", json=text("all is built")),
    Row("call s inline-error", 1, "disk quota", json=text("disk quota exceeded")),
    Row("call s asks-first", 4, '"requestState": "state-1"', "call --resume FILE"),
    Row("call s done --wait", 0, "^all is built$", "saved as", text("all is built")),
    Row("call s tool-error --wait", 1, "disk quota", "saved as", text("disk quota exceeded")),
    Row("call s failed --wait", 1, "", "failed: the worker died",
        lambda error: bool(error["code"] == -32603), "saved as"),
    Row("call s cancelled --wait", 3, "", "was cancelled; there is no result"),
    Row("call s asks --wait", 4, "", "asks for input; see what: .* update [a-z0-9]+ --form"),
    Row("call s working --wait --timeout 1", 124, "", "the work goes on"),
    Row("call s silent --timeout 0.3", 124, "", "no handle was received"),
    Row("call s no-such-tool", 2, "", "no tool 'no-such-tool' on this server; mcp-tasks-tui tools"),
    Row("call s bild", 2, "", "did you mean build"),
    Row(f"call {DEAD} build", 6, "", f"^error: 127.0.0.1:9: {REFUSED}"),
    Row("call s strict --arg seconds=6", 0, "^all is built$", json=text("all is built")),
    Row("call s strict --arg seconds=5 --arg seconds=6", 2, "",
        "error: --arg seconds is given twice; say it once"),
    Row("call s strict --arg seconds=61", 2, "",
        "^error: argument seconds: at most 60 .*mcp-tasks-tui tools s strict.* --no-check"),
    Row("call s strict --arg seconds=61 --no-check", 0, "^all is built$"),
    Row("call s strict", 2, "", "^error: argument seconds: needed"),
    Row("call s strange --arg n=5", 0, "^all is built$"),
    Row("call nowhere build", 2, "", "no server named 'nowhere'"),
    Row("call s", 2, "", "name the SERVER and the TOOL"),
    Row("call --resume - --answer " + ANSWER, 0, "^all is built$", "", text("all is built"),
        stdin=json.dumps({"server": "s", "tool": "asks-first", "requestState": "state-1",
                          "inputRequests": TASKS["asks"]["inputRequests"]})),
    Row("call --resume -", 2, "", "not JSON", stdin="what"),
    # add
    Row("add s working", 0, KEY, json=state("working")),
    Row("add s unheard-of", 5, KEY, "first look failed: .*: never known here: check the id",
        state("unknown")),
    Row("add ' s ' ' working '", 0, KEY, json=state("working")),
    Row("add s ' '", 2, "", "TASK_ID is empty"),
    Row("add s new --no-check", 0, KEY, json=state("unknown")),
    Row(f"add {DEAD} new", 0, KEY, "first look failed", state("unknown")),
    Row("add s --no-check -- -dash", 0, KEY),
    Row("add s", 2, "", "TASK_ID"),
    Row("add ftp://x new", 2, "", "starts with http"),
    # list
    Row("list", 0, "KEY +STATE +TASK", json=lambda tasks: len(tasks) == len(TASKS) + 2),
    Row("list -q", 0, "[a-z0-9]{4,}\n"),
    Row("list --filter no-such-word", 0, "", "no saved task fits", lambda tasks: tasks == [], ""),
    Row("list --filter sate:x", 2, "", "sate"),
    Row("""list --filter 'working "two words'""", 2, "", 'the quote is not closed: "two words'),
    # show
    Row("show working", 0, "state +not read yet", json=state("unknown")),
    Row("show working --refresh", 0, "state +working", json=state("working")),
    Row("show asks --refresh", 0, "asks +Deploy to production.*\n.*update [a-z0-9]+ --form$",
        json=state("input_required")),
    Row("show done --refresh", 0, "all is built",
        json=lambda task: bool(task["result"]["content"])),
    Row("show failed --refresh", 0, "the worker died", json=state("failed")),
    Row("show working --journal", 0, "saved$",
        json=lambda task: bool(task["journal"][0]["event"] == "saved")),
    Row("show missing --refresh", 5, "last|never", "not refreshed", state("unknown")),
    Row("show dead --refresh", 6, "never read", f"127.0.0.1:9: {REFUSED}", state("unknown")),
    Row("show -- -dash", 2, "", "no saved task '-dash'"),
    Row("show -dash", 2, "", "put -- before an id that starts with a dash"),
    Row("show nope", 2, "", "no saved task 'nope'; `list --all` shows every key"),
    # wait
    Row("wait done", 0, "completed", json=last_state("completed")),
    Row("wait tool-error", 1, "tool error", json=last_state("tool_error")),
    Row("wait failed", 1, "failed", json=last_state("failed")),
    Row("wait cancelled", 3, "cancelled", json=last_state("cancelled")),
    Row("wait asks", 4, "needs input", json=last_state("input_required")),
    Row("wait missing", 5, "gone", "last read failed", last_state("gone"), ""),
    Row("wait working --timeout 1", 124, "working", "Come back with: mcp-tasks-tui"),
    Row("wait done cancelled failed", 1, "completed"),
    Row("wait working done --any", 0, "completed"),
    Row("wait nope", 2, "", "no saved task 'nope'"),
    Row("wait done --timeout soon", 2, "", "'soon' is not a valid number"),
    Row("wait done --timeout nan", 2, "", "'nan' is not a valid number"),
    Row("wait dead --timeout 0", 124, "", "how it stands was never read"),
    # update
    Row(f"update asks --accept {ANSWER}", 0, "answered 1 of 1", "see how it goes on",
        lambda task: bool(task["answeredKeys"] == ["confirm"]), ""),
    Row("update asks --decline .", 0, "answered 1 of 1", "see how it goes on"),
    Row("update asks --dismiss 1", 0, "answered 1 of 1", "see how it goes on"),
    Row("update asks --form", 0, '"request": "confirm"'),
    Row("update asks --accept '{}'", 2, "", "the schema of 'confirm' refuses this answer"),
    Row("update asks --accept what", 2, "", "the answer to 'confirm' is not JSON"),
    Row("update asks --decline other", 2, "", "other"),
    Row("update working --decline .", 2, "", "asks nothing now: working"),
    Row("update missing --decline .", 5, "", "could not be read"),
    Row("update dead --decline .", 6, "", f"127.0.0.1:9: {REFUSED}"),
    Row("update asks", 2, "", "--form shows what is asked"),
    # cancel
    Row("cancel working", 0, "cancel requested", "see how it ends: mcp-tasks-tui wait",
        lambda tasks: bool(tasks[0]["requested"]["cancel"])),
    Row("cancel missing", 5, "", "gone; its server does not know it .* nothing was cancelled",
        all_states("unknown")),
    Row("cancel dead", 6, "", f"was not accepted: 127.0.0.1:9: {REFUSED}", all_states("unknown")),
    Row("cancel nope", 2, "", "no saved task"),
    # result
    Row("result done", 0, "^all is built$", json=text("all is built")),
    Row("result done -o -", 0, "^all is built$", json=text("all is built")),
    Row("result tool-error", 1, "disk quota", json=text("disk quota exceeded")),
    Row("result failed", 1, "", "failed: the worker died",
        lambda error: bool(error["message"] == "the worker died"), ""),
    Row("result cancelled", 3, "", "was cancelled; there is no result"),
    Row("result asks", 7, "", "not finished, needs input; see what it asks: .* --form"),
    Row("result working", 7, "", "wait for it: mcp-tasks-tui wait"),
    Row("result missing", 5, "", "no such task"),
    Row("result dead", 6, "", f"127.0.0.1:9: {REFUSED}"),
    Row("result done -o no/such/folder", 2, "", "cannot be written"),
    # archive, restore
    Row("archive working done", 0, "archived",
        json=lambda tasks: all(task["archivedAt"] for task in tasks)),
    Row("archive nope", 2, "", "no saved task"),
    Row("restore working", 0, "restored", json=lambda tasks: tasks[0]["archivedAt"] is None),
    Row("restore nope", 2, "", "no saved task"),
    # tools
    Row("tools s", 0, "TOOL.*\nbuild", json=lambda tools: bool(tools[0]["name"] == "build")),
    Row("tools s build", 0, "no arguments", json=lambda tool: bool(tool["name"] == "build")),
    Row("tools s bild", 2, "", "did you mean build"),
    Row(f"tools {DEAD}", 6, "", f"127.0.0.1:9: {REFUSED}"),
    # servers
    Row("servers", 0, "^Usage: mcp-tasks-tui servers(.*\n)+Commands:"),
    Row("servers list", 0, "NAME.*\ns ", json=lambda known: bool(known[0]["name"] == "s")),
    Row("servers list more", 2, "", "unexpected"),
    Row("servers add other http://x/mcp", 0, "other  added"),
    Row("servers add s http://x/mcp", 2, "", "s"),
    Row("servers add o http://x/ --header 'Authorization: Bearer abc'", 2, "",
        r"not written down; .*as 'Authorization: Bearer \$\{MY_TOKEN\}'"),
    Row("servers remove s", 2, "", "7 saved tasks; say --yes"),
    Row("servers remove s --yes", 0, "s  removed"),
    Row("servers remove nope", 2, "", "no server named"),
    Row("servers test s", 0, "ok, hands out tasks", json=lambda probes: bool(probes[0]["ok"])),
    Row(f"servers test s {DEAD}", 6, REFUSED, "", lambda probes: not probes[1]["ok"]),
    Row("servers import -", 0, "new  added", "local: not added",
        stdin='{"mcpServers": {"new": {"url": "http://n/mcp"}, "local": {"command": "x"}}}'),
    Row("servers import -", 2, "", "mcpServers", stdin="{}"),
    Row("servers import -", 2, "", "^error: -: no server was added: local: is a program",
        stdin='{"mcpServers": {"local": {"command": "x"}}}'),
    # export, import
    Row("export", 0, '"taskId": "working"'),
    Row("export done", 0, '"taskId": "done"'),
    Row("export nope", 2, "", "no saved task"),
    Row("import", 0, KEY, json=lambda keys: len(keys) == 1,
        stdin='{"taskId": "n", "server": "s"}'),
    Row("import", 2, KEY, "entry 2", lambda keys: len(keys) == 1,
        stdin='{"taskId": "n", "server": "s"}\n{"taskId": 7}'),
    *(Row("import", 2, "", "no handle in it", stdin=nothing)
      for nothing in ("", "\n", "\0\0\0", "[]", "[,]")),
    Row("import no-such-file", 2, "", "no-such-file: cannot be read: No such file or directory"),
    Row("import", 2, KEY, "entry 2 .* names no server; say which: --server NAME",
        stdin='{"taskId": "n", "server": "s"}\n{"taskId": "n"}'),
    Row("import --server s", 0, KEY, "1 new, 1 saved before",
        stdin='{"taskId": "n"}\n{"taskId": "done"}'),
    # the rest
    Row("completion bash", 0, "complete .*-F _mcp_tasks_tui_completion mcp-tasks-tui"),
    Row("completion cmd", 2, "", "'SHELL': 'cmd' is not one of"),
    Row("doctor", 0, "ok +server s", json=lambda told: all(f["ok"] for f in told["findings"])),
    Row("doctor --offline --repair", 0, "ok +database", json=lambda told: told["servers"] == []),
    Row("doctor --offline --forget-calls", 0, "ok"),
    Row("doctor --mend", 2, "", "--mend"),
    Row("demo --list", 0, "NAME"),
    Row("demo --only nope", 2, "", "no lifecycle is called nope"),
]  # fmt: skip


@pytest.fixture(scope="module")
def scripted() -> Iterator[Scripted]:
    with Scripted() as server:
        yield server


@pytest.fixture
def home(scripted: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Handles of every task of the server, of one it does not know, and of a server that is not
    there; all named by their task ids, and none read yet."""
    places = {**dict.fromkeys([*TASKS, "missing"], scripted.url), "dead": DEAD}
    with HandleStore.open(neutral_environment) as store:
        store.save_all([HandleDraft(url, task_id) for task_id, url in places.items()])
    settings = f'[servers.s]\nurl = "{scripted.url}"\n[engine]\ndefault_poll = 0.5\n'
    (neutral_environment / "config.toml").write_text(settings, encoding="utf-8")
    monkeypatch.chdir(neutral_environment)
    return neutral_environment


def matches(pattern: str, found: str) -> bool:
    return found == "" if pattern == "" else re.search(pattern, found, re.MULTILINE) is not None


def named(row: Row) -> str:
    return f"{row.command}:{row.code}"


@pytest.mark.parametrize("row", TABLE, ids=named)
@pytest.mark.usefixtures("home")
def test_what_people_get(cli: Cli, row: Row) -> None:
    outcome = cli(*shlex.split(row.command), stdin=row.stdin)
    assert outcome.code == row.code, outcome
    assert matches(row.out, outcome.out), outcome
    assert matches(row.err, outcome.err), outcome
    told_wrong_usage(outcome)


@pytest.mark.parametrize("row", [row for row in TABLE if row.json], ids=named)
@pytest.mark.usefixtures("home")
def test_what_programs_get(cli: Cli, row: Row) -> None:
    command, dashes, ids = row.command.partition(" -- ")
    outcome = cli(*shlex.split(f"{command} --json{dashes}{ids}"), stdin=row.stdin)
    assert outcome.code == row.code, outcome
    assert row.json is not None
    assert row.json(values(command, outcome)), outcome
    assert matches(row.err if row.json_err is None else row.json_err, outcome.err), outcome


def values(command: str, outcome: Outcome) -> Any:
    """What was printed: `wait` prints a value per line."""
    if command.startswith("wait"):
        return [json.loads(line) for line in outcome.lines]
    return outcome.json


def told_wrong_usage(outcome: Outcome) -> None:
    if outcome.code == 2 and not outcome.out:
        assert len(outcome.err.splitlines()) == 1
        assert outcome.err.startswith("error: ")


def commands(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its name as it is typed."""
    if not isinstance(command, click.Group):
        yield path.strip(), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        if (below := command.get_command(context, name)) is not None:
            yield from commands(below, f"{path} {name}")


ALL = dict(commands(root))


def is_of(command: str, row: Row) -> bool:
    return f"{row.command} ".startswith(f"{command} ")


@pytest.mark.parametrize("command", ALL)
def test_the_table_has_every_command(command: str) -> None:
    rows = [row for row in TABLE if is_of(command, row)]
    assert {row.code for row in rows} > {0}, "a success and a failure"
    has_json = any("--json" in option.opts for option in ALL[command].params)
    assert has_json is any(row.json for row in rows)


@pytest.mark.parametrize("command", ALL)
def test_every_help_has_an_example(cli: Cli, command: str) -> None:
    told = cli(*command.split(), "--help")
    assert (told.code, told.err) == (0, "")
    example = told.out.partition("Example: ")[2]
    assert f"mcp-tasks-tui {command}" in example
    assert max(map(len, told.lines)) <= 100


GOOD = [next(row for row in TABLE if row.code == 0 and is_of(one, row)) for one in ALL]


@pytest.mark.parametrize("row", GOOD, ids=named)
def test_a_home_that_cannot_be_is_one_line(
    cli: Cli, row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MCP_TASKS_TUI_HOME", str(tmp_path / "file" / "home"))
    outcome = cli(*shlex.split(row.command), stdin=row.stdin)
    if outcome.code != 0:  # what needs no home does without
        assert outcome.code in (2, 70), outcome
        told = outcome.err or re.findall("BAD +folder .* is no folder\n", outcome.out)[0]
        assert len(told.splitlines()) == 1, outcome


def test_doctor_finds_a_damaged_database_and_a_server_that_is_away(cli: Cli, home: Path) -> None:
    (home / "tasks.db").write_bytes(b"no database at all" * 500)
    broken = cli("doctor", "--offline")
    assert broken.code == 70
    assert re.search("^BAD +database .*`doctor --repair`", broken.out, re.MULTILINE)
    assert not cli("doctor", "--offline", "--json").json["findings"][-1]["ok"]
    mended = cli("doctor", "--repair", "--offline")
    assert mended.code == 0, mended
    assert "moved to tasks.db.damaged-" in mended.out
    assert cli("servers", "add", "away", DEAD).code == 0
    away = cli("doctor")
    assert away.code == 6
    assert re.search(f"^BAD +server away .*{REFUSED}", away.out, re.MULTILINE)


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_at_all_is_moved_out_of_the_way(cli: Cli, home: Path, kind: str) -> None:
    database = home / "tasks.db"
    database.unlink()
    if kind == "folder":
        (database / "mine").mkdir(parents=True)
    else:
        os.mkfifo(database)
    told = cli("doctor", "--offline")
    assert told.code == 70
    assert f"it is a {kind}" in told.out
    assert "`doctor --repair`" in told.out
    listed = cli("list", "-q")
    assert len(listed.lines) == len(TASKS) + 2, "the receipts fill a new one"
    assert f"it is a {kind}" in listed.err
    (aside,) = home.glob("tasks.db.damaged-*")
    assert aside.is_dir() is (kind == "folder")
    assert cli("doctor", "--offline").code == 0


def test_a_result_in_a_file_is_whole_and_private(cli: Cli, home: Path) -> None:
    said = cli("result", "done", "-o", "out.txt")
    assert (said.code, said.out, said.err) == (0, "", "written to out.txt\n")
    assert (home / "out.txt").read_text(encoding="utf-8") == "all is built"
    assert (home / "out.txt").stat().st_mode & 0o777 == 0o600
    assert cli("result", "done", "-o", "out.json", "--json").code == 0
    assert json.loads((home / "out.json").read_text(encoding="utf-8"))["isError"] is False
    os.mkfifo(home / "pipe")
    nobody = cli("result", "done", "-o", "pipe")
    assert nobody.code == 2
    assert "error: -o pipe: cannot be written (nobody reads from that pipe)" in nobody.err
    full = cli("result", "done", "-o", "/dev/full")
    assert full.code == 70
    assert full.err == "error: /dev/full cannot be written: No space left on device\n"


def test_a_thousand_questions_are_not_all_shown(cli: Cli, home: Path, scripted: Scripted) -> None:
    (question,) = TASKS["asks"]["inputRequests"].values()
    asked = {f"q{number}": question for number in range(1_000)}
    scripted.add("endless", "input_required", inputRequests=asked)
    (key,) = cli("add", "s", "endless").lines
    shown = cli("show", key)
    assert shown.out.count("Deploy to production?") == 20
    assert f"and 980 more: mcp-tasks-tui update {key} --form" in shown.out
    form = cli("update", key, "--form").json["requests"]
    assert len(form) == 1_000
    assert [one["request"] for one in form if one["number"] == 2] == ["q1"]
    assert cli("update", key, "--decline", "2").code == 0
    numbered = {one["request"]: one["number"] for one in form}
    later = cli("update", key, "--form").json["requests"]
    assert all(numbered[one["request"]] == one["number"] for one in later)


def test_of_a_long_result_the_beginning_is_shown(cli: Cli, home: Path, scripted: Scripted) -> None:
    text = "".join(f"line {number}\n" for number in range(100_000))
    scripted.add("long", "completed", result={"content": [{"type": "text", "text": text}]})
    (key,) = cli("add", "s", "long").lines
    shown = cli("show", key).out
    assert "line 199\n" in shown
    assert len(shown) < 25_000
    assert shown.endswith(f"more: mcp-tasks-tui result {key}\n")
    assert cli("result", key).out == text


@pytest.mark.parametrize(
    "command", ["show {}", "wait {}", "result {}", "archive {}", "export {}", "cancel {}"]
)
def test_an_id_that_starts_with_a_dash_is_an_id_behind_two(
    cli: Cli, home: Path, scripted: Scripted, command: str
) -> None:
    scripted.add("--json", "completed", result=RESULT)
    assert cli("add", "s", "--", "--json").code == 0
    outcome = cli(*command.format("-- --json").split())
    assert outcome.code == 0, outcome


def test_each_argument_that_a_schema_refuses_has_a_line_and_nothing_is_sent(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    calls = scripted.sent("tools/call")
    outcome = cli("call", "s", "strict", "--args", '{"second": 5}')
    assert (outcome.code, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 2
    assert "argument seconds: needed" in outcome.err
    assert "'second' is allowed" in outcome.err
    assert outcome.err.count("nothing was sent") == 1
    assert scripted.sent("tools/call") == calls
    lists = scripted.sent("tools/list")
    assert cli("call", "s", "strict", "--arg", "seconds=5").code == 0
    assert scripted.sent("tools/list") == lists + 1, "it is needed for headers anyway"


def test_a_failure_names_the_server_and_its_address(cli: Cli, home: Path) -> None:
    assert cli("servers", "add", "away", DEAD).code == 0
    for command in ("call away build", "tools away", "result dead", "cancel dead"):
        assert f"away (127.0.0.1:9): {REFUSED}" in cli(*command.split()).err


def test_what_cannot_be_read_as_arguments_is_refused_before_anything_is_asked(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    lists = scripted.sent("tools/list")
    assert "--args is not JSON" in cli("call", "s", "build", "--args", "{").err
    assert scripted.sent("tools/list") == lists


def test_which_of_several_questions_is_answered_is_shown_by_example(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    question = {
        "method": "elicitation/create",
        "params": {"message": "Sure?", "requestedSchema": schema},
    }
    asked = {"drop column": question, "window": question}
    scripted.add("two", "input_required", inputRequests=asked)
    (key,) = cli("add", "s", "two").lines
    told = cli("update", key, "--accept", '{"drop column": {"sure": true}}')
    assert told.code == 2
    assert "2 requests are open; say which: 1 drop column, 2 window" in told.err
    example = "--accept 'drop column={\"sure\": ...}'"
    assert f"write REQUEST=JSON, as {example}" in told.err
    assert "write --decline 'drop column'" in cli("update", key, "--decline", ".").err
    typed = shlex.split(example.replace("...", "true"))
    assert cli("update", key, *typed).code == 0


def test_a_number_is_a_question_for_good_however_often_it_is_answered(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    (question,) = TASKS["asks"]["inputRequests"].values()
    scripted.add("two", "input_required", inputRequests={"drop": question, "window": question})
    (key,) = cli("add", "s", "two").lines

    def open_now() -> list[tuple[int, str]]:
        form = cli("update", key, "--form").json["requests"]
        return [(one["number"], one["request"]) for one in form]

    assert open_now() == [(1, "drop"), (2, "window")]
    assert cli("update", key, "--decline", "1").code == 0
    sent = scripted.sent("tasks/update")
    for reference in ("1", ":1", "drop", "dr"):
        again = cli("update", key, "--decline", reference)
        assert (again.code, again.out) == (2, "")
        assert "request 'drop' is already answered (declined); nothing is sent" in again.err
    scripted.add("two", "input_required", inputRequests={"window": question})
    assert open_now() == [(2, "window")]
    assert cli("update", key, "--decline", "1").code == 2
    assert scripted.sent("tasks/update") == sent
    assert cli("update", key, "--accept", '2={"reason": "x"}').code == 0
    scripted.add("two", "input_required", inputRequests={"later": question})
    assert open_now() == [(3, "later")]
    assert "already answered; nothing" in cli("update", key, "--accept", '2={"reason": "x"}').err
    scripted.add("two", "working")
    none = cli("update", key, "--decline", "3")
    assert (none.code, none.out) == (2, "")
    assert "asks nothing now: working (request 'later' is not asked any more" in none.err


def test_nothing_is_requested_of_a_task_that_is_gone(cli: Cli, home: Path) -> None:
    assert cli("wait", "missing").code == 5
    asked = cli("cancel", "missing")
    assert (asked.code, asked.out) == (5, "")
    assert "gone; its server does not know it (any more), nothing was cancelled" in asked.err
    assert cli("show", "missing", "--json").json["requested"] is None


def test_doctor_names_the_keys_that_the_screen_cannot_follow(cli: Cli, home: Path) -> None:
    with (home / "config.toml").open("a", encoding="utf-8") as settings:
        settings.write('[keys]\n"task.cancle" = "F5"\n"list.freeze" = "ctrl+foo+bar"\n')
    outcome = cli("doctor", "--offline")
    assert outcome.code == 2
    told = r"^BAD +keys .*config\.toml, line \d+: .*task\.cancle.*task\.cancel"
    assert re.search(told, outcome.out, re.M)
    told = r"^BAD +keys .*config\.toml, line \d+: keys: list\.freeze: no key is called ctrl\+foo"
    assert re.search(told, outcome.out, re.M)


def test_doctor_names_all_that_is_wrong_in_the_settings(cli: Cli, home: Path) -> None:
    (home / "config.toml").write_text(
        "[engine]\nmin_poll = -4\n"
        '[screen]\ntheme = "nrod"\nbogus = 1\n'
        '[keys]\n"task.cancle" = "x"\n"list.down" = "c"\n',
        encoding="utf-8",
    )
    lines = cli("doctor", "--offline").out.splitlines()
    bad = [line.split("config.toml, ")[1] for line in lines if line.startswith("BAD")]
    assert bad == [
        "line 2: engine.min_poll is a number of seconds above 0, not -4",
        "line 5: screen.bogus is no setting; known: theme, alerts, ascii, mouse, animations",
        "line 4: screen.theme: no theme is called nrod: did you mean nord?",
        "line 7: keys: no command is called task.cancle; did you mean task.cancel?",
        "line 8: keys: c is wanted by list.down and by task.cancel; list.down has it",
    ]
    assert cli("list").err.count("line 2") == 1


def test_a_default_of_the_form_stands_in_for_what_was_left_out(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    schema = {
        "type": "object",
        "properties": {
            "target": {"type": "string", "default": "staging"},
            "note": {"type": "string", "default": "optional: not sent"},
            "reason": {"type": "string"},
        },
        "required": ["target", "reason"],
    }
    params = {"message": "Where to?", "requestedSchema": schema}
    asked = {"where": {"method": "elicitation/create", "params": params}}
    scripted.add("defaults", "input_required", inputRequests=asked)
    (key,) = cli("add", "s", "defaults").lines
    refused = cli("update", key, "--accept", "{}")
    assert refused.code == 2
    assert "refuses this answer: reason: " in refused.err
    sent = cli("update", key, "--accept", '{"reason": "because"}')
    assert sent.code == 0
    assert 'where: defaults of the form for what was left out: target = "staging"' in sent.err
    update = next(m for m in reversed(scripted.messages) if m["method"] == "tasks/update")
    content = update["params"]["inputResponses"]["where"]["content"]
    assert content == {"target": "staging", "reason": "because"}


def test_a_result_that_is_not_here_can_be_asked_for(
    cli: Cli, home: Path, scripted: Scripted
) -> None:
    scripted.add("bare", "completed")
    (key,) = cli("add", "s", "bare").lines
    for more in ((), ("--json",), ("-o", "x.out"), ("-o", "x.out", "--json"), ("-o", "-")):
        told = cli("result", key, *more)
        assert (told.code, told.out) == (6, ""), more
        assert told.err == (
            f"{key}: no result is kept here; ask the server again: "
            f"mcp-tasks-tui show {key} --refresh\n"
        )
    assert not (home / "x.out").exists()
    scripted.add("bare", "completed", result=RESULT)
    assert cli("show", key, "--refresh").code == 0
    assert cli("result", key).out == "all is built\n"


def test_an_existing_file_is_overwritten_and_its_help_says_so(cli: Cli, home: Path) -> None:
    assert cli("result", "done").code == 0
    (home / "out.txt").write_text("a longer text that was there before", encoding="utf-8")
    assert cli("result", "done", "-o", "out.txt").code == 0
    assert (home / "out.txt").read_text(encoding="utf-8") == "all is built"
    assert "over what is there" in " ".join(cli("result", "--help").out.split())


def test_one_hint_is_enough(cli: Cli) -> None:
    assert cli("nonsense").err == (
        "error: no command 'nonsense', and no saved task has that key; see mcp-tasks-tui --help\n"
    )


def test_a_state_is_called_as_everywhere_else(cli: Cli, home: Path) -> None:
    assert cli("show", "tool-error", "--refresh").code == 0
    assert "it has ended: tool error" in cli("cancel", "tool-error").err


def test_doctor_goes_on_without_unusable_settings(cli: Cli, home: Path) -> None:
    (home / "config.toml").write_text("[engin]\n[screen]\nascii = 1\n", encoding="utf-8")
    assert "(and 1 more: `doctor` names them all)" in cli("list").err
    outcome = cli("doctor", "--offline")
    assert outcome.code == 2
    assert re.search(r"^BAD +settings .*line 1: engin is no setting", outcome.out, re.M)
    assert re.search(r"^BAD +settings .*line 3: screen\.ascii is true or false", outcome.out, re.M)
    assert re.search(r"^ok +database .*: whole, 8 tasks", outcome.out, re.M)

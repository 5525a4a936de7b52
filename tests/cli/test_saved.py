"""Commands that work on what is saved, without any network."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcp_tasks_tui.cli.output import fit, width
from mcp_tasks_tui.handles.model import Snapshot, SnapshotWrite
from mcp_tasks_tui.handles.store import HandleStore
from mcp_tasks_tui.sanitize import ServerText
from tests.commandline import Cli

SERVER = "http://127.0.0.1:9/mcp"


def added(cli: Cli, task_id: str, *more: str) -> str:
    (key,) = cli("add", SERVER, task_id, "--no-check", *more).lines
    return key


def test_saving_twice_keeps_one_handle_and_the_richer_context(cli: Cli) -> None:
    key = added(cli, "t1", "--label", "nightly")
    assert added(cli, "t1", "--tag", "ci") == key
    (task,) = cli("list", "--json").json
    assert (task["label"], task["tags"], task["state"]) == ("nightly", ["ci"], "unknown")


@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("list", 0, "", "no saved tasks; `mcp-tasks-tui call SERVER TOOL` makes one"),
        (
            "list --filter tag:x",
            0,
            "",
            "no saved tasks; `mcp-tasks-tui call SERVER TOOL` makes one",
        ),
        ("list --all -q", 0, "", ""),
        ("list --json", 0, "[]\n", ""),
        ("show k7f2", 2, "", "error: no saved task 'k7f2'"),
        ("result k7f2", 2, "", "error: no saved task 'k7f2'"),
        ("wait k7f2", 2, "", "error: no saved task 'k7f2'"),
        ("update k7f2 --form", 2, "", "error: no saved task 'k7f2'"),
        ("cancel k7f2", 2, "", "error: no saved task 'k7f2'"),
        ("archive k7f2", 2, "", "error: no saved task 'k7f2'"),
        ("export", 0, "[]\n", ""),
        ("doctor --offline", 0, "", ""),
    ],
)
def test_what_only_reads_makes_no_folder(
    cli: Cli, neutral_environment: Path, command: str, code: int, out: str, err: str
) -> None:
    told = cli(*command.split())
    assert told.code == code
    assert told.out.startswith(out)
    assert told.err.startswith(err)
    assert not neutral_environment.exists()


def test_archive_hides_and_restore_brings_back(cli: Cli) -> None:
    key = added(cli, "t1")
    other = added(cli, "t2")
    assert cli("archive", key).code == 0
    assert cli("list", "-q").lines == [other]
    assert set(cli("list", "--all", "-q").lines) == {key, other}
    assert cli("list", "--all", "-q", "--filter", "is:archived").lines == [key]
    assert cli("restore", key).code == 0
    assert set(cli("list", "-q").lines) == {key, other}
    events = [e["event"] for e in cli("show", key, "--journal", "--json").json["journal"]]
    assert events == ["saved", "archived", "restored"]


def test_list_tells_first_what_wants_a_person_and_for_how_long(
    cli: Cli, neutral_environment: Path
) -> None:
    now = time.time()
    ago = datetime.fromtimestamp(now - 14 * 60 - 5, UTC).isoformat()
    params = {"message": "Which region?", "requestedSchema": {"type": "object"}}
    request = {"method": "elicitation/create", "params": params}
    known = {
        "stuck": Snapshot(
            status="working",
            status_message=ServerText("step 3 of 9"),
            observed_at=now,
            last_updated_at=ago,
            honest_clock=True,
            clock_offset=0.0,
        ),
        "asks": Snapshot(
            status="input_required",
            input_requests={"a": request},
            observed_at=now,
            changed_at=now - 125,
        ),
        "ends": Snapshot(
            status="working", observed_at=now, created_at=ago, ttl_ms=1_000_000, ttl_known=True
        ),
        "asked": Snapshot(status="working", observed_at=now, cancel_requested_at=now - 20),
        "calm": Snapshot(status="working", status_message=ServerText("fine"), observed_at=now),
    }
    keys = {added(cli, task_id, "--label", task_id): one for task_id, one in known.items()}
    with HandleStore.open(neutral_environment) as store:
        saved = {one.handle.key: one for one in store.load()}
        store.commit([SnapshotWrite(key, saved[key].version, one) for key, one in keys.items()])
    told = {
        task_id: next(line for line in cli("list").lines if f" {task_id} " in line)
        for task_id in known
    }
    assert "stuck 14m · 33% step 3 of 9" in told["stuck"]
    assert "waits 2m · Which region?" in told["asks"]
    assert "may expire in 3m" in told["ends"]
    assert "cancel asked 20s" in told["asked"]
    assert " · " not in told["calm"]


def test_list_filters_as_the_screen_does(cli: Cli) -> None:
    key = added(cli, "t1", "--label", "nightly build", "--tag", "ci")
    added(cli, "t2", "--label", "deploy")
    assert cli("list", "-q", "--filter", "tag:ci -deploy").lines == [key]
    wrong = cli("list", "--filter", "sate:working")
    assert wrong.code == 2
    assert "state" in wrong.err


def test_export_and_import_are_each_others_inverse(
    cli: Cli, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    added(cli, "t1", "--label", "ünï", "--note", "n", "--tag", "a", "--tool", "build")
    added(cli, "t2")
    exported = cli("export")
    monkeypatch.setenv("MCP_TASKS_TUI_HOME", str(tmp_path / "other"))
    assert len(cli("import", stdin=exported.out).lines) == 2
    assert len(cli("import", stdin=exported.out).lines) == 2, "importing again is harmless"
    told = [{**one, "key": "", "savedAt": ""} for one in cli("export").json]
    assert told == [{**one, "key": "", "savedAt": ""} for one in exported.json]


def test_import_keeps_the_good_and_names_the_bad(cli: Cli) -> None:
    text = json.dumps([{"taskId": "t1", "serverUrl": SERVER}, {"taskId": ""}, 3])
    outcome = cli("import", stdin=text)
    assert outcome.code == 2
    assert len(outcome.lines) == 1
    assert "entry 2" in outcome.err
    assert "entry 3" in outcome.err


def test_of_many_bad_entries_the_first_are_named_and_all_are_counted(cli: Cli) -> None:
    good = json.dumps({"taskId": "t1", "serverUrl": SERVER})
    outcome = cli("import", stdin="{'taskId': 'a'}\n" * 3000 + good)
    assert (outcome.code, len(outcome.lines)) == (2, 1)
    said = outcome.err.splitlines()
    assert len(said) == 21
    assert "entry 20 (line 20)" in said[19]
    assert said[20] == "not saved: 2,980 more entries"


def test_import_takes_what_a_server_answered(cli: Cli) -> None:
    reply = {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "task", "taskId": "t9"}}
    outcome = cli("import", "--server", SERVER, stdin=json.dumps(reply))
    assert outcome.code == 0
    assert cli("list", "--json").json[0]["taskId"] == "t9"


def test_servers_are_named_and_forgotten(cli: Cli, neutral_environment: Path) -> None:
    header = "Authorization: Bearer ${BUILD_TOKEN}"
    assert cli("servers", "add", "build", "http://HOST:80/mcp", "--header", header).code == 0
    (server,) = cli("servers", "list", "--json").json
    assert server == {
        "name": "build",
        "url": "http://host/mcp",
        "headers": ["Authorization"],
        "credentials": [
            {"header": "Authorization", "source": "environment", "names": ["BUILD_TOKEN"]}
        ],
    }
    path = neutral_environment / "config.toml"
    path.write_text("# mine\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert cli("servers", "add", "build", "http://other/mcp").code == 2
    assert cli("servers", "add", "other", "http://host/mcp").code == 2
    assert cli("add", "build", "t1", "--no-check").code == 0
    asked = cli("servers", "remove", "build")
    assert asked.code == 2, "without a terminal nothing is asked"
    assert "--yes" in asked.err
    assert cli("servers", "remove", "build", "--yes").code == 0
    assert path.read_text(encoding="utf-8").startswith("# mine\n")
    assert len(cli("list", "-q").lines) == 1, "its handles stay"


def test_where_credentials_come_from_is_told_and_never_what_they_are(
    cli: Cli, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    neutral_environment.mkdir(mode=0o700)
    (neutral_environment / "config.toml").write_text(
        '[servers.a]\nurl = "http://a/mcp"\n'
        'headers = { Authorization = "Bearer ${SET_HERE}${NOT_SET_HERE}", X-Team = "blue" }\n'
        '[servers.b]\nurl = "http://b/mcp"\ntoken_command = ["pass", "show", "hush-1"]\n'
        '[servers.c]\nurl = "http://c/mcp"\nheaders = { X-Api-Key = "hush-2" }\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("SET_HERE", "hush-3")
    listed = cli("servers", "list").out
    assert "Authorization from $SET_HERE, $NOT_SET_HERE\n" in listed
    assert "Authorization from token_command pass\n" in listed
    assert "X-Api-Key in plain text in the settings\n" in listed
    checked = cli("doctor", "--offline")
    assert checked.code == 2
    assert re.search(r"BAD  credentials +a: .*; not set here: NOT_SET_HERE\n", checked.out)
    assert re.search(r"ok   credentials +b: Authorization from token_command pass\n", checked.out)
    monkeypatch.setenv("NOT_SET_HERE", "")
    assert cli("doctor", "--offline").code == 0
    said = listed + checked.out + cli("servers", "list", "--json").out
    assert "hush" not in said + cli("doctor", "--offline", "--json").out


def test_a_missing_variable_is_said_and_nothing_is_sent(cli: Cli) -> None:
    cli("servers", "add", "b", SERVER, "--header", "Authorization: Bearer ${NOT_SET_HERE}")
    outcome = cli("tools", "b")
    assert outcome.code == 6
    assert "NOT_SET_HERE is not set" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "nope"], "no saved task 'nope'"),
        (["lst"], "did you mean list?"),
        (["add", "ftp://x", "t"], "starts with http:// or https://"),
        (["add", "http://me:pw@host/mcp", "t"], "no user name or password"),
        (["add", "nowhere", "t"], "no server named 'nowhere'"),
        (["add", SERVER, "", "--no-check"], "TASK_ID is empty"),
        (["call", SERVER], "name the SERVER and the TOOL"),
        (["call", SERVER, "t", "--args", "{"], "--args is not JSON"),
        (["call", SERVER, "t", "--args", "[1]"], "one JSON object"),
        (["call", SERVER, "t", "--arg", "novalue"], "name=value"),
        (["call", SERVER, "t", "--answer", "x={}"], "--answer goes with --resume"),
        (["call", "--resume", "/no/such/file"], "cannot be read"),
        (["wait"], "Missing argument"),
        (["wait", "nope"], "no saved task"),
        (["wait", "x", "--timeout", "-1"], "--timeout"),
        (["update", "nope"], "--form shows what is asked"),
        (["servers", "add", "a b", "http://x/"], "a server name is letters"),
        (["servers", "add", "a", "http://x/", "--header", "no colon"], "Name: value"),
        (["servers", "remove", "nope"], "no server named 'nope'"),
        (["demo", "--only", "nope"], "no lifecycle is called nope"),
        (["demo", "--only", "form", "--scene", "tour"], "say one of them"),
        (["demo", "--port", "0"], "--port"),
        ([], "the screen needs a terminal"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(cli: Cli, arguments: list[str], words: str) -> None:
    outcome = cli(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_a_broken_settings_file_is_one_line(cli: Cli, neutral_environment: Path) -> None:
    neutral_environment.mkdir()
    (neutral_environment / "config.toml").write_text("[engine]\nmin_pol = 1\n", encoding="utf-8")
    outcome = cli("list")
    assert outcome.code == 2
    assert (
        "config.toml, line 2: engine.min_pol is no setting; did you mean min_poll?" in outcome.err
    )


def test_doctor_tells_where_things_are(cli: Cli, neutral_environment: Path) -> None:
    added(cli, "t1")
    outcome = cli("doctor")
    assert outcome.code == 0
    assert str(neutral_environment) in outcome.out
    report = cli("doctor", "--json").json
    assert all(finding["ok"] for finding in report["findings"])


#: What a quick command does without: the screen, the wire, the engine's loop, and modules of the
#: standard library that only a mistake, a settings file or a terminal needs.
_HEAVY = {
    *("textual", "rich", "httpx", "aiohttp", "pydantic", "jsonschema", "asyncio", "tomlkit"),
    *("platformdirs", "tomllib", "shutil", "difflib", "tempfile", "subprocess", "logging"),
    *("importlib.metadata", "hashlib", "unicodedata", "string"),
    *("mcp_tasks_tui.handles.salvage", "mcp_tasks_tui.handles.interchange"),
    *("mcp_tasks_tui.handles.check", "mcp_tasks_tui.config.checking"),
}
_STORE = {"sqlite3", "json", "pathlib", "dataclasses", "mcp_tasks_tui.config.model"}
_SAVING = {"hashlib"}  # a new handle's key


@pytest.mark.parametrize(
    ("command", "without"),
    [
        (["--version"], _HEAVY | _STORE),
        (["--help"], (_HEAVY | _STORE) - {"shutil"}),  # click asks for the width
        (["list"], _HEAVY),
        (["list", "--json"], _HEAVY),
        (["list", "--quiet"], _HEAVY),
        (["show", "t1"], _HEAVY),
        (["show", "t1", "--json"], _HEAVY),
        (["add", SERVER, "t2", "--no-check"], _HEAVY - _SAVING),
    ],
)
def test_quick_commands_import_only_what_they_need(
    cli: Cli, command: list[str], without: set[str]
) -> None:
    added(cli, "t1")
    script = (
        "import sys; from mcp_tasks_tui.cli.main import run; code = run(sys.argv[1:]);"
        f"needless = sorted({without!r} & set(sys.modules));"
        "print('NEEDLESS', needless, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert "NEEDLESS []" in done.stderr


def test_an_empty_list_says_why_it_is_empty(cli: Cli) -> None:
    assert "makes one" in cli("list").err
    key = added(cli, "t1")
    assert cli("archive", key).code == 0
    assert cli("list").err == "no saved tasks but archived ones; --all adds 1 archived task\n"
    assert "fits the filter; --all adds 1" in cli("list", "--filter", "tag:x").err
    assert cli("list", "-q").err == ""


def test_columns_give_way_to_the_width_of_the_terminal_the_widest_first() -> None:
    assert fit([4, 10, 40, 8], 200) == [4, 10, 40, 8]
    assert fit([4, 10, 40, 8], 46) == [4, 10, 16, 8]
    assert fit([4, 60, 60], 40) == [4, 15, 15]
    assert fit([4, 60, 60], 2) == [4, 8, 8], "something of each is left"
    assert fit([], 2) == []


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_list_on_a_terminal_is_as_wide_as_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    """Wide characters are two cells wide."""
    added(cli, "t1", "--label", "夜間ビルド🚀" * 20)
    added(cli, "t2", "--label", "plain " * 30)
    piped = cli("list").lines
    assert max(map(width, piped)) > 200, "a pipe gets all of it"
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    lines = cli("list").lines
    assert max(map(width, lines)) <= columns
    assert {cells_before(line, "127.") for line in lines if "127." in line} <= {
        cells_before(lines[0], "SERVER")
    }


def cells_before(line: str, word: str) -> int:
    return width(line.partition(word)[0])


def test_damage_that_is_found_while_reading_is_said(cli: Cli, neutral_environment: Path) -> None:
    (key,) = cli("add", "--no-check", SERVER, "t1", "--label", "mine").lines
    with closing(sqlite3.connect(neutral_environment / "tasks.db")) as raw:
        raw.execute("UPDATE handles SET label = x'ff'")
        raw.commit()
    told = cli("doctor", "--offline")
    assert told.code == 70
    assert "handles.label holds bytes" in told.out
    shown = cli("list")
    assert shown.code == 0
    assert "mine" in shown.out
    assert shown.err.count("\n") == 1
    assert "the database was damaged (handles.label holds bytes" in shown.err
    assert cli("list").err == ""
    assert cli("show", key).code == 0


def test_doctor_does_not_call_a_lost_call_ok(cli: Cli, neutral_environment: Path) -> None:
    with HandleStore.open(neutral_environment) as store:
        store.lose_call(store.begin_call("http://one.test/mcp", "build", {}, None))
    told = cli("doctor", "--offline")
    assert told.code == 0
    wanted = [line for line in told.lines if not line.startswith("ok ")]
    assert [line.split()[:3] for line in wanted] == [["SEE", "lost", "call"]]
    assert cli("doctor", "--offline", "--forget-calls").out.count("SEE") == 0

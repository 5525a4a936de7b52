"""What is a secret in a session is in no byte that is written: home, log, stdout, stderr."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.scripted import Scripted
from tests.commandline import Cli, Outcome

HEADER = "hdr-5e0cf1a7"
TOKEN = "tok-93b1d2e8"
ANSWER = "ans-c47a90bb"
DRAFT = "ref-12f8e6d4"
SECRETS = (HEADER, TOKEN, ANSWER, DRAFT)


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as scripted:
        yield scripted


def session(cli: Cli, server: Scripted, folder: Path) -> Iterator[Outcome]:
    """Add, read, call, answer, fail, import: each with secrets on the way, all with --debug."""
    yield cli("servers", "add", "s", server.url, "--header", "X-Api-Key: ${OUR_KEY}")
    settings = folder / "config.toml"
    printing = json.dumps([sys.executable, "-c", "import os; print(os.environ['OUR_TOKEN'])"])
    with settings.open("a", encoding="utf-8") as file:
        file.write(f"token_command = {printing}\n")
    yield cli("--debug", "servers", "test", "s")
    yield cli("--debug", "tools", "s")
    yield cli("--debug", "call", "s", "working")
    yield cli("--debug", "add", "s", "asks")
    yield cli("--debug", "update", "asks", "--accept", json.dumps({"reason": ANSWER}))
    yield cli("--debug", "update", "asks", "--accept", json.dumps({"reason": 1, "x": DRAFT}))
    asked = cli("--debug", "call", "s", "asks-first")
    yield asked
    answer = json.dumps({"reason": ANSWER})
    yield cli("--debug", "call", "--resume", "-", "--answer", answer, stdin=asked.out)
    yield cli("--debug", "wait", "asks", "working", "--timeout", "0.3")
    yield cli("--debug", "show", "asks", "--journal", "--refresh")
    yield cli("--debug", "cancel", "asks")
    entry = {"taskId": "t", "server": "s", "headers": {"Authorization": f"Bearer {TOKEN}"}}
    yield cli("--debug", "import", stdin=json.dumps([entry]))
    theirs = {"h": {"url": "http://h/mcp", "headers": {"Authorization": f"Bearer {TOKEN}"}}}
    yield cli("--debug", "servers", "import", "-", stdin=json.dumps({"mcpServers": theirs}))
    yield cli("--debug", "servers", "add", "o", "http://o/", "--header", f"X-Token: {TOKEN}")
    yield cli("--debug", "export")
    yield cli("--debug", "doctor", "--offline")


def test_no_secret_of_a_session_is_written_anywhere(
    cli: Cli, server: Scripted, neutral_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_KEY", HEADER)
    monkeypatch.setenv("OUR_TOKEN", TOKEN)
    outcomes = list(session(cli, server, neutral_environment))
    assert server.sent("tasks/update") == 1
    sent = json.dumps(server.messages)
    assert ANSWER in sent, "the answer went out"
    assert DRAFT not in sent, "what its schema refuses does not"
    said = "".join(outcome.out + outcome.err for outcome in outcomes)
    log = neutral_environment / "log" / "mcp-tasks-tui.log"
    assert "tasks/update" in log.read_text(encoding="utf-8")
    written = {path: path.read_bytes() for path in neutral_environment.rglob("*") if path.is_file()}
    assert len(written) >= 4
    for secret in SECRETS:
        assert secret not in said
        assert [path for path, data in written.items() if secret.encode() in data] == []


def test_everything_is_private_whatever_the_umask(
    cli: Cli, server: Scripted, neutral_environment: Path
) -> None:
    before = os.umask(0)
    try:
        assert cli("servers", "add", "s", server.url).code == 0
        assert cli("--debug", "add", "s", "done").code == 0
        assert cli("wait", "done").code == 0
    finally:
        os.umask(before)
    for path in (neutral_environment, *neutral_environment.rglob("*")):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_settings_of_another_program_are_left_alone(cli: Cli, neutral_environment: Path) -> None:
    neutral_environment.mkdir()
    other = neutral_environment / "other.toml"
    for content in ("[section]\nvalue = 1\n", "no settings at all"):
        other.write_text(content)
        other.chmod(0o644)
        (neutral_environment / "config.toml").unlink(missing_ok=True)
        (neutral_environment / "config.toml").symlink_to(other)
        assert cli("servers", "add", "s", "http://127.0.0.1:9/").code == 2
        assert (other.read_text(), stat.S_IMODE(other.stat().st_mode)) == (content, 0o644)

"""What the shell offers on Tab: commands, options, keys of saved tasks, names of servers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from mcp_tasks_tui.cli.main import cli as root
from tests.commandline import Cli

_URL = "http://127.0.0.1:9/mcp"


@pytest.fixture
def home(neutral_environment: Path) -> Path:
    """The data folder; it is not there yet."""
    return neutral_environment


def offered(*words: str) -> dict[str, str | None]:
    """What is offered for the last of `words`, each with what is said of it."""
    shell = ShellComplete(root, {}, "mcp-tasks-tui", "_MCP_TASKS_TUI_COMPLETE")
    return {item.value: item.help for item in shell.get_completions([*words[:-1]], words[-1])}


def saved(cli: Cli, task_id: str, label: str) -> str:
    return cli("add", _URL, task_id, "--label", label, "--no-check").out.strip()


def test_commands_and_options(home: Path) -> None:
    assert {"list", "call", "servers"} <= offered("").keys()
    assert [*offered("servers", "re")] == ["remove"]
    assert [*offered("wait", "k7f2", "--a")] == ["--any"]
    assert "--header" in offered("servers", "add", "--")


def test_keys_come_with_what_their_tasks_are_called(cli: Cli, home: Path) -> None:
    first, second = saved(cli, "t1", "Build \x1b[31mred"), saved(cli, "t2", "Deploy")
    both = {first: "Build ^[[31mred", second: "Deploy"}
    for command in ("show", "wait", "cancel", "result", "update", "archive", "export"):
        assert offered(command, "") == both
    assert offered("show", first) == {first: both[first]}
    assert offered("wait", first, "") == both
    assert offered("restore", "") == {}
    assert cli("archive", first).code == 0
    assert (offered("restore", ""), offered("show", "")) == (
        {first: both[first]},
        {second: both[second]},
    )


def test_servers_by_their_names(cli: Cli, home: Path) -> None:
    cli("servers", "add", "build", _URL)
    for command in ("call", "tools", "add"):
        assert offered(command, "b") == {"build": _URL}
    assert offered("servers", "remove", "") == offered("servers", "test", "") == {"build": _URL}


def test_what_cannot_be_read_offers_nothing_and_makes_nothing(home: Path) -> None:
    assert offered("show", "") == offered("call", "") == {}
    assert not home.exists()
    home.mkdir()
    (home / "config.toml").write_text("[")
    (home / "tasks.db").mkdir()
    (home / "receipts.jsonl").mkdir()
    assert offered("show", "") == offered("call", "") == {}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here to ask")
def test_bash_asks_the_program(cli: Cli, home: Path, tmp_path: Path) -> None:
    program = tmp_path / "mcp-tasks-tui"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mcp_tasks_tui "$@"\n')
    program.chmod(0o700)
    key = saved(cli, "t1", "Build")
    probe = (
        f"{cli('completion', 'bash').out}\nCOMP_WORDS=(mcp-tasks-tui show ''); COMP_CWORD=2;"
        f' _mcp_tasks_tui_completion {program}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", probe],
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "MCP_TASKS_TUI_HOME": str(home)},
    )
    assert done.stdout.split() == [key]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_reads_its_script(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).out
    assert "_MCP_TASKS_TUI_COMPLETE" in script
    binary = shutil.which(shell)
    if binary is not None:
        subprocess.run([binary, "-n", "/dev/stdin"], input=script, text=True, check=True)


def test_an_unknown_shell_is_wrong_usage(cli: Cli) -> None:
    assert cli("completion", "cmd").code == 2

"""Completion scripts: static, whole, and understood by the shells that are here."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from mcp_tasks_tui.cli.main import cli as root
from tests.commandline import Cli


def completed(script: str, *words: str) -> list[str]:
    """What bash offers for the last of `words`."""
    line = " ".join(f"'{word}'" for word in ("mcp-tasks-tui", *words))
    probe = (
        f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _mcp_tasks_tui;"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", probe], check=True, capture_output=True, text=True, timeout=10
    )
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here to ask")
def test_bash_completes_commands_and_options(cli: Cli) -> None:
    script = cli("completion", "bash").out
    assert {"list", "call", "servers"} <= set(completed(script, ""))
    assert completed(script, "servers", "re") == ["remove"]
    assert completed(script, "wait", "k7f2", "--a") == ["--any"]
    assert "--header" in completed(script, "servers", "add", "--")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_every_script(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).out
    commands = root.list_commands(root.make_context("x", ["list"]))
    assert all(command in script for command in commands)
    binary = shutil.which(shell)
    if binary is not None:
        subprocess.run([binary, "-n", "/dev/stdin"], input=script, text=True, check=True)


def test_an_unknown_shell_is_wrong_usage(cli: Cli) -> None:
    assert cli("completion", "cmd").code == 2

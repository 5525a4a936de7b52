"""A key in place of a command opens that task alone; anything else is a mistake, as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.screen_options import ScreenOptions
from tests.commandline import Cli

SERVER = "http://127.0.0.1:9/mcp"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, bool]]:
    """Which task each screen was opened on, and whether it was read only."""
    found: list[tuple[str | None, bool]] = []

    def note(options: ScreenOptions, *, alone: str | None = None) -> Exit:
        found.append((alone, options.read_only))
        return Exit.DONE

    monkeypatch.setattr("mcp_tasks_tui.cli.screen.open_screen", note)
    return found


def test_a_key_or_task_id_opens_that_task_alone(cli: Cli, opened: list[Any]) -> None:
    assert cli("add", SERVER, "task-1", "--no-check").code == 0
    key = cli("list", "-q").out.strip()
    assert cli(key).code == 0
    assert cli("--read-only", "task-1").code == 0
    assert opened == [(key, False), (key, True)]


def test_an_id_of_two_tasks_is_told_as_such(cli: Cli, opened: list[Any]) -> None:
    for server in (SERVER, "http://127.0.0.1:10/mcp"):
        assert cli("add", server, "task-1", "--no-check").code == 0
    outcome = cli("task-1")
    assert outcome.code == 2
    assert "no command 'task-1', and as a key 'task-1' fits several: " in outcome.err
    assert not opened


def test_other_words_are_no_commands_and_make_no_store(
    cli: Cli, opened: list[Any], neutral_environment: Path
) -> None:
    outcome = cli("lst")
    assert outcome.code == 2
    assert "did you mean list?" in outcome.err
    assert not neutral_environment.exists()
    assert not opened

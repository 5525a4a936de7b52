"""Options of the screen: they hold for the demo's too, wherever they stand."""

from __future__ import annotations

import socket
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.config.model import Config
from mcp_tasks_tui.demo.scenes import Stage
from tests.commandline import Cli

ALL = ["--ascii", "--no-mouse", "--read-only"]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, bool, bool]]:
    """What each screen was opened with: ASCII, mouse, read only. There is no terminal here."""
    found: list[tuple[bool, bool, bool]] = []

    def note(
        paths: object,
        config: Config,
        *,
        read_only: bool,
        alone: str | None = None,
        beside: Any = None,
    ) -> Exit:
        found.append((config.screen.ascii, config.screen.mouse, read_only))
        return Exit.DONE

    monkeypatch.setattr("mcp_tasks_tui.cli.screen.run_screen", note)
    return found


@pytest.fixture
def demo_is_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its servers are those of the session: that it starts some is shown below."""
    up = nullcontext(stage)
    monkeypatch.setattr("mcp_tasks_tui.cli.commands.demo._servers", lambda *_: up)


@pytest.mark.usefixtures("demo_is_up")
@pytest.mark.parametrize(
    "arguments",
    [ALL, [*ALL, "demo"], ["demo", *ALL], ["--ascii", "demo", "--no-mouse", "--read-only"]],
    ids=" ".join,
)
def test_every_screen_opens_as_wished(
    cli: Cli, opened: list[tuple[bool, bool, bool]], arguments: list[str]
) -> None:
    assert cli(*arguments).code == 0
    assert opened == [(True, False, True)]


def test_the_demo_is_plain_without_wishes(cli: Cli, opened: list[tuple[bool, bool, bool]]) -> None:
    assert cli("demo").code == 0
    assert opened == [(False, True, False)]


def test_settings_hold_beside_the_options(
    cli: Cli, opened: list[tuple[bool, bool, bool]], neutral_environment: Path
) -> None:
    neutral_environment.mkdir()
    (neutral_environment / "config.toml").write_text("[screen]\nascii = true\n", encoding="utf-8")
    assert cli("--no-mouse").code == 0
    assert opened == [(True, False, False)]


def test_what_opens_no_screen_refuses_them(cli: Cli) -> None:
    """`--read-only` must not be believed to hold back a call."""
    outcome = cli("--read-only", "call", "http://127.0.0.1:9/mcp", "build")
    assert outcome.code == 2
    assert "--read-only: call opens no screen" in outcome.err


def test_a_port_that_is_taken_is_named(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        outcome = cli("demo", "--serve", "--port", str(port))
    assert outcome.code == 2
    assert f"did not start on port {port}; is it taken?" in outcome.err

"""Starting a browser: the screen goes on meanwhile, and nothing of the browser is written on it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.ui.links import open_in_browser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Program = Callable[[str, str], Path]

URL = "https://mcp.example.com/connect?state=1&to=a%20b"
TOOLS = "/usr/bin:/bin"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Make programs that are found before others; no browser is named and no desktop there."""
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")

    def make(name: str, script: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\nPATH={TOOLS}\n{script}\n")
        path.chmod(0o700)
        return path

    return make


async def test_a_browser_gets_the_url_and_not_our_terminal(
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    script = 'echo noise; echo noise >&2; printf "%s" "$1" >"$(dirname "$0")/opened"'
    monkeypatch.setenv("BROWSER", str(program("anything", script)))
    assert await open_in_browser(URL)
    assert (tmp_path / "opened").read_text() == URL
    assert capfd.readouterr() == ("", "")


async def test_the_url_is_in_the_arguments_of_the_browser_alone(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'ps -o args= -p $PPID >"$(dirname "$0")/starter"; cat >"$(dirname "$0")/input"'
    monkeypatch.setenv("BROWSER", str(program("anything", script)))
    assert await open_in_browser(URL)
    assert "mcp_tasks_tui.ui.terminal.browser" in (tmp_path / "starter").read_text()
    assert "mcp.example.com" not in (tmp_path / "starter").read_text()
    assert (tmp_path / "input").read_text() == ""


async def test_one_that_cannot_or_would_take_the_terminal_is_none(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program("lynx", 'touch "$(dirname "$0")/taken"')
    assert not await open_in_browser(URL), "found by itself"
    monkeypatch.setenv("BROWSER", "lynx")
    assert not await open_in_browser(URL), "named"
    monkeypatch.setenv("BROWSER", str(program("failing", "exit 3")))
    assert not await open_in_browser(URL)
    assert not (tmp_path / "taken").exists()


async def test_the_screen_goes_on_while_the_desktop_is_asked(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    program("xdg-settings", f'cat "{gate}"')
    program("xdg-open", 'printf "%s" "$1" >"$(dirname "$0")/opened"')
    monkeypatch.setenv("DISPLAY", ":0")
    opening = asyncio.create_task(open_in_browser(URL))
    # Where nobody asks, the gate is not waited for either.
    opening.add_done_callback(lambda _: os.close(os.open(gate, os.O_RDONLY | os.O_NONBLOCK)))
    writer = await asyncio.to_thread(os.open, gate, os.O_WRONLY)  # until it is being asked
    assert not opening.done()
    os.close(writer)
    assert await opening
    assert (tmp_path / "opened").read_text() == URL

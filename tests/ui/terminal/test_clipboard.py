"""OSC 52 through whatever is between us and the terminal, and a file where it does not arrive."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.ui.terminal.clipboard import LARGEST, TooLong, copy_sequence
from mcp_tasks_tui.ui.terminal.copying import Copier

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from mcp_tasks_tui.ui.alerts import Severity


def _payload(sequence: str) -> str:
    found = re.search(r"52;c;([A-Za-z0-9+/=]*)", sequence)
    assert found
    return base64.b64decode(found.group(1)).decode()


def test_plain_terminal() -> None:
    sequence = copy_sequence("task-é", {})
    assert sequence.startswith("\x1b]52;c;")
    assert sequence.endswith("\x07")
    assert _payload(sequence) == "task-é"


def test_tmux_gets_both_forms() -> None:
    sequence = copy_sequence("id", {"TMUX": "/tmp/tmux-0/default,1,0"})
    plain, wrapped = sequence.split("\x1bPtmux;")
    assert plain == copy_sequence("id", {})
    assert wrapped == plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def test_screen_gets_pieces_that_it_takes() -> None:
    sequence = copy_sequence("x" * 900, {"STY": "1.pts"})
    pieces = [piece for piece in sequence.split("\x1b\\") if piece]
    assert len(pieces) > 1
    assert all(piece.startswith("\x1bP") and len(piece) < 256 for piece in pieces)
    joined = "".join(piece.removeprefix("\x1bP") for piece in pieces)
    assert joined == copy_sequence("x" * 900, {})


def test_too_much_says_what_to_do() -> None:
    copy_sequence("x" * LARGEST, {})
    with pytest.raises(TooLong, match="too much for a terminal"):
        copy_sequence("x" * (LARGEST + 1), {})


@dataclass
class _Terminal:
    """Takes what is written and said; `work` is what was started beside."""

    folder: Path
    now: float = 100.0
    written: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    work: list[Coroutine[Any, Any, None]] = field(default_factory=list)

    def copier(self) -> Copier:
        return Copier(
            write=self.written.append,
            say=self.say,
            start=self.work.append,
            monotonic=lambda: self.now,
            environ={},
            folder=self.folder,
        )

    def say(self, text: str, severity: Severity = "information", kind: str = "") -> None:
        self.said.append(f"{severity}: {text}")

    async def finish(self) -> None:
        while self.work:
            await self.work.pop()


async def test_what_is_copied_once_more_goes_to_a_private_file(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path)
    copier = terminal.copier()
    copier.copy("tsk-1", "task id")
    assert _payload(terminal.written[0]) == "tsk-1"
    assert "once more: to a file" in terminal.said[-1]
    assert not list(tmp_path.iterdir())
    copier.copy("tsk-1", "task id")
    await terminal.finish()
    (file,) = tmp_path.iterdir()
    assert file.read_text() == "tsk-1"
    assert file.stat().st_mode & 0o777 == 0o600
    assert terminal.said[-1] == f"warning: task id is in {file}"
    assert len(terminal.written) == 1


async def test_another_text_or_the_same_one_later_is_copied_as_usual(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path)
    copier = terminal.copier()
    for text, now in (("a", 0.0), ("b", 1.0), ("b", 60.0)):
        terminal.now = now
        copier.copy(text, "task id")
    assert [_payload(each) for each in terminal.written] == ["a", "b", "b"]
    assert not terminal.work


async def test_what_is_too_large_for_a_terminal_goes_to_a_file_at_once(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path)
    terminal.copier().copy("é" * LARGEST, "result")
    await terminal.finish()
    (file,) = tmp_path.iterdir()
    assert file.read_text() == "é" * LARGEST
    assert not terminal.written
    assert terminal.said[-1].startswith("warning: 148 kB are too much for a terminal's clipboard: ")


async def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    terminal = _Terminal(tmp_path / "not-there")
    terminal.copier().copy("x" * 2 * LARGEST, "result")
    await terminal.finish()
    assert terminal.said[-1].startswith("error: ")

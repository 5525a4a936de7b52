"""OSC 52 through whatever is between us and the terminal."""

from __future__ import annotations

import base64
import re

import pytest

from mcp_tasks_tui.ui.clipboard import LARGEST, TooLong, copy_sequence


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

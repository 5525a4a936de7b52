"""Judges what reached a terminal: only what this program itself may write."""

from __future__ import annotations

import re

from tests.terminal import ESCAPE, Terminal

#: Styles, cursor positions, erasing to the end of a line; modes and the queries for them; the
#: keyboard protocol; the shape of the pointer. These cannot be told from a server's by their kind,
#: so that `_THEIRS` is looked for besides.
_OURS = re.compile(
    rb"\x1b\[[0-9;]*m|\x1b\[[0-9]+;[0-9]+H|\x1b\[[0-9]*K"
    rb"|\x1b\[\?[0-9;]+[hl]|\x1b\[\?[0-9]+\$p|\x1b\[[<>=][0-9;]*u"
    rb"|\x1b\]22;[a-z-]+\x07"
)
#: Sequences that hostile texts have and this program never writes.
_THEIRS = (b"\x1b[31m", b"\x1b[5m", b"\x1b[2J", b"\x1b[3J", b"\x1b[H", b"\x1b[0mX", b"\x9b31m")
#: Controls but line ends, and what makes text read otherwise than it is: C1, bidi, zero width.
_CONTROLS = re.compile(
    "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)


def assert_clean(output: bytes) -> None:
    """Nothing in `output` can have been put there raw by a server."""
    for sequence in _THEIRS:
        assert sequence not in output, sequence
    text = _OURS.sub(b"", output).decode("utf-8")
    for found in _CONTROLS.finditer(text):
        start = max(0, found.start() - 40)
        raise AssertionError(f"raw {found[0]!r} in …{text[start : found.end() + 40]!r}")


def look_everywhere(terminal: Terminal, *, asks: bool = False) -> None:
    """Open every view of the task under the cursor, one after the other.

    Of a task that asks nothing there is no form to be left: a key that draws nothing is waited
    for in vain.
    """
    form = ("u", ESCAPE) if asks else ("u",)
    terminal.press("\r", "J", ESCAPE, "v", "v", "e", ESCAPE, *form, "\x10", ESCAPE)

"""The terminal's clipboard (OSC 52), also through tmux and screen.

Whether a terminal takes what it is sent cannot be known: nothing here claims more than that it
was sent.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.words import size

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Terminals drop longer sequences, some of them together with what follows.
LARGEST = 74_000
_SCREEN_CHUNK = 250


class TooLong(ValueError):
    """More than terminals take; the message says what to do instead."""


def copy_sequence(text: str, environ: Mapping[str, str]) -> str:
    """Return what to write to the terminal to put `text` on its clipboard.

    Raises:
        TooLong: `text` is larger than terminals take.
    """
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        raise TooLong(f"{size(len(data))} are too much for a terminal's clipboard")
    return through_multiplexer(f"\x1b]52;c;{b64encode(data).decode('ascii')}\x07", environ)


def through_multiplexer(sequence: str, environ: Mapping[str, str]) -> str:
    """Return `sequence` so that it gets through tmux or screen to the terminal around it.

    tmux takes the plain form with ``set-clipboard on`` and the wrapped one with
    ``allow-passthrough on``; it ignores the other, so it gets both.
    """
    if environ.get("TMUX"):
        wrapped = sequence.replace("\x1b", "\x1b\x1b")
        return f"{sequence}\x1bPtmux;{wrapped}\x1b\\"
    if environ.get("STY"):
        chunks = (
            sequence[at : at + _SCREEN_CHUNK] for at in range(0, len(sequence), _SCREEN_CHUNK)
        )
        return "".join(f"\x1bP{chunk}\x1b\\" for chunk in chunks)
    return sequence

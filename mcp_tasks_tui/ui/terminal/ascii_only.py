"""The signs that are drawn, in ASCII: for terminals and fonts without the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

if TYPE_CHECKING:
    from textual.color import Color

#: A sign and its stand-in of the same width, pair by pair.
_SIGNS = (
    "●* ◐= ◆? ○. ✗x ▲! ✓+ ■- ◌~ ━= ╸= ░. ▸> ▾v ▼v ▶> •* ·- ≈~ …~ ‹< ›> «< »> ↗^ ▣# ▪* –- —- "
    "⠋| ⠙/ ⠸- ⠴\\ ⠦| ⠇/ ▁_ ▂_ ▃. ▄. ▅: ▆= ▇= ▔- ↓v ↑^ →> ←< ⏎< ×x ▎| ▏| ▍| ▌| ▐| ▕| ▀# █# "
    "⟨< ⟩> ‖| \ufffd?"
)
_BOX = range(0x2500, 0x2580)
_BLOCKS = range(0x2580, 0x25A0)
_CONTROLS = range(0x2400, 0x2440)
_ACROSS = frozenset("─━┄┅┈┉╌╍═╴╶╸╺╼╾")
_UPRIGHT = frozenset("│┃┆┇┊┋╎╏║╵╷╹╻╽╿")


def _box(sign: str) -> str:
    if sign in _ACROSS:
        return "-"
    return "|" if sign in _UPRIGHT else "+"


_TABLE: dict[int, str] = {
    **{code: _box(chr(code)) for code in _BOX},
    **dict.fromkeys(_BLOCKS, "#"),
    **dict.fromkeys(_CONTROLS, "?"),
    **{ord(pair[0]): pair[1] for pair in _SIGNS.split()},
}


def in_ascii(text: str) -> str:
    """Return `text` with signs in ASCII, cell by cell; letters of any script stay."""
    return text if text.isascii() else text.translate(_TABLE)


class AsciiSigns(LineFilter):
    """Draws everything of the app so: also borders, buttons, toasts and the palette."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            each if each.text.isascii() else Segment(in_ascii(each.text), each.style, each.control)
            for each in segments
        ]

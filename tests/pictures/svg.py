"""A screen as an SVG file that is the same each time and stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

_GENERATED_ID = re.compile(r"terminal-\d+")
_WEB_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FONTS = re.compile(r"font-family: Fira Code, ?monospace")
_MONOSPACE = (
    "font-family: ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
)
#: What stands for a character of a task id: it may be all that is needed to read the task.
_MASK = "•"


#: A text that begins with blanks: not every program that shows SVG keeps them.
_INDENTED = re.compile(
    r'(<text [^>]*?\bx=")([\d.]+)("[^>]*?\btextLength=")([\d.]+)("[^>]*>)((?:&#160;)+)(?!<)'
)
#: Width of a character in the pictures that rich draws.
_CHARACTER = 12.2


def tidy(svg: str, *, secrets: Iterable[str] = ()) -> str:
    """Return the picture with a fixed id, fonts of the reader's machine and masked `secrets`.

    A secret is masked also where only its beginning is shown (eight characters or more), or its
    end on a line of its own.
    """
    svg = _GENERATED_ID.sub("terminal", svg)
    svg = _WEB_FONT.sub("", svg)
    svg = _FONTS.sub(_MONOSPACE, svg)
    svg = _INDENTED.sub(_unindented, svg)
    for secret in secrets:
        svg = _parts_of(secret).sub(lambda found: _MASK * len(found[0]), svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _unindented(found: re.Match[str]) -> str:
    """The same text without its blanks, as far to the right as it was."""
    before, x, middle, length, after, blanks = found.groups()
    indent = _CHARACTER * (len(blanks) // len("&#160;"))
    return f"{before}{float(x) + indent:g}{middle}{float(length) - indent:g}{after}"


def _parts_of(secret: str) -> re.Pattern[str]:
    beginning = re.escape(secret[:8]) + "".join(f"(?:{re.escape(each)}" for each in secret[8:])
    ends = "|".join(re.escape(secret[start:]) for start in range(8, len(secret) - 3))
    return re.compile(f"{beginning}{')?' * len(secret[8:])}|(?<=>)(?:{ends})(?=<)")

"""Letters and digits of many cells, to be read from across the room."""

from __future__ import annotations

from itertools import zip_longest

_PIXELS: dict[str, tuple[str, ...]] = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
    "%": ("#  #", "  # ", " ## ", " #  ", "#  #"),
    "?": ("###", "  #", " ##", "   ", " # "),
    " ": (" ", " ", " ", " ", " "),
    "d": ("  #", "  #", "###", "# #", "###"),
    "h": ("#  ", "#  ", "###", "# #", "# #"),
    "m": ("     ", "     ", "#####", "# # #", "# # #"),
    "s": ("   ", " ##", "#  ", "  #", "## "),
    "A": ("###", "# #", "###", "# #", "# #"),
    "C": ("###", "#  ", "#  ", "#  ", "###"),
    "D": ("## ", "# #", "# #", "# #", "## "),
    "E": ("###", "#  ", "## ", "#  ", "###"),
    "F": ("###", "#  ", "## ", "#  ", "#  "),
    "G": ("###", "#  ", "# #", "# #", "###"),
    "I": ("###", " # ", " # ", " # ", "###"),
    "L": ("#  ", "#  ", "#  ", "#  ", "###"),
    "N": ("#  #", "## #", "# ##", "#  #", "#  #"),
    "O": ("###", "# #", "# #", "# #", "###"),
    "P": ("###", "# #", "###", "#  ", "#  "),
    "R": ("###", "# #", "## ", "# #", "# #"),
    "T": ("###", " # ", " # ", " # ", " # "),
    "B": ("## ", "# #", "## ", "# #", "## "),
    "H": ("# #", "# #", "###", "# #", "# #"),
    "J": ("  #", "  #", "  #", "# #", "###"),
    "K": ("# #", "# #", "## ", "# #", "# #"),
    "M": ("#   #", "## ##", "# # #", "#   #", "#   #"),
    "Q": ("###", "# #", "# #", "###", "  #"),
    "S": ("###", "#  ", "###", "  #", "###"),
    "V": ("# #", "# #", "# #", "# #", " # "),
    "W": ("#   #", "#   #", "# # #", "# # #", " # # "),
    "X": ("# #", "# #", " # ", "# #", "# #"),
    "Y": ("# #", "# #", " # ", " # ", " # "),
    "Z": ("###", "  #", " # ", "#  ", "###"),
    "-": ("   ", "   ", "###", "   ", "   "),
    "_": ("   ", "   ", "   ", "   ", "###"),
    ".": (" ", " ", " ", " ", "#"),
    "/": ("  #", "  #", " # ", "#  ", "#  "),
    ":": (" ", "#", " ", "#", " "),
    "U": ("# #", "# #", "# #", "# #", "###"),
    "≈": (" # #", "# # ", "    ", " # #", "# # "),
    "l": ("## ", " # ", " # ", " # ", "###"),
    "e": ("   ", "###", "# #", "## ", "###"),
    "f": (" ##", " # ", "###", " # ", " # "),
    "t": (" # ", "###", " # ", " # ", " ##"),
    ",": (" ", " ", " ", "#", "#"),
    "(": (" #", "# ", "# ", "# ", " #"),
    ")": ("# ", " #", " #", " #", "# "),
    "+": ("   ", " # ", "###", " # ", "   "),
    "#": ("# #", "###", "# #", "###", "# #"),
    "'": ("#", "#", " ", " ", " "),
}
#: Rows of a letter at scale 1, and of a small one, whose pixels are half as high and wide.
HEIGHT, SMALL_HEIGHT = 5, 3
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def width(text: str, scale: int) -> int:
    """Return how many cells `text` takes; a pixel is two cells wide at scale 1."""
    pixels = sum(len(_PIXELS[char][0]) for char in text) + len(text) - 1
    return pixels * 2 * scale


def fits_small(text: str, cells: int, rows: int) -> bool:
    """Tell whether `text` fits in small letters."""
    known = bool(text) and all(char in _PIXELS for char in text)
    return known and rows >= SMALL_HEIGHT and width(text, 1) // 2 <= cells


def fitting_scale(text: str, cells: int, rows: int) -> int:
    """Return the largest scale at which `text` fits, 0 where none does."""
    if not text or any(char not in _PIXELS for char in text):
        return 0
    scale = max(0, rows // HEIGHT)
    while scale and width(text, scale) > cells:
        scale -= 1
    return scale


def large(text: str, scale: int) -> list[str]:
    """Return the lines of `text` in large letters."""
    lines = []
    for pixels in _rows(text):
        line = "".join(("█" if pixel == "#" else " ") * 2 * scale for pixel in pixels)
        lines += [line] * scale
    return lines


def small(text: str) -> list[str]:
    """Return the lines of `text` in small letters, made of half blocks."""
    rows = [*_rows(text), ""]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return [
        "".join(
            _HALVES[above == "#", below == "#"]
            for above, below in zip_longest(upper, lower, fillvalue=" ")
        )
        for upper, lower in pairs
    ]


def _rows(text: str) -> list[str]:
    return [" ".join(_PIXELS[char][row] for char in text) for row in range(HEIGHT)]

"""Letters and digits of many cells, to be read from across the room."""

from __future__ import annotations

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
#: Pixels of a letter from top to bottom. At size 1 a pixel is one cell wide and half a line high.
_PIXEL_ROWS = 5
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def width(text: str, size: int) -> int:
    """Return how many cells `text` takes."""
    return (sum(len(_PIXELS[char][0]) for char in text) + len(text) - 1) * size


def rows_of(size: int) -> int:
    """Return how many lines letters take."""
    return (_PIXEL_ROWS * size + 1) // 2


def fitting_size(text: str, cells: int, rows: int) -> int:
    """Return the largest size at which `text` fits, 0 where none does."""
    if not text or any(char not in _PIXELS for char in text):
        return 0
    return max(0, min(cells // width(text, 1), rows * 2 // _PIXEL_ROWS))


def letters(text: str, size: int) -> list[str]:
    """Return the lines of `text` in letters made of blocks and half blocks."""
    rows = [
        [pixel == "#" for pixel in row for _ in range(size)]
        for row in (" ".join(_PIXELS[char][at] for char in text) for at in range(_PIXEL_ROWS))
        for _ in range(size)
    ]
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(map(_half, upper, lower)) for upper, lower in pairs]


def _half(above: bool, below: bool) -> str:
    return _HALVES[above, below]

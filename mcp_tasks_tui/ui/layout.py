"""How the parts share a window of some size, as style classes of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.geometry import Size

WIDE = "-wide"
STACKED = "-stacked"
SINGLE = "-single"
TOO_SMALL = "-too-small"
LAYOUTS = (WIDE, STACKED, SINGLE, TOO_SMALL)
#: The panel has the window for itself, until a person goes back to the list.
ZOOMED = "-zoomed"


def layout_of(width: int, height: int) -> str:
    """Return the layout: list and panel side by side, above each other, or one at a time."""
    if width < 40 or height < 10:
        return TOO_SMALL
    if width >= 100:
        return WIDE
    if width >= 60 and height >= 18:
        return STACKED
    return SINGLE


def arrange_for(screen: DOMNode, size: Size) -> None:
    chosen = layout_of(size.width, size.height)
    if not screen.has_class(chosen):
        screen.remove_class(*LAYOUTS, update=False)  # styling all that is in it once is enough
        screen.add_class(chosen)

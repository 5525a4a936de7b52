"""How the parts share a window of some size, as style classes of the screen."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.dom import DOMNode
    from textual.geometry import Size

WIDE = "-wide"
STACKED = "-stacked"
SINGLE = "-single"
TOO_SMALL = "-too-small"
LAYOUTS = (WIDE, STACKED, SINGLE, TOO_SMALL)
#: A task is being read: where there is no room for both, its panel stands in the list's place.
READING = "-reading"
_REMEMBERED = "panel"


class PanelSize(StrEnum):
    """How much of the window the task panel has, where list and panel could share it."""

    HIDDEN = "hidden"
    USUAL = "usual"
    LARGE = "large"
    WHOLE = "whole"

    @property
    def style_class(self) -> str:
        return f"-panel-{self.value}"

    def larger(self) -> PanelSize:
        """Return the next size up; the largest stays."""
        ups = {self.HIDDEN: self.USUAL, self.USUAL: self.LARGE}
        return ups.get(self, self.WHOLE)

    def smaller(self) -> PanelSize:
        """Return the next size down; the smallest stays."""
        downs = {self.WHOLE: self.LARGE, self.LARGE: self.USUAL}
        return downs.get(self, self.HIDDEN)

    def remembered(self) -> dict[str, Any]:
        return {_REMEMBERED: self.value}

    @classmethod
    def recalled(cls, kept: Mapping[str, Any]) -> Self:
        """Return the size that was kept; what cannot be understood is as usual.

        The whole window is for one task and until a person goes back: it is not kept.
        """
        sizes = (size for size in cls if size is not cls.WHOLE)
        return next((size for size in sizes if size.value == kept.get(_REMEMBERED)), cls.USUAL)


PANEL_SIZES = tuple(size.style_class for size in PanelSize)


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

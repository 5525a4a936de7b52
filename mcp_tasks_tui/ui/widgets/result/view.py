"""What the viewer can do with each of its views: find, step, move, and what only some can."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.widget import Widget

#: Cells of a step to the side.
_ASIDE = 8


class Viewed(Protocol):
    """What every view can do."""

    @property
    def status(self) -> str:
        """Where it stands, for the last line of the window: clean text."""

    @property
    def does(self) -> Mapping[str, Callable[[], object]]:
        """What it does for the viewer's commands that are about a view, by their ids."""

    def find(self, needle: str) -> None:
        """Go to the first place of `needle` and mark all."""

    def step(self, by: int) -> None:
        """Go to the next place found, or the one before."""


def scrolling(view: Widget) -> dict[str, Callable[[], object]]:
    """Return what a view that only scrolls does for the commands that move."""
    go = partial(view.scroll_relative, animate=False, immediate=True)
    page = view.size.height
    return {
        "viewer.down": partial(go, y=1),
        "viewer.up": partial(go, y=-1),
        "viewer.page_down": partial(go, y=page),
        "viewer.page_up": partial(go, y=-page),
        "viewer.first": partial(view.scroll_home, animate=False, immediate=True),
        "viewer.last": partial(view.scroll_end, animate=False, immediate=True),
        "viewer.right": partial(go, x=_ASIDE),
        "viewer.left": partial(go, x=-_ASIDE),
    }

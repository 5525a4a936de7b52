"""Screens that are left once, however often one asks."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class LeavableScreen(Screen[ScreenResultType]):
    """What the screens above the main one are made of.

    Dismissing takes away the screen on top, whoever asks for it. A key that was typed twice
    reaches a screen that has been left already; it must not take away what came after it.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_current else AwaitComplete()

"""A yes counts only once what is asked could be read.

Text that reaches a terminal without the marks of a paste is keys, all at once: one of them asks
whether to do something, and a ``y`` a few letters later would agree to it, unseen.
"""

from __future__ import annotations

import math
import time

from textual import events
from textual.screen import Screen, ScreenResultType

from mcp_tasks_tui.ui.commands.keymap import shown

#: Seconds that the question has to have been in view before anybody can have read it.
TIME_TO_READ = 0.3


class ReadFirst(Screen[ScreenResultType]):
    """A screen that asks. What agrees is to ask `is_considered` first. Name it as the last base: a
    screen has the styles of its first one.

    A key counts from when it was typed, however late it comes through, and a click from when the
    mouse button went down. Keys that mean nothing here start the time again: who types them is not
    reading.
    """

    _readable_at = math.inf
    _acted_at = math.inf
    _acted_by = ""

    def is_considered(self) -> bool:
        """Tell whether what is done just now was asked for by somebody who could have read this;
        where it was not, say so."""
        if self._acted_at > self._readable_at:
            return True
        self.tell_too_early(f"{self._acted_by} came before this could be read: once more for a yes")
        return False

    def tell_too_early(self, why: str) -> None:
        """Say why nothing was done, in our own words."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        self._readable_at = math.inf
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._readable_at = time.monotonic() + TIME_TO_READ

    def on_key(self, event: events.Key) -> None:
        self._acted(event.time, shown(event.key))
        if event.key not in self.active_bindings:
            self._readable_at = max(self._readable_at, event.time + TIME_TO_READ)

    def _forward_event(self, event: events.Event) -> None:
        # On its way to a widget a click is made anew, and with it the time that it tells.
        if isinstance(event, events.MouseDown):
            self._acted(event.time, "that click")
        super()._forward_event(event)

    def _acted(self, at: float, by: str) -> None:
        self._acted_at, self._acted_by = at, by

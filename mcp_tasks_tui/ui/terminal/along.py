"""A key that sends what is filled in counts only by itself.

Text that reaches a terminal without the marks of a paste is keys, all at once: one of them may be
what sends a form, with half of the text in it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mcp_tasks_tui.ui.commands.keymap import action_of

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

#: Seconds between two keys that no hand types: there is the width of a keyboard between them.
TOGETHER = 0.03
#: They send what is filled in, and ask nothing.
_SENDING = frozenset(map(action_of, ("answer.send", "answer.together", "form.done")))


class AlongWithText:
    """Tells of each key, in their order, whether it is a part of a text."""

    def __init__(self) -> None:
        self._last = -math.inf

    def sends(self, key: events.Key, screen: Screen[object]) -> bool:
        """Tell whether `key` came along with another and would send what is filled in."""
        along = key.time - self._last < TOGETHER
        self._last = key.time
        if not along or key.is_printable:
            return False
        bound = screen.active_bindings.get(key.key)
        return bound is not None and bound.binding.action in _SENDING

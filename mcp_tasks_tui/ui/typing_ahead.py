"""What is typed while a field opens: the keys go to what had the keyboard before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.events import Key

if TYPE_CHECKING:
    from textual.widget import Widget


class TypedAhead:
    """Brings such keys to the field that has the keyboard now; else they come back as commands."""

    def __init__(self) -> None:
        self._handed_on: Key | None = None

    def hand_on(self, event: Key, field: Widget | None) -> bool:
        """Hand on what was typed ahead, and tell so."""
        if field is None or event is self._handed_on:
            return False
        if not field.check_consume_key(event.key, event.character):
            return False  # fields keep what they take: what comes back was never theirs
        self._handed_on = Key(event.key, event.character)
        field._forward_event(self._handed_on)
        return True

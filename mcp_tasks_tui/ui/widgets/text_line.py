"""A line to type in. What was filled in for a person gives way to what they type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input
from textual.widgets.input import Selection

if TYPE_CHECKING:
    from textual import events


class TextLine(Input):
    """Going to it by a key selects what was filled in; of what a person typed one goes on at the
    end. A click puts the cursor where it is."""

    DEFAULT_CSS = """
    TextLine:ansi > .input--selection, TextLine:ansi > .input--cursor {
        background: ansi_default; color: ansi_default; text-style: reverse;
    }
    """

    def __init__(
        self,
        text: str = "",
        *,
        filled_in: str | None = None,
        placeholder: str = "",
        password: bool = False,
        blink: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        """`filled_in` is what nobody typed, which `text` may be no more; without it, `text`."""
        super().__init__(
            text,
            placeholder=placeholder,
            password=password,
            id=id,
            compact=True,
            select_on_focus=False,  # which selects what was typed as well
        )
        self.cursor_blink = blink
        self._filled_in = text if filled_in is None else filled_in

    def fill_in(self, text: str) -> None:
        """Set what nobody typed."""
        self._filled_in = self.value = text
        self._place_cursor()

    def on_focus(self, event: events.Focus) -> None:
        if not event.from_app_focus:  # the window was left for another and is back: as it was
            self._place_cursor()

    def _place_cursor(self) -> None:
        end = len(self.value)
        self.selection = Selection(0 if self.value == self._filled_in else end, end)

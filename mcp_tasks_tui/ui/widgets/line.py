"""Static text without markup: the only user of Textual's ``Static`` in this program."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Line(Static):
    """Text on the screen. Takes content alone, so that no string is ever read as markup."""

    DEFAULT_CSS = """
    Line { height: auto; }
    """

    def __init__(
        self,
        text: Content | None = None,
        *,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str | None = None,
    ) -> None:
        super().__init__(text or Content(""), markup=False, id=id, classes=classes)
        self.text = text or Content("")

    def show(self, text: Content, *, layout: bool = True) -> None:
        """Show `text`; nothing is drawn when it is what is shown already."""
        if not text.is_same(self.text):
            self.text = text
            self.update(text, layout=layout)

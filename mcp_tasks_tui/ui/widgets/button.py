"""A button whose words come from our own source: the only user of Textual's ``Button``."""

from __future__ import annotations

from typing import Literal

from textual.widgets import Button as TextualButton

from mcp_tasks_tui.ui.text import content


class Button(TextualButton):
    DEFAULT_CSS = """
    Button { min-width: 10; height: 3; margin: 0 1 0 0; }
    """

    def __init__(
        self,
        label: str,
        *,
        variant: Literal["default", "primary", "success", "warning", "error"] = "default",
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(content(label), variant=variant, id=id, compact=True)

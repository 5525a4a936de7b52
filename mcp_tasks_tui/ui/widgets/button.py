"""A button whose words come from our own source: the only user of Textual's ``Button``."""

from __future__ import annotations

from typing import Literal

from textual.widgets import Button as TextualButton

from mcp_tasks_tui.ui.looks.text import content


class Button(TextualButton):
    DEFAULT_CSS = """
    Button { min-width: 0; width: auto; height: 1; margin: 0 1 0 0; }
    Button.-style-default {
        background: $foreground 10%;
        &.-primary { background: $primary; }
        &.-error { background: $error; }
        &:ansi, &:ansi.-primary, &:ansi.-error { background: ansi_default; }
        &:focus { text-style: bold reverse; }
    }
    """

    def __init__(
        self,
        label: str,
        *,
        variant: Literal["default", "primary", "success", "warning", "error"] = "default",
        id: str | None = None,  # noqa: A002 - Textual's name for it
    ) -> None:
        super().__init__(content(label), variant=variant, id=id, compact=True)

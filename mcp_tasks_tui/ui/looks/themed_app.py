"""An app in our colours and signs: what the config and the environment say of its looks."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import App

from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.locales import wants_ascii
from mcp_tasks_tui.ui.looks.theme import (
    THEMES,
    choose_theme,
    opposite,
    variables_for,
    wants_no_color,
)
from mcp_tasks_tui.ui.terminal.ascii_only import AsciiSigns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.filter import LineFilter
    from textual.theme import Theme


class ThemedApp(App[None], inherit_bindings=False):
    """`config` is what holds once the environment has been heard; `theme_complaint` says which
    theme was asked for in vain, "" if none was."""

    def __init__(self, config: ScreenConfig | None, environ: Mapping[str, str] | None) -> None:
        self.environ = dict(os.environ if environ is None else environ)
        config = config or ScreenConfig()
        if wants_ascii(self.environ):
            config = replace(config, ascii=True)
        self.config = config
        no_color = wants_no_color(self.environ)
        if not no_color:
            os.environ.pop("NO_COLOR", None)  # set but empty: that means colours
        theme, complaint = choose_theme(config.theme, self.environ, no_color=no_color)
        self.theme_complaint = complaint or ""
        self.set_reactive(App.theme, theme)  # later than this all styles would be read twice
        super().__init__(ansi_color=True if no_color else None)
        for each in THEMES:
            self.register_theme(each)
        if not config.animations:
            self.animation_level = "none"
        self._signs = (AsciiSigns(),) if config.ascii else ()

    def get_line_filters(self) -> Sequence[LineFilter]:
        return (*super().get_line_filters(), *self._signs)

    def get_theme(self, theme_name: str) -> Theme | None:
        # Textual asks for it while it is being made: there is nothing to register one with yet.
        return next((ours for ours in THEMES if ours.name == theme_name), None) or (
            super().get_theme(theme_name)
        )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables_for(self.current_theme)

    def toggle_theme(self) -> None:
        self.theme = opposite(self.current_theme)

"""Inks: how the words look that a widget draws itself, in the colours of the theme of the moment.

Textual's component classes would do the same. Each of them is matched with all rules and styled
anew whenever its widget is, which made the thirty of the task panel the dearest part of the first
frame, and of every screen that opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from textual.color import Color

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.widget import Widget


@record
class Ink:
    """`color` and `ground` are variables of the theme; none: those of the widget.

    `form` is bold, italic, ... in Rich's words, and `plain_form` the same where a terminal's own
    colours are all there is, if that has to be more.
    """

    color: str = ""
    ground: str = ""
    form: str = ""
    plain_form: str | None = None


class Inks:
    """The inks of a widget, by their names, as Rich's styles. Each is made once for a theme."""

    def __init__(self, widget: Widget, inks: Mapping[str, Ink]) -> None:
        self._widget = widget
        self._inks = inks
        self._variables: Mapping[str, str] = {}
        self._styles: dict[str, Style] = {}
        self._base: Style | None = None

    @property
    def base(self) -> Style:
        """The widget's own style, which the inks are laid over. Textual goes through all that the
        widget stands in to work it out: it is kept until the theme changes, or `restyle`."""
        self._follow_theme()
        if self._base is None:
            self._base = self._widget.rich_style
        return self._base

    def restyle(self) -> None:
        """The widget looks otherwise by now."""
        self._base = None

    def style(self, name: str) -> Style:
        """Return an ink alone, to be laid over the widget's own style. Raises KeyError."""
        self._follow_theme()
        if name not in self._styles:
            self._styles[name] = self._made(self._inks[name])
        return self._styles[name]

    def _follow_theme(self) -> None:
        variables = self._widget.app.theme_variables
        if variables is not self._variables:
            self._variables = variables
            self._styles.clear()
            self._base = None

    def _made(self, ink: Ink) -> Style:
        color, ground = (
            Color.parse(self._variables[name]).rich_color if name else None
            for name in (ink.color, ink.ground)
        )
        form = ink.form
        if ink.plain_form is not None and self._widget.app.native_ansi_color:
            form = ink.plain_form
        return Style(color=color, bgcolor=ground) + Style.parse(form)

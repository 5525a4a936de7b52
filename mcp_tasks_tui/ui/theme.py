"""Colours: a dark and a light theme of our own, and which one a terminal gets.

The state colours are told apart by people with the common kinds of colour blindness (blue,
amber, teal, vermilion, purple), and every state has its own sign and word besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.theme import BUILTIN_THEMES, Theme

if TYPE_CHECKING:
    from collections.abc import Mapping

DARK = "tasks-dark"
LIGHT = "tasks-light"
_SHORT = {"dark": DARK, "light": LIGHT, "ansi": "ansi-dark"}

#: For themes that do not know our variables: the terminal's own sixteen colours.
STATE_DEFAULTS: dict[str, str] = {
    "state-working": "ansi_bright_blue",
    "state-input": "ansi_yellow",
    "state-completed": "ansi_green",
    "state-failed": "ansi_red",
    "state-cancelled": "ansi_default",
    "state-gone": "ansi_magenta",
    "state-unknown": "ansi_default",
    "quiet": "ansi_default",
}

THEMES: tuple[Theme, ...] = (
    Theme(
        name=DARK,
        primary="#5aa9e6",
        secondary="#7d8ea3",
        accent="#f0b429",
        warning="#f0b429",
        error="#ff7a59",
        success="#3ec9a7",
        foreground="#d5dbe3",
        background="#11151b",
        surface="#171c24",
        panel="#1f2630",
        dark=True,
        variables={
            "state-working": "#5aa9e6",
            "state-input": "#f0b429",
            "state-completed": "#3ec9a7",
            "state-failed": "#ff7a59",
            "state-cancelled": "#8b98a8",
            "state-gone": "#d58fc0",
            "state-unknown": "#8b98a8",
            "quiet": "#8f9cad",
            "block-cursor-background": "#2b4a6b",
            "block-cursor-foreground": "#ffffff",
            "block-cursor-blurred-background": "#242d39",
            "block-cursor-blurred-foreground": "#d5dbe3",
            "footer-background": "#171c24",
            "scrollbar": "#33404f",
            "scrollbar-hover": "#4a5b6e",
            "scrollbar-active": "#5aa9e6",
            "scrollbar-background": "#171c24",
            "border": "#33404f",
            "border-blurred": "#262f3b",
        },
    ),
    Theme(
        name=LIGHT,
        primary="#005a9c",
        secondary="#5a6775",
        accent="#8a5600",
        warning="#8a5600",
        error="#b13400",
        success="#00695a",
        foreground="#1d2530",
        background="#fbfbf9",
        surface="#f2f2ee",
        panel="#e7e8e3",
        dark=False,
        variables={
            "state-working": "#005a9c",
            "state-input": "#8a5600",
            "state-completed": "#00695a",
            "state-failed": "#b13400",
            "state-cancelled": "#5a6775",
            "state-gone": "#8a2f74",
            "state-unknown": "#5a6775",
            "quiet": "#5e6974",
            "block-cursor-background": "#bcd9f2",
            "block-cursor-foreground": "#0b1119",
            "block-cursor-blurred-background": "#e1e6e9",
            "block-cursor-blurred-foreground": "#1d2530",
            "footer-background": "#e7e8e3",
            "scrollbar": "#b9c0c7",
            "scrollbar-hover": "#8f99a3",
            "scrollbar-active": "#005a9c",
            "scrollbar-background": "#f2f2ee",
            "border": "#b9c0c7",
            "border-blurred": "#d4d8db",
        },
    ),
)
_OURS = {theme.name for theme in THEMES}


def choose_theme(
    wanted: str | None, environ: Mapping[str, str], *, no_color: bool
) -> tuple[str, str | None]:
    """Return the theme to start with, and one line for a person where `wanted` is unknown.

    Colours can only be left out entirely by a theme of the terminal's own colours, and only when
    it is chosen before the program starts to draw.
    """
    name = _SHORT.get(wanted or "", wanted) or environ.get("TEXTUAL_THEME") or DARK
    known = name in _OURS or name in BUILTIN_THEMES
    notice = None if known else f"no theme is called {name}: use dark, light, ansi or a Textual one"
    if not known:
        name = DARK
    if no_color and not name.startswith("ansi-"):
        light = name == LIGHT or (name in BUILTIN_THEMES and not BUILTIN_THEMES[name].dark)
        name = "ansi-light" if light else "ansi-dark"
    return name, notice


def wants_no_color(environ: Mapping[str, str]) -> bool:
    """NO_COLOR counts when it is set to anything but nothing (no-color.org)."""
    return bool(environ.get("NO_COLOR"))


def opposite(theme: Theme) -> str:
    """Return the light theme for a dark one and the other way round."""
    if theme.ansi:
        return "ansi-light" if theme.dark else "ansi-dark"
    return LIGHT if theme.dark else DARK

"""Colours: a dark and a light theme of our own, and which one a terminal gets.

The state colours are told apart by people with the common kinds of colour blindness (blue,
amber, teal, vermilion, purple), and every state has its own sign and word besides. Themes of
others get the same hues, as light or dark as can be read on their grounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.spelling import nearest
from mcp_tasks_tui.ui.looks.contrast import legible

if TYPE_CHECKING:
    from collections.abc import Mapping

DARK = "tasks-dark"
LIGHT = "tasks-light"
_SHORT = {"dark": DARK, "light": LIGHT, "ansi": "ansi-dark"}

#: Our variables in the terminal's own sixteen colours. `voice` is what a server says, `cursor` and
#: `bar` are grounds: of the line that the cursor is on, and of the last line; `track` is for lines.
ANSI_VARIABLES: dict[str, str] = {
    "state-working": "ansi_bright_blue",
    "state-input": "ansi_yellow",
    "state-completed": "ansi_green",
    "state-failed": "ansi_red",
    "state-cancelled": "ansi_default",
    "state-gone": "ansi_magenta",
    "state-unknown": "ansi_default",
    "quiet": "ansi_default",
    "voice": "ansi_blue",
    "code": "ansi_cyan",
    "track": "ansi_bright_black",
    "cursor": "ansi_default",
    "cursor-blurred": "ansi_default",
    "bar": "ansi_default",
}
_GROUNDS = ("cursor", "cursor-blurred", "bar", "track")
#: What text has to stand out with from its ground; on the cursor's line and in the header, where
#: states are bold or beside their signs, less will do (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT_CONTRAST, SIGN_CONTRAST = 4.5, 3.0
#: How much of a theme's first colour is in the ground of the cursor's line.
_CURSOR, _CURSOR_BLURRED = 0.25, 0.1
#: How much of the background is in quiet text, and of the text in lines that are only drawn.
_QUIET, _TRACK = 0.3, 0.25

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
            "state-gone": "#e0bce6",
            "state-unknown": "#8b98a8",
            "quiet": "#8f9cad",
            "voice": "#5aa9e6",
            "code": "#8b9bb0",
            "track": "#33404f",
            "cursor": "#2b4a6b",
            "cursor-blurred": "#242d39",
            "bar": "#171c24",
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
        error="#c4003f",
        success="#006138",
        foreground="#1d2530",
        background="#fbfbf9",
        surface="#f2f2ee",
        panel="#e7e8e3",
        dark=False,
        variables={
            "state-working": "#0a4fcf",
            "state-input": "#8a5600",
            "state-completed": "#006138",
            "state-failed": "#c4003f",
            "state-cancelled": "#5a6775",
            "state-gone": "#7a3d9a",
            "state-unknown": "#5a6775",
            "quiet": "#5a6570",
            "voice": "#005a9c",
            "code": "#5a6775",
            "track": "#b9c0c7",
            "cursor": "#bcd9f2",
            "cursor-blurred": "#e1e6e9",
            "bar": "#e7e8e3",
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


def variables_for(theme: Theme) -> dict[str, str]:
    """Return our variables for a theme that may not know them."""
    if theme.ansi or theme.name in _OURS:
        return ANSI_VARIABLES
    known = theme.to_color_system().generate() | theme.variables
    background, surface, panel, first, text = (
        Color.parse(known[name])
        for name in ("background", "surface", "panel", "primary", "foreground")
    )
    cursor, blurred = (background.blend(first, share) for share in (_CURSOR, _CURSOR_BLURRED))
    grounds = [
        (background, TEXT_CONTRAST),
        (surface, TEXT_CONTRAST),
        *((ground, SIGN_CONTRAST) for ground in (panel, cursor, blurred)),
    ]
    hues = {name: Color.parse(value) for name, value in _like(theme).variables.items()}
    wanted = {name: hues[name] for name in ANSI_VARIABLES if name not in _GROUNDS}
    second, soft = Color.parse(known["secondary"]), text.blend(background, _QUIET)
    wanted |= {"voice": first, "code": second, "quiet": soft}
    track = background.blend(text, _TRACK)
    return {
        **{name: legible(color, grounds).hex for name, color in wanted.items()},
        "cursor": cursor.hex,
        "cursor-blurred": blurred.hex,
        "bar": panel.hex,
        "track": track.hex,
    }


def _like(theme: Theme) -> Theme:
    """Return ours that is as dark or light."""
    dark, light = THEMES
    return dark if theme.dark else light


def unknown_theme(name: str) -> str | None:
    """Return one line for a person where no theme has this name, else None."""
    known = {*_SHORT, *_OURS, *BUILTIN_THEMES}
    if name in known:
        return None
    near = nearest(name, sorted(known))
    hint = f"did you mean {near}?" if near else "use dark, light, ansi or a Textual one"
    return f"no theme is called {one_line(name, 60)}: {hint}"


def choose_theme(
    wanted: str | None, environ: Mapping[str, str], *, no_color: bool
) -> tuple[str, str | None]:
    """Return the theme to start with, and one line for a person where `wanted` is unknown.

    Colours can only be left out entirely by a theme of the terminal's own colours, and only when
    it is chosen before the program starts to draw.
    """
    name = _SHORT.get(wanted or "", wanted) or environ.get("TEXTUAL_THEME") or DARK
    notice = unknown_theme(name)
    if notice is not None:
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

"""Colours can be read on what they stand on, and a terminal gets the theme that suits it."""

from __future__ import annotations

from itertools import product

import pytest
from textual.color import Color
from textual.theme import Theme

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.view import Health
from mcp_tasks_tui.ui.looks import ASCII, HEALTH_STYLES, STATE_STYLES, UNICODE
from mcp_tasks_tui.ui.theme import (
    STATE_DEFAULTS,
    THEMES,
    choose_theme,
    opposite,
    wants_no_color,
)

_GROUNDS = ("background", "surface", "block-cursor-background", "block-cursor-blurred-background")


def _color(theme: Theme, name: str) -> Color:
    found = theme.variables.get(name) or getattr(theme, name)
    return Color.parse(found)


def _luminance(color: Color) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)


def _contrast(one: Color, other: Color) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_state_can_be_read_on_every_ground(theme: Theme) -> None:
    names = {*STATE_STYLES.values(), *HEALTH_STYLES.values(), "quiet", "foreground"}
    weak = {
        (name, ground): round(contrast, 1)
        for name, ground in product(sorted(names), _GROUNDS)
        if (contrast := _contrast(_color(theme, name), _color(theme, ground)))
        < (3.0 if "cursor" in ground else 4.5)
    }
    assert weak == {}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_themes_know_every_variable_that_is_used(theme: Theme) -> None:
    assert STATE_DEFAULTS.keys() <= theme.variables.keys()


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_scrollbar_runs_on_the_themes_own_surface(theme: Theme) -> None:
    colors = theme.to_color_system().generate()
    grounds = ("", "-hover", "-active")
    tracks = {colors[f"scrollbar-background{state}"] for state in grounds}
    assert {*tracks, colors["scrollbar-corner-color"]} == {theme.surface}
    assert all(
        _contrast(Color.parse(colors[f"scrollbar{state}"]), Color.parse(theme.surface or "")) > 1.5
        for state in grounds
    )


def test_every_state_and_health_has_a_look() -> None:
    assert STATE_STYLES.keys() == set(State)
    assert HEALTH_STYLES.keys() == set(Health)
    assert {*STATE_STYLES.values(), *HEALTH_STYLES.values()} <= STATE_DEFAULTS.keys()


def test_plain_signs_are_plain() -> None:
    signs = (ASCII.ellipsis, ASCII.bar(0.5, 5), ASCII.marked, ASCII.changed, ASCII.next, ASCII.dot)
    assert all(sign.isascii() for sign in signs)
    assert (UNICODE.bar(0.45, 5), UNICODE.bar(-1, 3), UNICODE.bar(9, 3)) == ("██░░░", "░░░", "███")


@pytest.mark.parametrize(
    ("wanted", "environ", "no_color", "name"),
    [
        (None, {}, False, "tasks-dark"),
        ("light", {}, False, "tasks-light"),
        ("dracula", {}, False, "dracula"),
        (None, {"TEXTUAL_THEME": "nord"}, False, "nord"),
        ("ansi", {}, False, "ansi-dark"),
        (None, {}, True, "ansi-dark"),
        ("light", {}, True, "ansi-light"),
        ("solarized-light", {}, True, "ansi-light"),
        ("no-such", {}, False, "tasks-dark"),
    ],
)
def test_the_theme_that_suits(
    wanted: str | None, environ: dict[str, str], no_color: bool, name: str
) -> None:
    chosen, complaint = choose_theme(wanted, environ, no_color=no_color)
    assert chosen == name
    assert bool(complaint) is (wanted == "no-such")


def test_no_color_counts_when_it_says_something() -> None:
    assert wants_no_color({"NO_COLOR": "1"})
    assert not wants_no_color({"NO_COLOR": ""})
    assert not wants_no_color({})


def test_dark_and_light_are_each_other_s_opposite() -> None:
    dark, light = THEMES
    assert (opposite(dark), opposite(light)) == (light.name, dark.name)

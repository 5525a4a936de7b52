"""Colours can be read on what they stand on, and a terminal gets the theme that suits it."""

from __future__ import annotations

from itertools import combinations, product
from math import dist
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from mcp_tasks_tui import ui
from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.forms.links import look_at
from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.locales import wants_ascii
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.words import STATES
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.looks.contrast import legible
from mcp_tasks_tui.ui.looks.signs import ASCII, HEALTH_STYLES, STATE_STYLES, UNICODE
from mcp_tasks_tui.ui.looks.theme import (
    ANSI_VARIABLES,
    THEMES,
    choose_theme,
    opposite,
    variables_for,
    wants_no_color,
)
from mcp_tasks_tui.ui.screens.answer.drafts import Drafts
from mcp_tasks_tui.ui.screens.answer.open import OpenScreen
from mcp_tasks_tui.ui.screens.answer.screen import AnswerScreen
from mcp_tasks_tui.ui.screens.confirm import ConfirmScreen
from mcp_tasks_tui.ui.screens.edit import EditScreen
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone
from mcp_tasks_tui.ui.widgets.lines.view import TONES, LineView
from mcp_tasks_tui.ui.widgets.tasks.list import TaskList
from mcp_tasks_tui.ui.widgets.tasks.strips import INKS
from mcp_tasks_tui.ui.widgets.wall.wall import Wall
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task
from tests.ui.screens.answer.answering import Browser

_QUESTION = {
    "method": "elicitation/create",
    "params": {"message": "Deploy?", "requestedSchema": {"type": "object", "properties": {}}},
}

#: Ours and all of Textual's that choose their own colours; the others have the terminal's.
_EVERY = [*THEMES, *(theme for theme in BUILTIN_THEMES.values() if not theme.ansi)]
_TEXTS = sorted({*STATE_STYLES.values(), *HEALTH_STYLES.values(), "quiet", "voice", "code"})


def _palette(theme: Theme) -> dict[str, Color]:
    """Return every colour as the app gives it to the stylesheet."""
    known = {**variables_for(theme), **theme.to_color_system().generate(), **theme.variables}
    names = (*_TEXTS, "background", "surface", "panel", "cursor", "cursor-blurred", "bar", "track")
    return {name: Color.parse(known[name]) for name in (*names, "foreground")}


def _luminance(color: Color) -> float:
    red, green, blue = _linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(color: Color) -> tuple[float, float, float]:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)

    return linear(color.r), linear(color.g), linear(color.b)


def _contrast(one: Color, other: Color) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


_NEEDED = {"background": 4.5, "surface": 4.5, "panel": 3.0, "cursor": 3.0, "cursor-blurred": 3.0}


@pytest.mark.parametrize("theme", _EVERY, ids=lambda theme: theme.name)
def test_every_state_can_be_read_on_every_ground(theme: Theme) -> None:
    palette = _palette(theme)
    found = {
        (name, ground): round(_contrast(palette[name], palette[ground]), 2)
        for name, ground in product(_TEXTS, _NEEDED)
    }
    assert {pair: ratio for pair, ratio in found.items() if ratio < _NEEDED[pair[1]]} == {}
    # The theme's own text is as its maker wants it; on grounds of ours it can be read.
    grounds = ("cursor", "cursor-blurred", "bar")
    assert min(_contrast(palette["foreground"], palette[ground]) for ground in grounds) >= 3


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_in_our_themes_all_text_is_legible_on_all_grounds(theme: Theme) -> None:
    palette = _palette(theme)
    for name, ground in product((*_TEXTS, "foreground"), _NEEDED):
        least = 3.0 if ground == "cursor" else 4.5
        assert _contrast(palette[name], palette[ground]) >= least, (name, ground)


@pytest.mark.parametrize("theme", _EVERY, ids=lambda theme: theme.name)
def test_the_rest_of_a_bar_does_not_look_full(theme: Theme) -> None:
    palette = _palette(theme)
    full, rest = palette["state-working"], palette["track"]
    assert _contrast(full, rest) > 1.8
    assert _contrast(rest, palette["background"]) > 1.2


#: What is left of red, green and blue (linear) to people without one kind of cone: Machado,
#: Oliveira and Fernandes, 2009, severity 1.
_SIGHTS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def _lab(color: Color, sight: str) -> tuple[float, float, float]:
    """Return a colour as it is seen, in CIE L*a*b* (D65), where distances are what the eye says."""
    seen = [
        min(
            1.0,
            max(0.0, sum(part * share for part, share in zip(row, _linear(color), strict=True))),
        )
        for row in _SIGHTS[sight]
    ]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        _root(sum(part * share for part, share in zip(row, seen, strict=True)) / full)
        for row, full in zip(rows, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 0.008856 else 7.787 * value + 16 / 116


#: States that stand beside each other all the time and call for different things. In the themes of
#: others, gone and cancelled may come near one of them for some eyes: their signs and words do not.
_APART = ("state-working", "state-input", "state-failed", "state-completed")


@pytest.mark.parametrize("sight", _SIGHTS)
@pytest.mark.parametrize("theme", _EVERY, ids=lambda theme: theme.name)
def test_states_are_told_apart_by_all_eyes(theme: Theme, sight: str) -> None:
    ours = theme in THEMES
    names = sorted({*STATE_STYLES.values()} - {"state-unknown"}) if ours else _APART
    seen = {name: _lab(_palette(theme)[name], sight) for name in names}
    distances = {pair: dist(seen[pair[0]], seen[pair[1]]) for pair in combinations(names, 2)}
    least = 12 if ours else 11
    assert {pair: far for pair, far in distances.items() if far < least} == {}


def test_no_state_needs_its_colour() -> None:
    for signs in ([word.glyph for word in STATES.values()], [w.ascii for w in STATES.values()]):
        assert len(set(signs)) == len(State)
    assert len({word.word for word in STATES.values()}) == len(State)


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_every_theme_has_every_variable_that_is_used(theme: Theme) -> None:
    assert variables_for(theme).keys() == ANSI_VARIABLES.keys()


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_our_themes_leave_no_variable_to_the_terminal(theme: Theme) -> None:
    assert ANSI_VARIABLES.keys() <= theme.variables.keys()


def test_a_colour_is_moved_no_further_than_it_takes() -> None:
    grey, white, black = Color(90, 90, 90), Color(255, 255, 255), Color(0, 0, 0)
    assert legible(grey, [(white, 4.5)]) == grey
    lighter = legible(grey, [(black, 4.5)])
    assert 4.5 <= _contrast(lighter, black) < 5
    assert legible(grey, [(grey, 21)]) == white  # there is no such colour: the best there is


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
    assert {*STATE_STYLES.values(), *HEALTH_STYLES.values()} <= ANSI_VARIABLES.keys()


def test_every_tone_has_an_ink_in_colours_that_every_theme_has() -> None:
    assert TONES.keys() == set(Tone)
    used = {name for ink in (*TONES.values(), *INKS.values()) for name in (ink.color, ink.ground)}
    for theme in _EVERY:
        known = {**variables_for(theme), **theme.to_color_system().generate()}
        assert used - {""} <= known.keys()


async def test_what_is_drawn_has_the_colours_of_the_theme_of_the_moment() -> None:
    app = TasksApp(FakeSupervisor.of(a_task("k1")), now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: bool(app.main.tasks.model.views))
        for theme in (*THEMES, *THEMES):
            app.theme = theme.name
            await pilot.pause()
            drawn = {
                segment.style.color.name
                for widget in (app.main.tasks, app.main.panel)
                for y in range(widget.size.height)
                for segment in widget.render_line(y)
                if segment.style and segment.style.color
            }
            assert theme.variables["state-working"] in drawn
            assert theme.variables["quiet"] in drawn
            assert not drawn & _only_of(opposite(theme))


def _only_of(name: str) -> set[str]:
    """Return colours that no other of our themes has."""
    ours, others = (
        {color for each in THEMES if (each.name == name) is it for color in each.variables.values()}
        for it in (True, False)
    )
    return ours - others


def test_nothing_blinks_and_animations_can_be_off() -> None:
    sheets = [path.read_text() for path in Path(ui.__file__).parent.rglob("*.tcss")]
    styles = [*sheets, *(each.DEFAULT_CSS for each in (LineView, Wall, TaskList))]
    forms = [
        form for ink in (*TONES.values(), *INKS.values()) for form in (ink.form, ink.plain_form)
    ]
    assert len(sheets) > 3
    assert not any("blink" in (style or "") for style in (*styles, *forms))
    app = TasksApp(FakeSupervisor(), config=ScreenConfig(animations=False), environ={})
    assert app.animation_level == "none"


def test_plain_signs_are_plain() -> None:
    signs = (ASCII.ellipsis, ASCII.bar(0.5, 5), ASCII.marked, ASCII.changed, ASCII.dot)
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


@pytest.mark.parametrize(
    ("environ", "plain"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "POSIX"}, True),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "de_DE.utf8@euro"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "de_DE"}, False),
        ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_CTYPE": "C"}, True),
        ({"LANG": "C", "LC_ALL": ""}, True),
    ],
)
def test_a_terminal_without_utf_8_gets_plain_signs(environ: dict[str, str], plain: bool) -> None:
    assert wants_ascii(environ) is plain


def test_no_color_counts_when_it_says_something() -> None:
    assert wants_no_color({"NO_COLOR": "1"})
    assert not wants_no_color({"NO_COLOR": ""})
    assert not wants_no_color({})


def test_dark_and_light_are_each_other_s_opposite() -> None:
    dark, light = THEMES
    assert (opposite(dark), opposite(light)) == (light.name, dark.name)


async def test_no_words_have_the_colour_of_their_ground_in_a_terminals_own_colours() -> None:
    view = a_task("k1", State.INPUT_REQUIRED, requests={"q": _QUESTION})
    fake = FakeSupervisor.of(view)
    app = TasksApp(fake, config=ScreenConfig(theme="ansi"), now=lambda: NOW, environ={})
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.engine.loaded)
        for screen in (
            AnswerScreen(fake, "k1", Drafts(), opener=Browser(works=False)),
            ConfirmScreen("Cancel?", ["one"], yes="Yes", no="No"),
            EditScreen(view.handle, "one"),
            OpenScreen(look_at("https://example.com/consent"), can_send=True),
        ):
            await app.push_screen(screen)
            await pilot.pause()
            strips = screen._compositor.render_strips()
            pieces = [segment for strip in strips for segment in strip if segment.text.strip()]
            assert any(piece.style and piece.style.bold for piece in pieces), "buttons are there"
            for text, style, _ in pieces:
                if style and style.color and style.bgcolor and not style.bgcolor.is_default:
                    assert style.color != style.bgcolor, (type(screen).__name__, text)
            screen.dismiss(None)
            await pilot.pause()

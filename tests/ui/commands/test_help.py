"""The help screen: what holds here first, one line for each command where there is room."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.ui.commands.keymap import read_keymap
from mcp_tasks_tui.ui.commands.model import Place, Section
from mcp_tasks_tui.ui.commands.vocabulary import available
from mcp_tasks_tui.ui.screens.help import HelpScreen
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.bare import BareApp

_KEYMAP = read_keymap({}, available(read_only=False))


def _told(screen: HelpScreen) -> list[str]:
    return screen.query_one(".dialog-body").query_one(Line).text.plain.splitlines()


@pytest.mark.parametrize(
    ("here", "first", "without"),
    [
        (Place.MAIN, Section.MOVE, Section.VIEWER),
        (Place.PANEL, Section.PANEL, Section.ANSWER),
        (Place.WALL, Section.WALL, Section.PANEL),
        (Place.VIEWER, Section.VIEWER, Section.TASK),
        (Place.ANSWER, Section.ANSWER, Section.LIST),
    ],
)
async def test_the_keys_of_what_has_the_keyboard_come_first_and_those_of_elsewhere_on_demand(
    here: Place, first: Section, without: Section
) -> None:
    screen = HelpScreen(_KEYMAP, here)
    async with BareApp(Line()).run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(screen)
        assert _told(screen)[0] == first.value
        assert without.value not in _told(screen)
        await pilot.press("a")
        assert _told(screen)[0] == first.value
        assert without.value in _told(screen)


@pytest.mark.parametrize(("size", "columns"), [((160, 50), 2), ((120, 40), 2), ((100, 30), 1)])
async def test_each_command_has_one_line_with_its_key_at_the_right(
    size: tuple[int, int], columns: int
) -> None:
    screen = HelpScreen(_KEYMAP, Place.MAIN)
    async with BareApp(Line()).run_test(size=size) as pilot:
        await pilot.app.push_screen(screen)
        lines = _told(screen)
        (answer,) = [line for line in lines if line.startswith("Answer ")]
        assert answer.split()[:5] == ["Answer", "what", "the", "task", "asks"]
        assert answer.split()[5] == "u"
        heads = [line for line in lines if Section.MOVE.value in line or "The program" in line]
        assert len(heads) == (1 if columns == 2 and "The program" in lines[0] else 2)
        commands = [each for each in _KEYMAP.commands.values() if each.place is Place.MAIN]
        for command in commands:
            assert any(f"{command.title} " in line and command.help in line for line in lines)
        assert max(map(len, lines)) <= size[0] - 8


@pytest.mark.parametrize("size", [(60, 15), (40, 10)])
async def test_in_a_small_window_nothing_is_left_out(size: tuple[int, int]) -> None:
    screen = HelpScreen(_KEYMAP, Place.VIEWER)
    async with BareApp(Line()).run_test(size=size) as pilot:
        await pilot.app.push_screen(screen)
        told = " ".join(" ".join(_told(screen)).split())
        for command in _KEYMAP.commands.values():
            if command.place is Place.VIEWER:
                assert command.title in told
                assert all(word in told for word in command.help.split())


async def test_help_in_the_panel_has_no_key_that_does_something_else_there() -> None:
    screen = HelpScreen(_KEYMAP, Place.PANEL)
    async with BareApp(Line()).run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(screen)
        (quits,) = [line for line in _told(screen) if line.startswith("Quit ")]
        assert quits.split()[-2:] == ["on", "^q"], "q leads back"
        assert any(line.startswith("Mark all ") for line in _told(screen))
        assert not any("and go on" in line for line in _told(screen)), "space turns the page"
        await pilot.press("a")
        assert any("and go on" in line for line in _told(screen))

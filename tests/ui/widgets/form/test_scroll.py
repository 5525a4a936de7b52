"""A field that is typed in is in view with its name, in however small a window."""

from __future__ import annotations

import pytest
from textual.color import Color

from mcp_tasks_tui.ui.looks.theme import DARK, LIGHT
from mcp_tasks_tui.ui.widgets.form.field import FieldBox
from mcp_tasks_tui.ui.widgets.form.fields import FormFields
from mcp_tasks_tui.ui.widgets.form.scroll import Extent, scrolled_to
from mcp_tasks_tui.ui.widgets.line import Line
from tests.ui.screens.answer.answering import AnswerApp, form, type_text

#: Five fields of three lines: name, value, help.
STARTS = [0, 3, 6, 9, 12]


def _field(number: int) -> Extent:
    return Extent(STARTS[number], STARTS[number] + 2, STARTS[number] + 3)


@pytest.mark.parametrize(
    ("number", "at", "room", "first"),
    [
        (0, 0, 6, 0),  # it is in view: nothing moves
        (1, 0, 6, 0),
        (2, 0, 6, 3),  # whole, with its help
        (2, 0, 7, 3),  # the one above would be cut in two
        (2, 0, 4, 6),
        (4, 0, 3, 12),
        (4, 0, 2, 12),  # the help gives way
        (0, 9, 6, 0),  # upwards
        (2, 9, 6, 6),
        (4, 0, 1, 13),  # no room for the name: where one types
    ],
)
def test_a_field_comes_into_view_whole_and_from_its_name_on(
    number: int, at: int, room: int, first: int
) -> None:
    assert scrolled_to(_field(number), at=at, room=room, starts=STARTS) == first


async def test_every_field_shows_its_name_where_one_types_in_a_small_window() -> None:
    help_text = "A help that is so long that it takes several lines in a small window. " * 2
    properties = {
        f"f{number}": {"type": "string", "title": f"Name {number}", "description": help_text}
        for number in range(6)
    }
    app = AnswerApp({"q": form({"type": "object", "properties": properties}, "Fill in\nall.")})
    async with app.run_test(size=(60, 15)) as pilot:
        await pilot.pause()
        boxes = list(app.answer.query(FieldBox))
        fields = app.answer.query_one(FormFields)
        for key in ["tab"] * 5 + ["shift+tab"] * 5:
            await type_text(pilot, "x")
            await pilot.pause()
            [box] = [each for each in boxes if each.has_focus_within]
            shown = app.text().splitlines()
            assert f"Name {box.field.name[1]} " in shown[box.region.y]
            assert fields.content_region.contains_region(box.editor().region)
            cut = [each for each in boxes if each.region.y < fields.region.y < each.region.bottom]
            assert cut == [], "none is cut in two"
            await pilot.press(key)
            await pilot.pause()


async def test_the_limits_of_a_field_give_way_before_its_name_takes_two_lines() -> None:
    date = {"type": "string", "title": "Freeze until", "format": "date-time", "minLength": 12}
    app = AnswerApp({"q": form({"type": "object", "properties": {"d": date}})})
    async with app.run_test(size=(44, 15)) as pilot:
        await pilot.pause()
        [box] = app.answer.query(FieldBox)
        assert box.editor().region.y == box.region.y + 1
        assert "Freeze until  optional · " in app.text()


async def test_what_was_not_sent_is_told_in_the_colour_of_failures() -> None:
    count = {"type": "integer", "title": "Count"}
    schema = {"type": "object", "properties": {"n": count}, "required": ["n"]}
    for theme in (DARK, LIGHT, "ansi-dark"):
        app = AnswerApp({"q": form(schema)})
        app.theme = theme
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press("ctrl+s")
            await pilot.pause()
            said = app.answer.query_one("#outcome", Line)
            assert said.text.plain == "Not sent: see Count"
            assert said.styles.color == Color.parse(app.theme_variables["state-failed"])

"""A program's output becomes a screen, and screens over time an animation."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.pictures.film import Frame, film
from tests.pictures.tour import record
from tests.pictures.vt import Cell, Pen, Screen

_TABLE = "services · 3 rows · 5 columns"
_SVG = "{http://www.w3.org/2000/svg}"


def shown(screen: Screen) -> list[str]:
    return ["".join(cell.text for cell in row).rstrip() for row in screen.rows]


def test_text_lands_where_the_cursor_was_put_also_in_pieces() -> None:
    screen = Screen(10, 3)

    for piece in ("\x1b[?1049h\x1b[2", ";3Hab\x1b]2;a title\x07c", "\r\nde\x1b[1;1", "Hf"):
        screen.feed(piece)

    assert shown(screen) == ["f", "  abc", "de"]


def test_colours_and_attributes_last_until_they_are_taken_back() -> None:
    screen = Screen(4, 1)

    screen.feed("\x1b[1;38;2;255;0;16;48;2;0;0;1ma\x1b[22;39mb\x1b[0mc")

    assert screen.rows[0][:3] == (
        Cell("a", Pen("#ff0010", "#000001", bold=True)),
        Cell("b", Pen(None, "#000001")),
        Cell("c"),
    )


def test_a_wide_character_takes_two_places_and_none_beyond_the_edge() -> None:
    screen = Screen(4, 1)

    screen.feed("a好b好")

    assert shown(screen) == ["a好b"]
    assert screen.rows[0][2].text == ""


def test_a_row_is_drawn_anew_only_where_it_changed() -> None:
    screen = Screen(6, 2)
    screen.feed("same\r\nold")
    first = Frame(0.0, screen.rows)
    screen.feed("\x1b[2;1Hnew")

    svg = film([first, Frame(1.0, screen.rows)], 4.0, title="a < b")

    texts = [node.text for node in ElementTree.fromstring(svg).iter(f"{_SVG}text")]
    assert texts == ["a < b", "same", "old", "new"]
    assert "@keyframes k0 {0.000%{visibility:visible}25.000%{visibility:hidden}}" in svg
    assert "@keyframes k1 {0%{visibility:hidden}25.000%{visibility:visible}}" in svg


@pytest.mark.slow
def test_the_tour_answers_a_question_and_stays_small() -> None:
    recording = record()

    frames = recording.frames()
    svg = film(frames, recording.seconds, title="tour")

    assert len(svg) < 1_000_000
    screens = [["".join(cell.text for cell in row) for row in frame.rows] for frame in frames]
    for wanted in (
        "sam@example.com",
        "Not sent: see Strategy",
        "/is:waiting",
        "NEEDS INPUT",
        _TABLE,
    ):
        assert any(wanted in row for screen in screens for row in screen), wanted
    assert not any("internal error" in row for screen in screens for row in screen)

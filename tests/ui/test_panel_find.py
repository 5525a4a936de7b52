"""Finding text in the panel: which lines have it, and how they are marked."""

from __future__ import annotations

from mcp_tasks_tui.ui.widgets.panel_find import Finder, marked, matches
from mcp_tasks_tui.ui.widgets.panel_lines import Line, Piece, Tone

LINES: tuple[Line, ...] = (
    (Piece("Task "), Piece("failed", Tone.BAD)),
    (),
    (Piece("nothing here"),),
    (Piece("FAILED again"),),
)


def test_every_line_with_the_text_is_found_whatever_its_case() -> None:
    assert matches(LINES, "k fail") == [0]
    assert matches(LINES, "failed") == [0, 3]
    assert matches(LINES, "absent") == matches(LINES, "") == []


def test_matches_are_marked_and_the_current_one_stands_out() -> None:
    shown = marked(LINES, [0, 3], 3)
    assert {each.tone for each in shown[0]} == {Tone.FOUND}
    assert {each.tone for each in shown[3]} == {Tone.FOUND_HERE}
    assert shown[1:3] == LINES[1:3]


def test_the_search_goes_round_and_follows_lines_that_change() -> None:
    finder = Finder()
    assert finder.marked(LINES) == LINES
    assert (finder.here, len(finder)) == (None, 0)
    finder.step(1)
    finder.look_for("failed")
    finder.marked(LINES)
    assert (finder.here, len(finder)) == (0, 2)
    finder.step(-1)
    assert finder.here == 3
    finder.marked(LINES[:2])
    assert finder.here == 0

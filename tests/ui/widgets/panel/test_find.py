"""Finding text in the panel: which lines have it, and how they are marked."""

from __future__ import annotations

from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Piece, Tone, plain
from mcp_tasks_tui.ui.widgets.panel.find import Finder, marked, matches

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
    shown = marked(LINES, [0, 3], 3, "k failed")
    assert shown[0] == (
        Piece("Tas"),
        Piece("k ", Tone.FOUND),
        Piece("failed", Tone.FOUND),
    )
    assert marked(LINES, [0, 3], 3, "FAIL")[0] == (
        Piece("Task "),
        Piece("fail", Tone.FOUND),
        Piece("ed", Tone.BAD),
    )
    assert marked(LINES, [0, 3], 3, "fail")[3] == (
        Piece("FAIL", Tone.FOUND_HERE),
        Piece("ED again"),
    )
    assert shown[1:3] == LINES[1:3]


def test_every_place_on_a_line_is_marked_and_no_text_is_lost() -> None:
    line: Line = (Piece("ab"), Piece("ca", Tone.BAD), Piece("b.*ab"))
    (shown,) = marked([line], [0], None, "ab")
    assert plain(shown) == plain(line)
    assert [each.text for each in shown if each.tone is Tone.FOUND] == ["ab", "a", "b", "ab"]
    assert matches([line], ".*") == [0]


def test_the_search_goes_round_and_follows_lines_that_change() -> None:
    finder = Finder()
    assert finder.marked(LINES) == LINES
    assert (finder.here, len(finder), finder.said) == (None, 0, "")
    finder.step(1)
    finder.look_for("failed")
    finder.marked(LINES)
    assert (finder.here, len(finder)) == (0, 2)
    finder.step(-1)
    assert (finder.here, finder.said) == (3, "found 2 of 2")
    finder.marked(LINES[:2])
    assert (finder.here, finder.said) == (0, "found 1 of 1")
    finder.look_for("absent")
    finder.marked(LINES)
    assert (finder.here, finder.said) == (None, "not found")

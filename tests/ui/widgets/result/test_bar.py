"""The lines around a view: which tabs and keys have room, and what a click on them means."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.ui.widgets.bar import Word, key_words, tab_bar
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain

TITLES = ("Markdown", "Text", "Structured", "Table", "Journal")
KEYS = (("a", "esc", "back"), ("b", "/", "find"), ("c", "w", "save"), ("d", "?", "help"))


def said(row: list[Word]) -> str:
    return "".join(plain(word.line) for word in row)


@pytest.mark.parametrize(
    ("shown", "width", "text"),
    [
        (0, 60, " 1 Markdown  2 Text  3 Structured  4 Table  5 Journal "),
        (0, 40, " 1 Markdown  2 Text  3 Structured  ›"),
        (2, 40, " 1 Markdown  2 Text  3 Structured  ›"),
        (3, 40, "‹  2 Text  3 Structured  4 Table  ›"),
        (4, 40, "‹  3 Structured  4 Table  5 Journal "),
        (0, 5, " 1 Markdown  ›"),
    ],
)
def test_the_tab_that_is_shown_is_in_view_and_signs_tell_of_more(
    shown: int, width: int, text: str
) -> None:
    row = tab_bar(TITLES, shown, width, "go")
    assert said(row) == text
    current = [word.number for word in row if word.line[0].tone is Tone.CURRENT]
    assert current == [shown]


def test_the_signs_lead_to_the_tabs_that_are_not_in_view() -> None:
    row = tab_bar(TITLES, 3, 40, "go")
    assert [(word.command_id, word.number) for word in row] == [
        ("go", number) for number in (0, 1, 2, 3, 4)
    ]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (80, "  esc back  / find  w save  ? help"),
        (27, "  esc back  / find  ? help"),
        (18, "  esc back  ? help"),
        (9, "  ? help"),
        (3, ""),
    ],
)
def test_the_ways_out_stay_longest(room: int, text: str) -> None:
    row = key_words(KEYS, room)
    assert said(row) == text
    assert len(text) <= room

"""Rows of a long text: every character is in one of them, and what is looked for is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui.ui.documents.text_index import STEP, Search, TextIndex
from mcp_tasks_tui.ui.widgets.lines.pieces import flat


def whole(text: str, width: int) -> TextIndex:
    index = TextIndex(text, width)
    while index.grow():
        pass
    return index


def rows(index: TextIndex) -> list[str]:
    return [index.text[slice(*index.span(row))] for row in range(len(index))]


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\n\nb", "\n\n", "a\r\nb\r\n", "x" * 5000])
def test_unwrapped_rows_are_the_lines(text: str) -> None:
    assert "".join(rows(whole(text, 0))) == text.replace("\r", "").replace("\n", "")
    if len(text) < 100:
        assert rows(whole(text, 0)) == (text.splitlines() or [""])


def test_wrapped_rows_break_between_words() -> None:
    assert rows(whole("one two three\nfour", 8)) == ["one two ", "three", "four"]


@given(
    st.text(alphabet="ab \n\t日\u202e\x1b", max_size=300),
    st.integers(10, 40),
)
def test_rows_fit_and_hold_every_character(text: str, width: int) -> None:
    index = whole(text, width)
    assert index.done
    shown = rows(index)
    assert "".join(shown) == text.replace("\n", "")
    assert all(cell_len(flat(row)) <= width for row in shown)


@given(st.text(alphabet="ab \n", max_size=200), st.integers(0, 20))
def test_every_character_is_in_the_row_that_holds_it(text: str, width: int) -> None:
    index = whole(text, width)
    for offset in range(len(text)):
        start, end = index.span(index.row_at(offset))
        assert start <= offset <= end


def test_a_step_looks_at_a_bounded_stretch() -> None:
    index = TextIndex("x" * 5_000_000, 80)
    assert index.grow()
    assert index.reached < STEP + 4000
    assert len(index) > 100


def found(text: str, needle: str) -> list[int]:
    search = Search(text, needle)
    while search.grow():
        pass
    return list(search.found)


@pytest.mark.parametrize(
    ("text", "needle", "places"),
    [
        ("Error, error", "error", [0, 7]),
        ("Error, error", "Error", [0]),
        ("aaaa", "aa", [0, 2]),
        ("a.b", ".", [1]),
        ("", "x", []),
        ("x", "", []),
    ],
)
def test_find(text: str, needle: str, places: list[int]) -> None:
    assert found(text, needle) == places


def test_find_sees_what_lies_across_two_steps() -> None:
    for at in range(STEP - 6, STEP + 2):
        text = "-" * at + "needle" + "-" * STEP
        assert found(text, "needle") == [at]


def test_a_match_is_marked_on_both_rows_that_it_is_on() -> None:
    search = Search("0123needle89", "needle")
    search.grow()
    assert search.within(0, 6) == [(4, 6)]
    assert search.within(6, 12) == [(6, 10)]
    assert search.within(10, 12) == []

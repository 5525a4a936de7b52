from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.widgets.lines.pieces import (
    Piece,
    Tone,
    bar,
    fit,
    packed,
    pad,
    piece,
    plain,
    spark,
    spread,
    width_of,
    wrap,
)


def texts(lines: list[tuple[Piece, ...]]) -> list[str]:
    return [plain(line) for line in lines]


def test_words_stay_whole_and_later_lines_hang() -> None:
    lines = wrap([Piece("server    "), Piece("Compiling module 62 of 100")], 24, 10)
    assert texts(lines) == ["server    Compiling ", "          module 62 of ", "          100"]


def test_a_word_longer_than_the_line_is_broken() -> None:
    assert texts(wrap([Piece("x" * 25)], 10)) == ["x" * 10, "x" * 10, "x" * 5]


@given(
    st.lists(st.text("abc ", min_size=1, max_size=30).map(str.strip).filter(bool), max_size=6),
    st.integers(1, 60),
    st.integers(0, 12),
)
def test_facts_stay_whole_and_no_line_ends_or_begins_with_a_dot(
    facts: list[str], width: int, hang: int
) -> None:
    lead = f"{'read':<{hang}}"[:hang]
    parts = [(Piece(fact),) for fact in facts]
    lines = texts(packed(parts, width, lead=(Piece(lead),) if lead else (), hang=hang))
    assert all(len(line) <= max(width, hang + 1) for line in lines)
    assert not any(line.strip().startswith("·") or line.rstrip().endswith("·") for line in lines)
    whole = [fact for fact in facts if len(fact) <= width - hang]
    assert all(any(fact in line for line in lines) for fact in whole)
    letters = "".join(lines).replace("·", "").replace(" ", "")
    assert letters == (lead + "".join(facts)).replace(" ", "")


def test_facts_fill_a_line_before_they_take_another() -> None:
    parts = [(Piece("2 s ago"),), (Piece("polled"),), (Piece("next in 3 s"),)]
    lead = (Piece("read      "),)
    assert texts(packed(parts, 45, lead=lead, hang=10)) == [
        "read      2 s ago · polled · next in 3 s",
    ]
    assert texts(packed(parts, 39, lead=lead, hang=10)) == [
        "read      2 s ago · polled",
        "          next in 3 s",
    ]
    assert texts(packed([], 39, lead=lead)) == ["read      "]


def test_a_cut_is_marked() -> None:
    lines = wrap([Piece("one two three four five six")], 10, 0, 2)
    assert len(lines) == 2
    assert plain(lines[-1]).endswith("…")


@given(st.text(max_size=200), st.integers(1, 40), st.integers(0, 12))
def test_no_line_is_ever_wider_than_its_room(text: str, width: int, hang: int) -> None:
    room = max(width, hang + 2)
    for line in wrap([piece(text)], room, hang):
        assert width_of(line) <= room


@given(st.text(alphabet="ab \n日本", max_size=120), st.integers(2, 30))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    shown = "".join(texts(wrap([piece(text)], width)))
    assert [c for c in shown if not c.isspace()] == [c for c in text if not c.isspace()]


def test_wide_characters_are_cut_on_their_borders() -> None:
    assert width_of(fit((Piece("処理中です"),), 5)) <= 5
    assert width_of(pad((Piece("処理中です"),), 8)) == 8


@pytest.mark.parametrize(
    "hostile", ["[/foo]", "[@click=app.quit]x[/]", "\x1b[2J", "\x9b31m", "a\u202egpj.exe", "\x00"]
)
def test_server_text_becomes_clean_and_keeps_its_brackets(hostile: str) -> None:
    shown = piece(ServerText(hostile)).text
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert "\x00" not in shown
    assert hostile.startswith("[") == (shown == hostile)


def test_twenty_kilobytes_are_not_looked_at_to_show_four() -> None:
    assert len(piece("x" * 20_000).text) == 4001


def test_the_ends_of_a_line() -> None:
    assert plain(spread((Piece("left"),), (Piece("right"),), 14)) == "left     right"
    assert width_of(spread((Piece("l" * 40),), (Piece("right"),), 14)) == 14


@pytest.mark.parametrize(("fraction", "filled"), [(0, 0), (0.5, 5), (1, 10), (7, 10), (-1, 0)])
def test_a_bar_is_as_full_as_the_fraction(fraction: float, filled: int) -> None:
    line = bar(fraction, 10)
    assert width_of(line) == 10
    assert plain(line).count("━") == filled


def test_a_graph_leaves_out_what_nobody_saw() -> None:
    assert spark([None, 0.0, 0.5, 1.0]) == " ▁▅█"


@pytest.mark.parametrize("width", range(4, 12))
def test_what_is_left_out_is_marked_once(width: int) -> None:
    [line] = wrap([Piece("abc def ghi jkl mno")], width, limit=1)

    assert plain(line).endswith("…")
    assert plain(line).count("…") == 1
    assert width_of(line) <= width


def test_lines_that_are_asked_for_again_are_not_broken_again() -> None:
    pieces = [Piece("12 m ago "), Piece("a message that takes more than one line", Tone.SERVER)]
    first, again = wrap(pieces, 20, 2), wrap(list(pieces), 20, 2)
    assert len(first) > 2
    assert all(one is other for one, other in zip(first, again, strict=True))
    first.clear()
    assert again == wrap(pieces, 20, 2)


@pytest.mark.parametrize(
    "amount",
    [
        "0 s ago",
        "just now",
        "again in 2 h 05 m",
        "in ≈ 42 s",
        "1,410 per s",
        "waits 30 m",
        "≈ 6 s left",
        "1.5 kB",
        "480 % per min",
        "30 s,",
    ],
)
def test_a_number_stays_with_its_unit(amount: str) -> None:
    lines = texts(wrap([Piece(f"some words {amount}")], len(amount) + 8))
    assert lines == ["some words ", amount]

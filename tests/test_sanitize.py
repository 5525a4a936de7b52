"""Whatever a server says, nothing reaches a terminal that could steer it or deceive its reader."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui.sanitize import ServerText, clean, one_line

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text()
HOSTILE = "ok\x1b[2J\x1b]0;PWNED\x07\x1b]52;c;aGk=\x07\x9b31m\x00\x08\rX"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nlines", "windows\nlines"),
        ("10%\r20%", "10%^M20%"),
        ("\x1b[31mred", "^[[31mred"),
        (
            "\x1b]8;;https://evil.example\x07text\x1b]8;;\x07",
            "^[]8;;https://evil.example^Gtext^[]8;;^G",
        ),
        (HOSTILE, "ok^[[2J^[]0;PWNED^G^[]52;c;aGk=^G⟨U+009B⟩31m^@^H^MX"),
        ("\x7f", "^?"),
        ("\x85\u2028\u2029", "⟨U+0085⟩⟨U+2028⟩⟨U+2029⟩"),
        ("Delete \u202egpj.exe\u202c?", "Delete ⟨U+202E⟩gpj.exe⟨U+202C⟩?"),
        ("\u2066x\u2069 \u200e\u200f\u061c", "⟨U+2066⟩x⟨U+2069⟩ ⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"),
        ("prod\u200b", "prod⟨U+200B⟩"),
        ("a\u00adb\ufeffc\u2060d", "a⟨U+00AD⟩b⟨U+FEFF⟩c⟨U+2060⟩d"),
        ("\u3164\u115f\uffa0", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩"),
        ("x\U000e0041\U000e007f", "x⟨U+E0041⟩⟨U+E007F⟩"),
        ("\U000e0100", "⟨U+E0100⟩"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("\ufffe\U0001d173", "⟨U+FFFE⟩⟨U+1D173⟩"),
        ("[red]x[/red] [/ [@click=app.quit]", "[red]x[/red] [/ [@click=app.quit]"),
        ("שלום مرحبا नमस्ते", "שלום مرحبا नमस्ते"),
        ("処理中 é 100%", "処理中 é 100%"),
        ("☑️ ❤️", "☑ ❤"),
        ("👍🏽", "👍"),
        ("👨‍👩‍👧", "👨👩👧"),
        ("👩🏽‍🚀", "👩🚀"),
        ("1️⃣", "1⃣"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("not\u0378 assigned", "not⟨U+0378⟩ assigned"),
        ("12\u00a0000 \ue0b0", "12\u00a0000 \ue0b0"),
    ],
)
def test_what_is_shown(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(ANY_TEXT)
def test_only_safe_characters_come_out(raw: str) -> None:
    for char in clean(raw):
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in (
            *("LRE", "RLE", "LRO", "RLO", "PDF"),
            *("LRI", "RLI", "FSI", "PDI"),
        )
        assert char not in "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u061c"


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing_more(raw: str) -> None:
    assert clean(clean(raw)) == clean(raw)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_the_fast_way_for_ascii_gives_what_the_long_way_gives(raw: str) -> None:
    assert clean(f"{raw}é") == f"{clean(raw)}é"


@given(st.text(st.characters(categories=["L", "N", "P", "S"], max_codepoint=0x2FF)))
def test_ordinary_text_stays_as_it_is(raw: str) -> None:
    assert clean(raw) == raw.replace("\u00ad", "⟨U+00AD⟩")


@pytest.mark.parametrize(
    "mark", ["\u0301", "\u0489", "\u20e3", "\u0e47", "\u064b", "\u05b0", "\u094d", "\u0903"]
)
def test_a_flood_of_marks_is_thinned(mark: str) -> None:
    assert clean(f"a{mark * 500}b") == f"a{mark * 4}b"


def test_symbols_in_a_row_are_no_flood() -> None:
    for row in (
        "━━━━━━━━━━━━",
        "░░░▒▒▒▓▓▓███",
        "………………",
        "⠋⠙⠹⠸⠼⠴⠦⠧",
        "。、。、。、",
        "🎉🎉🎉🎉🎉🎉",
    ):
        assert clean(row) == row


@pytest.mark.parametrize(
    "text",
    [
        "処理中 100%",
        "👨‍👩‍👧 family",
        "👩🏽‍🚀 👍🏿",
        "❤️ ☑️ ✈️ ⚠️",
        "한국어",
        "ไทย กำ",
        "e\u0301\u0327",
        "Ａ｡",
        "🏳️‍🌈",
        "1️⃣2️⃣",
    ],
)
def test_the_width_is_the_sum_of_its_characters(text: str) -> None:
    """Terminals that join emoji and those that do not then agree where columns are."""
    shown = clean(text)
    by_character = 0
    for char in shown:
        if unicodedata.category(char) not in ("Mn", "Me"):
            by_character += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    assert cell_len(shown) == by_character


@pytest.mark.parametrize(
    ("raw", "limit", "line"),
    [
        ("short", 10, "short"),
        ("  two\n\n lines\t ", 20, "two lines"),
        ("exactly ten", 11, "exactly ten"),
        ("one word more", 8, "one word…"),
        ("one word", 4, "one…"),
        ("\n" * 20 + "late", 10, "late"),
        ("", 10, ""),
        (" \n\t", 10, ""),
    ],
)
def test_one_line(raw: str, limit: int, line: str) -> None:
    assert one_line(raw, limit) == line


@given(ANY_TEXT, st.integers(1, 40))
def test_one_line_is_one_line_and_bounded(raw: str, limit: int) -> None:
    line = one_line(raw, limit)
    assert len(line) <= limit + 1
    assert not re.search(r"[\n\t\r]", line)


def test_marks_do_not_make_a_line_longer_than_its_bound() -> None:
    assert len(one_line("\u202e" * 100, 100)) == 101


def test_megabytes_cost_nothing_on_one_line_and_little_when_ascii() -> None:
    text = "a line of text\tof a build\n" * 200_000
    started = time.process_time()
    one_line(text)
    assert time.process_time() - started < 0.005
    started = time.process_time()
    assert clean(text) is text
    assert time.process_time() - started < 0.2


class TestServerText:
    def test_it_shows_itself_cleaned_and_keeps_itself_raw(self) -> None:
        text = ServerText("a\x1b[2J")
        assert str(text) == f"{text}" == "a^[[2J"
        assert f"{text:>8}" == "  a^[[2J"
        assert text.raw == "a\x1b[2J"
        assert "\x1b" not in repr(text)

    def test_it_is_no_string_and_equal_by_what_was_said(self) -> None:
        assert not isinstance(ServerText("a"), str)
        assert ServerText("a") == ServerText("a") != ServerText("b")
        assert ServerText("a") != "a"
        assert {ServerText("a"), ServerText("a")} == {ServerText("a")}
        assert not ServerText("")

    def test_it_is_taken_by_the_cleaners(self) -> None:
        assert clean(ServerText("\x07")) == "^G"
        assert one_line(ServerText("a\nb")) == "a b"

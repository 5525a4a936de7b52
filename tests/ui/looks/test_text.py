"""Text on its way to the screen: cleaned, never parsed, cut by cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.words import age
from mcp_tasks_tui.ui.looks.text import beside, cell, content, lines, middle, pad


@pytest.mark.parametrize(
    "hostile",
    [
        "[/",
        "[red]x[/red]",
        "[@click=app.quit]x[/]",
        "[type=x, v={'a[0]'}]",
        "zrank [b + reply [red]",
    ],
)
def test_brackets_stay_what_they_are(hostile: str) -> None:
    shown = content(ServerText(hostile), "bold")
    assert shown.plain == hostile
    assert [str(span.style) for span in shown.spans] == ["bold"]


def test_control_characters_never_get_into_content() -> None:
    shown = content(ServerText("ok\x1b[2J\x1b]0;x\x07\x9b31m\u202e"))
    assert shown.plain == "ok^[[2J^[]0;x^G⟨U+009B⟩31m⟨U+202E⟩"


def test_pieces_are_put_together() -> None:
    assert beside(content("a"), content("b")).plain == "ab"
    assert lines(content("a"), content("b")).plain == "a\nb"


@given(st.text(max_size=60), st.integers(0, 40))
def test_a_cell_never_is_wider_than_its_column(text: str, width: int) -> None:
    assert cell_len(cell(text, width)) <= width
    assert cell_len(middle(text, width)) <= width
    assert cell_len(pad(text, width)) == width


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("build", 5, "build"),
        ("building", 5, "buil…"),
        ("処理中です", 5, "処理…"),
        ("処理中です", 6, "処理…"),
        ("e\u0301te\u0301s", 3, "e\u0301t…"),
        ("two\nlines", 20, "two lines"),
        ("x", 0, ""),
        ("処", 1, ""),
    ],
)
def test_cuts_on_the_borders_of_characters(text: str, width: int, expected: str) -> None:
    assert cell(text, width) == expected


def test_the_middle_of_an_id_goes_first() -> None:
    assert middle("task-0123456789-abcdef", 11) == "task-…bcdef"
    assert middle("処理中処理中", 7) == "処…中"
    assert middle("short", 9) == "short"


def test_a_megabyte_costs_nothing_to_cut() -> None:
    assert cell("a" * 5_000_000, 10) == "aaaaaaaaa…"


@pytest.mark.parametrize(
    ("seconds", "short"),
    [
        (-3, "0s"),
        (59.9, "59s"),
        (125, "2m"),
        (11_400, "3h"),
        (90_000, "25h"),
        (86_400 * 40, "40d"),
        (86_400 * 1100, "3y"),
    ],
)
def test_lengths_of_time(seconds: float, short: str) -> None:
    assert age(seconds) == short

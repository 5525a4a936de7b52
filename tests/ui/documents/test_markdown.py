"""Markdown of a server: its structure is drawn, and nothing of it acts."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.ui.documents.markdown import column_widths, markdown_lines
from mcp_tasks_tui.ui.widgets.lines.pieces import plain, width_of


def shown(markdown: str, width: int = 60) -> str:
    return "\n".join(plain(line) for line in markdown_lines(markdown, width))


def test_structure_is_rendered() -> None:
    said = shown("# Title\n\ntext **bold**\n\n- one\n  1. deep\n\n> quote\n\n```\ncode\n```\n\n---")
    for words in ("█ Title", "text bold", "• one", "1. deep", "▎ quote", "│ code", "─" * 60):
        assert words in said


def test_where_a_link_leads_is_in_plain_sight() -> None:
    said = shown("[safe.example](https://evil.example/x) ![i](http://img/x.png)", 120)
    assert "safe.example (https://evil.example/x)" in said
    assert "[image: i] (http://img/x.png)" in said


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "[@click=app.quit]x[/]",
        "[/foo]",
        "\x1b]8;;http://x\x07y\x1b]8;;\x07",
        "| a |\n|---|\n| \x1b[2J |",
        "# \u202egpj",
        "```\x1b[2J\n\x1b[2J\n```",
        "[" * 3000,
        ">" * 3000,
        "- " * 500,
        "*" * 3000,
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_hostile_markdown_is_text(hostile: str) -> None:
    lines = markdown_lines(hostile, 40)
    text = "".join(plain(line) for line in lines)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert lines


def test_html_is_shown_as_it_is() -> None:
    assert "<b>x</b>" in shown("<b>x</b>")


def test_tables_share_the_width() -> None:
    assert column_widths([["a", "bb"], ["cccc", "d"]], 40) == [4, 2]
    assert sum(column_widths([["x" * 100, "y" * 50, "z"]], 40)) <= 40
    numbers = "| service | requests/s |\n|---|--:|\n| checkout | 1,840 |"
    for width, told in ((21, "checkout │      1,840"), (20, "checkout│     1,840"), (19, "")):
        texts = [plain(line) for line in markdown_lines(numbers, width)]
        assert (texts[-1] == told) is bool(told), "blanks give way before words do"
        assert max(map(len, texts)) <= width
    lines = markdown_lines(f"| a | b |\n|---|---|\n| {'x' * 90} | 処理 |", 40)
    assert all(width_of(line) <= 40 for line in lines)

"""Links written in a text are found, each once, without the end of the sentence."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.ui.documents.links import all_links
from mcp_tasks_tui.ui.documents.markdown import markdown_lines
from mcp_tasks_tui.ui.widgets.lines.pieces import plain


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("see https://a.example/x.", ["https://a.example/x"]),
        ("[it](https://a.example/x_(y)) and", ["https://a.example/x_(y)"]),
        ("(https://b.example)", ["https://b.example"]),
        (
            "| https://a.example | HTTP://B.example/?r=[2] |",
            ["https://a.example", "HTTP://B.example/?r=[2]"],
        ),
        ("<https://a.example>, 'https://a.example'", ["https://a.example"]),
        ("file:///etc/passwd javascript:alert(1) data:x", []),
        (
            "https://a.example/\x1b[2J https://b.example\u009b1m",
            ["https://a.example/", "https://b.example"],
        ),
    ],
)
def test_links_written_in_a_text(text: str, urls: list[str]) -> None:
    doc = read_result({"content": [{"type": "text", "text": text}]})
    assert [part.uri for part in all_links(doc)] == urls


def test_links_are_listed_once_those_of_the_result_first() -> None:
    link = {"type": "resource_link", "uri": "https://a.example/", "name": "a"}
    said = {"type": "text", "text": "https://b.example https://a.example/ " * 9}
    doc = read_result({"content": [said, link]})
    assert [part.uri for part in all_links(doc)] == ["https://a.example/", "https://b.example"]
    many = read_result({"content": [{"type": "text", "text": _numbered_links(500)}]})
    assert len(all_links(many)) == 100


def _numbered_links(count: int) -> str:
    return " ".join(f"https://a.example/{number}" for number in range(count))


def test_the_end_of_a_sentence_stays_with_the_link_before_it() -> None:
    lines = markdown_lines("see [it](https://a.example/path).\n\n`code`, then *more*!", 30)
    assert [plain(line).rstrip() for line in lines if line] == [
        "see it",
        "(https://a.example/path).",
        "code, then more!",
    ]

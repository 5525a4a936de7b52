"""What a result holds: its kinds of content, what is odd about them, and what is only guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_tasks_tui.supervise.results import (
    Part,
    PartKind,
    document,
    read_result,
    reads_like_markdown,
    repeats_structured,
    wraps_text,
)
from mcp_tasks_tui.ui.widgets.lines.pieces import plain
from mcp_tasks_tui.ui.widgets.panel.result import preview


def test_the_five_kinds_of_content() -> None:
    doc = read_result(
        {
            "isError": True,
            "content": [
                {"type": "text", "text": "t"},
                {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
                {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "file:///x", "name": "x"},
                {"type": "resource", "resource": {"uri": "file:///y", "text": "inner"}},
                {"type": "resource", "resource": {"uri": "file:///z", "blob": "aGVsbG8="}},
            ],
        }
    )
    text, blob, link = PartKind.TEXT, PartKind.BLOB, PartKind.LINK
    assert [part.kind for part in doc.parts] == [text, blob, blob, link, text, blob]
    assert doc.is_error
    assert doc.parts[1].size == 5
    assert doc.parts[4].text == "inner"
    assert [part.uri for part in doc.files] == [None, None, "file:///y", "file:///z"]
    assert [part.uri for part in doc.links] == ["file:///x"]


@pytest.mark.parametrize("value", [None, "t", 7, True, [], [1], {}, {"content": None}, {"a": [{}]}])
def test_no_shape_is_refused_and_all_are_kept(value: Any) -> None:
    doc = read_result(value)
    assert doc.raw == value
    assert doc.notes


@pytest.mark.parametrize(
    "item",
    [
        None,
        7,
        [],
        {},
        {"type": 7},
        {"type": "text"},
        {"type": "text", "text": 7},
        {"type": "image"},
        {"type": "resource_link", "uri": None},
        {"type": "resource", "resource": "x"},
        {"type": "resource", "resource": {"uri": "u"}},
    ],
)
def test_an_item_that_cannot_be_read_is_shown_raw(item: Any) -> None:
    doc = read_result({"content": [item]})
    assert doc.parts[0].kind is PartKind.OTHER
    assert document(doc).text.startswith("── 1 of 1 · ")


def test_is_error_is_never_guessed() -> None:
    odd = read_result({"isError": "true", "content": [{"type": "text", "text": "ERROR"}]})
    assert not odd.is_error
    assert "isError is not true or false" in odd.notes[0]


def test_our_own_lines_among_the_servers_are_known() -> None:
    items = [{"type": "text", "text": "one\n── 9 of 9 · forged"}, {"type": "text", "text": "two"}]
    doc = document(read_result({"content": items}))
    assert [doc.text[at:].split("\n")[0] for at in doc.ours] == [
        "── 1 of 2 · text",
        "── 2 of 2 · text",
    ]


def test_a_text_that_repeats_the_structured_content() -> None:
    value = {"a": [1, 2]}
    same = {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
    assert repeats_structured(read_result(same))
    assert not repeats_structured(read_result({**same, "structuredContent": {"a": 1}}))
    deep = {**same, "content": [{"type": "text", "text": "[" * 40_000}]}
    assert not repeats_structured(read_result(deep))


def test_a_text_that_the_structured_content_wraps() -> None:
    one = {"content": [{"type": "text", "text": "all\nis built"}]}
    wrapped = read_result({**one, "structuredContent": {"result": "all\nis built"}})
    assert repeats_structured(wrapped)
    assert wraps_text(wrapped)
    shown = "\n".join(plain(line) for line in preview(wrapped, 60, 9))
    assert shown == "all\nis built", "as it is read best, once"
    for other in ({"result": "all"}, {"result": "all\nis built", "n": 1}, None):
        assert not repeats_structured(read_result({**one, "structuredContent": other}))


def test_markdown_is_a_guess_with_a_reason() -> None:
    def text(said: str, mime: str | None = None) -> Part:
        return Part(PartKind.TEXT, "text", said, mime=mime)

    assert reads_like_markdown(text("# Report\n\n- one\n- **two**"))
    assert reads_like_markdown(text("plain", "text/markdown; charset=utf-8"))
    assert not reads_like_markdown(text("# Report\n\n- one\n- **two**", "text/plain"))
    assert not reads_like_markdown(text("just a line\n- and a dash"))

"""What the viewer is made of, without a screen."""

from __future__ import annotations

import base64
import csv
import gc
import io
import json
import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from mcp_tasks_tui import patient_json
from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.results import (
    LOST,
    Part,
    PartKind,
    document,
    read_result,
    reads_like_markdown,
    repeats_structured,
    wraps_text,
)
from mcp_tasks_tui.ui.documents.json_text import LONGEST_JSON, NoJson, read_json
from mcp_tasks_tui.ui.documents.links import all_links
from mcp_tasks_tui.ui.documents.markdown import column_widths, markdown_lines
from mcp_tasks_tui.ui.documents.outside import NotOpened, editor, pager
from mcp_tasks_tui.ui.documents.saving import (
    NotSaved,
    blob_bytes,
    file_name,
    free_path,
    json_bytes,
    name_for,
    text_bytes,
    write_new,
)
from mcp_tasks_tui.ui.documents.spreadsheet import csv_bytes
from mcp_tasks_tui.ui.documents.text_index import STEP, Search, TextIndex
from mcp_tasks_tui.ui.documents.tree_rows import GROUP, Path, Tree, matches, spell, tree_line
from mcp_tasks_tui.ui.widgets.lines.pieces import flat, plain, width_of
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.panel.result import file_line, preview
from mcp_tasks_tui.ui.widgets.result.table import Columns, find_table
from mcp_tasks_tui.ui.widgets.result.tabs import (
    json_tabs,
    late_json,
    result_tabs,
    too_long_for_a_tree,
)
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    import pathlib


# --- the shape of results ------------------------------------------------------------------
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
    assert tabs({**one, "structuredContent": {"result": "all\nis built"}})[0] == "text"
    for other in ({"result": "all"}, {"result": "all\nis built", "n": 1}, None):
        assert not repeats_structured(read_result({**one, "structuredContent": other}))


def test_markdown_is_a_guess_with_a_reason() -> None:
    def text(said: str, mime: str | None = None) -> Part:
        return Part(PartKind.TEXT, "text", said, mime=mime)

    assert reads_like_markdown(text("# Report\n\n- one\n- **two**"))
    assert reads_like_markdown(text("plain", "text/markdown; charset=utf-8"))
    assert not reads_like_markdown(text("# Report\n\n- one\n- **two**", "text/plain"))
    assert not reads_like_markdown(text("just a line\n- and a dash"))


# --- the rows of a text --------------------------------------------------------------------
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


# --- Markdown ------------------------------------------------------------------------------
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


# --- the tree ------------------------------------------------------------------------------
def test_a_small_document_starts_open_and_a_large_one_does_not() -> None:
    assert len(Tree({"a": {"b": [1, 2]}}).rows) == 5
    large = Tree({"a": list(range(50_000))})
    assert [row.path for row in large.rows] == [(), ("a",)]


def test_rows_open_and_close() -> None:
    tree = Tree({"a": list(range(100)), "b": 1})
    assert tree.open(1)
    assert len(tree.rows) == 103
    assert not tree.open(1)
    assert tree.parent(50) == 1
    assert tree.close(1)
    assert len(tree.rows) == 3
    assert not tree.open(2)


def test_a_million_children_open_in_groups() -> None:
    tree = Tree(list(range(1_000_000)))
    assert len(tree.rows) == 1_000_000 // GROUP + 1
    tree.open(1)
    assert tree.rows[2].value == 0
    assert len(tree.rows) == 1_000_000 // GROUP + 1 + GROUP
    assert "".join(each.text for each in tree_line(tree.rows[1])).endswith("▾ 0 … 499")


def test_search_opens_what_hides_a_match() -> None:
    value = {"list": [{"name": f"n{i}"} for i in range(2000)], "x": {"deep": "Needle"}}
    tree = Tree(value)
    hits: list[Path] = [path for path in matches(value, "needle") if path]
    assert hits == [("x", "deep")]
    assert tree.rows[tree.reveal(hits[0])].value == "Needle"
    (hit,) = [path for path in matches(value, "n1999") if path]
    row = tree.reveal(hit)
    assert tree.rows[row].value == "n1999"
    assert spell(tree.rows[row].path) == "list[1999].name"


def test_a_search_goes_as_deep_as_json_can_be_read_and_deeper() -> None:
    deep: Any = "bottom"
    for _ in range(2_000):
        deep = [deep]
    path = next(path for path in matches(deep, "bottom") if path)
    assert len(path) == 2_000


@pytest.mark.parametrize(
    "value",
    [None, True, 7, 1.5, 10**5000, "", "x" * 10_000, [], {}, {"": 1}, {"[/foo]\x1b": "[@click=x]"}],
    ids=range(11),
)
def test_every_value_has_a_clean_short_row(value: Any) -> None:
    for row in Tree(value).rows:
        line = tree_line(row)
        assert width_of(line) < 700
        assert "\x1b" not in plain(line)


# --- tables --------------------------------------------------------------------------------
def test_a_list_of_objects_is_a_table() -> None:
    rows_ = [{"name": "unit", "n": 4312}, {"name": "b", "n": 3, "late": None}, "odd"]
    columns = Columns(rows_)
    assert columns.names == ["name", "n", "late"]
    assert plain(columns.heading()).split() == ["name", "n", "late"]
    assert plain(columns.line(rows_[0])).split() == ["unit", "4312", "–"]
    assert plain(columns.line("odd")) == '"odd"'


def test_where_a_table_is_found() -> None:
    table = [{"a": 1}, {"a": 2}]
    assert find_table(table) == ("", table)
    assert find_table({"n": 1, "items": table}) == ("items", table)
    others: list[Any] = [[], [{}], [1, 2], {"a": [1]}, None, "x", [{"a": 1}]]
    assert [find_table(other) for other in others] == [None] * 7


# --- which tabs there are ------------------------------------------------------------------
def tabs(result: Any, state: State = State.COMPLETED) -> list[str]:
    facts = PanelFacts(a_task(state=state), NOW, 80, 24)
    return [tab.id for tab in result_tabs(read_result(result), lambda: facts)]


def test_each_result_gets_the_views_that_fit_it() -> None:
    always = ["raw", "journal", "task"]
    text = {"type": "text", "text": "hello"}
    listing = [{"a": 1}, {"a": 2}]
    assert tabs({"content": [text]}) == ["text", *always]
    assert tabs({"content": [{"type": "text", "text": json.dumps(listing)}]}) == [
        "text",
        "structured",
        "table",
        *always,
    ]
    assert tabs({"content": [text], "structuredContent": listing}) == [
        "text",
        "structured",
        "table",
        *always,
    ]
    assert tabs({"content": [{"type": "text", "text": "# A\n\n- **b**"}]})[:2] == [
        "markdown",
        "text",
    ]
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    assert tabs({"content": [image]}) == ["files", "text", *always]
    assert tabs({"content": [image, text]}) == ["text", "files", *always]
    assert tabs(None, State.FAILED) == ["error", *always]


@pytest.mark.parametrize(
    ("state", "has_result", "said"),
    [
        (State.WORKING, False, "There is no result yet. State: working."),
        (State.INPUT_REQUIRED, False, "There is no result yet. State: needs input."),
        (State.CANCELLED, False, "There is no result. State: cancelled."),
        (State.GONE, False, "There is no result: the server does not know the task any more."),
        (State.COMPLETED, True, "The result could not be read: disk error."),
    ],
)
def test_a_task_without_a_result_says_so_first(state: State, has_result: bool, said: str) -> None:
    view = a_task(state=state)
    view = replace(view, snapshot=replace(view.snapshot, has_result=has_result))
    facts = PanelFacts(view, NOW, 80, 24, trouble="disk error")
    shown = result_tabs(None, lambda: facts)
    assert [tab.id for tab in shown] == ["none", "journal", "task"]
    assert shown[0].text() == f"{said}\n"


def test_what_cannot_be_read_as_text_says_what_it_is_and_how_to_get_it() -> None:
    image = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png\x1b"}
    audio = {"type": "audio", "data": "aGVsbG8="}
    words = {"type": "text", "text": ""}
    doc = document(read_result({"content": [image, audio, words]}))
    assert "image · image/png^[ · 5 B\nnot text: save it from the Files view\n" in doc.text
    assert "audio · 5 B\nnot text: save it from the Files view\n" in doc.text
    assert [doc.text[at:].split("\n")[0][:9] for at in doc.ours] == [
        "── 1 of 3",
        "not text:",
        "── 2 of 3",
        "not text:",
        "── 3 of 3",
        "(empty)",
    ]


def test_structured_content_comes_first_where_the_text_only_repeats_it() -> None:
    value = {"a": 1}
    content = [{"type": "text", "text": '{"a":1}'}]
    assert tabs({"content": content, "structuredContent": value})[:2] == ["structured", "text"]


def test_every_tab_gives_its_bytes() -> None:
    facts = PanelFacts(a_task(state=State.COMPLETED), NOW, 80, 24)
    doc = read_result({"content": [{"type": "text", "text": "raw \x1b[2J"}]})
    for tab in result_tabs(doc, lambda: facts):
        assert isinstance(tab.text(), str)
    saved = [JournalEntry(NOW, Event.MESSAGE, ServerText("\x1b[2J step"))]
    told = replace(facts, journal=tuple(saved))
    journal = next(tab for tab in result_tabs(doc, lambda: told) if tab.id == "journal")
    assert "\x1b" not in journal.text()
    (entry,) = json.loads(b"".join(journal.data_for("a.json")))
    assert (entry["event"], entry["text"]) == ("message", "\x1b[2J step"), "as it was said"
    assert result_tabs(doc, lambda: facts)[0].text() == "raw \x1b[2J"


def test_a_lost_result_is_not_one_that_was_never_sent() -> None:
    view = a_task(state=State.COMPLETED)
    facts = PanelFacts(view, NOW, 80, 24)
    lost = read_result(None, was_kept=True)
    assert lost.notes == (LOST,)
    assert read_result(None).notes == ("the server sent no result",)
    shown = result_tabs(lost, lambda: facts)
    assert [tab.id for tab in shown] == ["none", "journal", "task"]
    assert LOST in shown[0].text()
    assert "polling the task once more asks for it" in shown[0].text()
    assert not read_result({"content": []}, was_kept=True).lost


# --- large JSON ----------------------------------------------------------------------------
def long_list(size: int) -> str:
    entry = '{"a": 1, "b": "\u00fc\\n", "c": null, "d": [true, -1.5e3]},'
    return f"[{entry * (size // len(entry) + 1)}{entry[:-1]}]"


def test_a_long_text_is_read_as_json_as_a_short_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_json, "QUICK", 1_000)
    text = long_list(1_000)
    assert len(text) > 1_000
    assert read_json(text) == json.loads(text)
    assert gc.isenabled()
    for broken in (text[:-1], "{" * 2_000, "[" * 5_000, f"{text}x"):
        with pytest.raises(NoJson):
            read_json(broken)
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("size", "at_once", "late", "never"),
    [
        (100, True, False, False),
        (patient_json.QUICK, False, True, False),
        (LONGEST_JSON, False, False, True),
    ],
)
def test_when_a_text_becomes_a_tree(size: int, at_once: bool, late: bool, never: bool) -> None:
    text = long_list(size)
    doc = read_result({"content": [{"type": "text", "text": text}]})
    assert ("structured" in tabs(doc.raw)) is at_once
    assert (late_json(doc) is not None) is late
    assert too_long_for_a_tree(doc) is never
    assert [tab.id for tab in json_tabs(long_list(100))] == ["structured", "table"]
    assert json_tabs("[1, 2") == []


# --- links ---------------------------------------------------------------------------------
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


# --- CSV -----------------------------------------------------------------------------------
def test_a_table_is_saved_as_csv_of_every_column() -> None:
    rows_: list[Any] = [{"n": 1, "s": 'a "b", c\nd'}, {"n": None, "late": [1, {"x": True}]}, "odd"]
    written = b"".join(csv_bytes(rows_)).decode()
    assert list(csv.reader(io.StringIO(written))) == [
        ["n", "s", "late", "value"],
        ["1", 'a "b", c\nd', "", ""],
        ["", "", '[1, {"x": true}]', ""],
        ["", "", "", "odd"],
    ]


def test_no_text_of_a_server_is_a_formula_in_csv() -> None:
    hostile = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"]
    written = b"".join(csv_bytes([{f"={text}": text, "n": -1} for text in hostile])).decode()
    cells = [cell for row in csv.reader(io.StringIO(written, newline="")) for cell in row]
    assert all(cell.startswith("'") or cell in ("", "n", "-1") for cell in cells)
    assert cells.count("-1") == len(hostile)


def test_the_name_of_a_file_chooses_its_format() -> None:
    facts = PanelFacts(a_task(state=State.COMPLETED), NOW, 80, 24)
    doc = read_result({"content": [], "structuredContent": [{"a": 1}, {"a": 2}]})
    table = next(tab for tab in result_tabs(doc, lambda: facts) if tab.id == "table")
    assert b"".join(table.data_for("/x/t.csv")) == b"a\r\n1\r\n2\r\n"
    assert b"".join(table.data_for("t")) == b"a\r\n1\r\n2\r\n"
    assert json.loads(b"".join(table.data_for("t.JSON"))) == [{"a": 1}, {"a": 2}]


def test_a_tree_with_another_value_stays_as_open_as_it_was() -> None:
    tree = Tree({"a": {"b": [1, 2]}, "c": {"d": 1}, "e": 1})
    tree.close(tree.reveal(("a", "b")))
    tree.close(tree.reveal(("c",)))
    other = Tree({"a": {"b": [1, 2, 3]}, "c": {"d": 2}, "f": {"g": 1}})
    other.open_as(tree)
    assert [row.path for row in other.rows] == [
        (),
        ("a",),
        ("a", "b"),
        ("c",),
        ("f",),
        ("f", "g"),
    ]
    assert other.rows[other.nearest(("a", "b", 1))].path == ("a", "b")
    assert other.nearest(("gone",)) == 0


# --- saving --------------------------------------------------------------------------------
def test_saved_files_are_private_and_never_overwrite(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "result.txt"
    old = os.umask(0)
    try:
        assert write_new(path, text_bytes("häh\x1b")) == 5
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == "häh\x1b".encode()
    with pytest.raises(NotSaved, match="exists; it is not overwritten"):
        write_new(path, text_bytes("other"))
    assert path.read_text() == "häh\x1b"
    assert free_path(tmp_path, "result.txt").name == "result-2.txt"


def test_a_link_is_not_followed_to_another_file(tmp_path: pathlib.Path) -> None:
    target = tmp_path / "target"
    link = tmp_path / "link"
    link.symlink_to(target)
    with pytest.raises(NotSaved):
        write_new(link, text_bytes("x"))
    assert not target.exists()
    assert free_path(tmp_path, "link").name == "link-2"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: pathlib.Path) -> None:
    with pytest.raises(NotSaved, match="No such file or directory"):
        write_new(tmp_path / "no" / "where", text_bytes("x"))
    with pytest.raises(NotSaved, match="not base64"):
        write_new(tmp_path / "image", blob_bytes("aGVsbG8=" * 10 + "!!!!"))
    assert list(tmp_path.iterdir()) == []


@given(st.binary(max_size=2000), st.integers(1, 100))
def test_base64_comes_back_whole(data: bytes, line: int) -> None:
    text = base64.b64encode(data).decode()
    broken = "\r\n".join(text[at : at + line] for at in range(0, len(text), line))
    assert b"".join(blob_bytes(broken)) == data
    assert b"".join(blob_bytes(base64.urlsafe_b64encode(data).decode().rstrip("="))) == data


def test_json_is_written_as_it_came() -> None:
    value = {"a": ["ü", None, 1.5]}
    assert json.loads(b"".join(json_bytes(value))) == value


@pytest.mark.parametrize(
    ("name", "uri", "mime", "safe"),
    [
        ("../../.ssh/authorized_keys", None, "text/plain", "authorized_keys.txt"),
        ("..\\..\\evil.exe", None, None, "evil.exe"),
        (None, "file:///etc/passwd", None, "passwd.bin"),
        (None, None, "image/png", "stem-image.png"),
        (".bashrc", None, None, "bashrc.bin"),
        ("a b\x1b[2J.png", None, "image/png", "a-b-2J.png"),
        ("x" * 500 + ".tar", None, None, "x" * 80 + ".tar"),
        ("…", None, "audio/wav", "result.wav"),
    ],
)
def test_a_server_never_chooses_where_a_file_goes(
    name: str | None, uri: str | None, mime: str | None, safe: str
) -> None:
    part = Part(PartKind.BLOB, "image", data="", name=name, uri=uri, mime=mime)
    assert name_for(part, "stem") == safe


def test_file_names_are_plain() -> None:
    assert file_name("nightly report/üb", "md") == "nightly-report-b.md"
    assert file_name("---", "txt") == "result.txt"


def test_pager_and_editor_are_the_persons() -> None:
    assert pager({}) == ["less"]
    assert pager({"PAGER": "less -R '+G x'"}) == ["less", "-R", "+G x"]
    assert editor({"EDITOR": "nano", "VISUAL": "code --wait"}) == ["code", "--wait"]
    with pytest.raises(NotOpened, match="quotes"):
        pager({"PAGER": "less '"})


def test_the_end_of_a_sentence_stays_with_the_link_before_it() -> None:
    lines = markdown_lines("see [it](https://a.example/path).\n\n`code`, then *more*!", 30)
    assert [plain(line).rstrip() for line in lines if line] == [
        "see it",
        "(https://a.example/path).",
        "code, then more!",
    ]


def test_a_column_of_numbers_is_written_from_the_right() -> None:
    lines = markdown_lines("| a | ms |\n|---|---:|\n| x | 5 |\n| y | 1,200 |", 30)
    assert [plain(line) for line in lines] == ["a │    ms", "──┼──────", "x │     5", "y │ 1,200"]
    wide = markdown_lines("| 名前 | n |\n|---|---|\n| 処理中です | 1 |", 30)
    assert [plain(line) for line in wide][2] == "処理中です │ 1"


def test_a_files_size_is_in_view_however_long_its_name_is() -> None:
    part = Part(PartKind.BLOB, "resource", data="aGVsbG8=", name="x" * 200)
    assert plain(file_line(part, 20)).endswith("…  5 B")
    assert width_of(file_line(part, 20)) <= 20

"""Each result has the views that fit it, and each view its bytes."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui import patient_json
from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.results import LOST, Part, PartKind, document, read_result
from mcp_tasks_tui.ui.documents.json_text import LONGEST_JSON, NoJson, read_json
from mcp_tasks_tui.ui.documents.markdown import markdown_lines
from mcp_tasks_tui.ui.widgets.lines.pieces import plain, width_of
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.panel.result import file_line
from mcp_tasks_tui.ui.widgets.result.table import Columns, find_table
from mcp_tasks_tui.ui.widgets.result.tabs import (
    json_tabs,
    late_json,
    result_tabs,
    too_long_for_a_tree,
)
from tests.ui.fakes import NOW, a_task


def tabs(result: Any, state: State = State.COMPLETED) -> list[str]:
    facts = PanelFacts(a_task(state=state), NOW, 80, 24)
    return [tab.id for tab in result_tabs(read_result(result), lambda: facts)]


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


def test_of_a_task_that_was_never_known_there_is_no_result_and_why() -> None:
    view = a_task(state=State.GONE, read_at=None)
    shown = result_tabs(None, lambda: PanelFacts(view, NOW, 80, 24))
    assert shown[0].text().startswith("There is no result: never known here: check the id")


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


def test_a_column_of_numbers_is_written_from_the_right() -> None:
    lines = markdown_lines("| a | ms |\n|---|---:|\n| x | 5 |\n| y | 1,200 |", 30)
    assert [plain(line) for line in lines] == ["a │    ms", "──┼──────", "x │     5", "y │ 1,200"]
    wide = markdown_lines("| 名前 | n |\n|---|---|\n| 処理中です | 1 |", 30)
    assert [plain(line) for line in wide][2] == "処理中です │ 1"


def test_a_files_size_is_in_view_however_long_its_name_is() -> None:
    part = Part(PartKind.BLOB, "resource", data="aGVsbG8=", name="x" * 200)
    assert plain(file_line(part, 20)).endswith("…  5 B")
    assert width_of(file_line(part, 20)) <= 20


def test_a_text_that_the_structured_content_wraps_is_shown_first() -> None:
    one = {"content": [{"type": "text", "text": "all\nis built"}]}
    assert tabs({**one, "structuredContent": {"result": "all\nis built"}})[0] == "text"

"""Other sections of the panel: result, error, what it is, and raw values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.ui.widgets.lines.pieces import Line, Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.panel.about import (
    about_section,
    claims_section,
    notes_section,
    raw_section,
)
from mcp_tasks_tui.ui.widgets.panel.facts import Loaded, Section
from mcp_tasks_tui.ui.widgets.panel.layout import laid_out
from mcp_tasks_tui.ui.widgets.panel.result import error_section, result_section
from mcp_tasks_tui.ui.widgets.panel.status import status_section
from tests.ui.fakes import a_task
from tests.ui.widgets.panel.sheet import HOSTILE, facts, text, tones

if TYPE_CHECKING:
    pass


def test_a_failure_that_only_its_message_explains_is_told_by_it_in_red() -> None:
    view = a_task(state=State.FAILED, message="Worker lost: no heartbeat for 30 s")
    assert error_section(facts(view)) is None
    assert tones(status_section(facts(view)), "Worker lost") == {Tone.BAD}


def test_a_failed_task_with_a_result_shows_both() -> None:
    view = a_task(state=State.FAILED, message="Build failed")
    view = replace(view, snapshot=replace(view.snapshot, has_result=True))
    doc = read_result({"isError": True, "content": [{"type": "text", "text": "3 errors"}]})
    shown = text(result_section(facts(view, result=doc, result_loaded=Loaded.READY)))
    assert "3 errors" in shown
    assert "reports an error (isError)" in shown
    assert "Build failed" in text(status_section(facts(view)))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "the server sent no result"),
        ("text", "the result is bare text"),
        ([1, 2], "the result is a list, not an object"),
        ({}, "neither content nor structured content"),
        ({"content": "text"}, "content is not a list"),
        ({"content": [None, 7, {"type": "x"}]}, "item of an unknown kind"),
        ({"content": [], "structuredContent": {"a": 1}}, "a: 1"),
        ({"content": [{"type": "text", "text": HOSTILE}]}, "^[[2J[/foo][@click=app.quit]x[/]"),
    ],
)
def test_a_result_of_any_shape_is_shown(result: Any, said: str) -> None:
    view = a_task(state=State.COMPLETED)
    doc = read_result(result)
    shown = text(result_section(facts(view, result=doc, result_loaded=Loaded.READY)))
    assert said in shown


def test_what_is_not_read_yet_says_so() -> None:
    assert "reading" in text(result_section(facts(a_task(state=State.COMPLETED))))
    assert result_section(facts(a_task())) is None
    failed = facts(a_task(state=State.COMPLETED), result_loaded=Loaded.FAILED)
    assert "could not be read" in text(result_section(failed))


def test_what_it_is() -> None:
    view = a_task(
        note="watch it", tags=["a", "b"], arguments={"deep": {"x": [1, 2]}, "text": "[red]x[/red]"}
    )
    shown = text(about_section(facts(view)))
    for words in (
        "build",
        "task-t1",
        "watch it",
        "a b",
        "http://127.0.0.1:8900/mcp",
        "[red]x[/red]",
    ):
        assert words in shown


def test_a_timestamp_that_is_none_is_shown_as_it_came() -> None:
    view = a_task()
    view = replace(view, snapshot=replace(view.snapshot, created_at="yesterday\x07"))
    assert 'created "yesterday^G"' in text(claims_section(facts(view)))


def test_protocol_notes_and_raw_values() -> None:
    view = a_task(message="m")
    assert notes_section(facts(view)) is None
    view = replace(view, snapshot=replace(view.snapshot, notes=("ttl is a string",)))
    assert "ttl is a string" in text(notes_section(facts(view)))
    assert 'statusMessage: "m"' in text(raw_section(facts(view)))


def test_folded_sections_keep_their_headings() -> None:
    line: Line = ()
    sections = [Section("status", "", (line,)), Section("a", "A", (line, line)), Section("b", "B")]
    open_ = laid_out(sections, 30, airy=False)
    folded = laid_out(sections, 30, folded={"a"}, airy=False)
    assert len(open_.lines) - len(folded.lines) == 2
    assert open_.heading_at(open_.headings["b"]) == "b"
    assert plain(folded.lines[folded.headings["a"]]).startswith("▸ A")


@pytest.mark.parametrize(
    ("width", "heading"),
    [
        (44, "▾ Result ── text 289 B, 1 file · enter opens"),
        (41, "▾ Result ───────── text 289 B, 1 file"),
        (20, "▾ Result ───────────"),
        (6, "▾ Res…"),
    ],
)
def test_a_narrow_heading_leaves_whole_facts_out(width: int, heading: str) -> None:
    section = Section("result", "Result", (), "text 289 B, 1 file · enter opens")
    (line,) = laid_out([section], width).lines
    assert width_of(line) <= width
    assert plain(line).replace("─", "") == heading.replace("─", "")

"""What is printed of a result, and of a task that has none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from mcp_tasks_tui.cli.commands.result import tell
from mcp_tasks_tui.cli.exits import Exit
from mcp_tasks_tui.cli.results import result_text
from mcp_tasks_tui.handles.model import State
from tests.ui.fakes import a_task


def texts(*said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in said]


@pytest.mark.parametrize(
    ("result", "printed"),
    [
        ({"content": texts("one", "two\nthree")}, "one\ntwo\nthree"),
        ({"content": texts("one"), "structuredContent": {"result": "one"}}, "one"),
        ({"content": texts('{"a":1}'), "structuredContent": {"a": 1}}, '{"a":1}'),
        ({"content": texts("so:", '{"a":1}'), "structuredContent": {"a": 1}}, 'so:\n{"a":1}'),
        ({"content": texts("one"), "structuredContent": {"a": 1}}, 'one\n{\n  "a": 1\n}'),
        ({"content": texts("one"), "structuredContent": None}, "one"),
        ({"content": [], "structuredContent": [1]}, "[\n  1\n]"),
        ({}, "{}"),
        ("bare", "bare"),
        (7, "7"),
        ({"content": [{"type": "resource", "resource": {"uri": "f:/x", "text": "in"}}]}, "in"),
        (
            {"content": [{"type": "image", "data": "A" * 3999 + "=", "mimeType": "image/png"}]},
            "[image image/png 3.0 kB]",
        ),
        (
            {"content": [{"type": "resource_link", "uri": "f:/x\n", "name": "x", "mimeType": "a"}]},
            "[link x f:/x a]",
        ),
        ({"content": [{"type": "strange"}]}, '{\n  "type": "strange"\n}'),
    ],
)
def test_what_a_person_reads_of_a_result(result: Any, printed: str) -> None:
    assert result_text(result) == printed


IMAGE = {"type": "image", "data": "A" * 3999 + "=", "mimeType": "image/png\x1b"}
LINK = {"type": "resource_link", "uri": "f:/x", "name": "x"}


@pytest.mark.parametrize(
    ("result", "printed", "beside"),
    [
        ({"content": texts("# one", "two\n")}, "# one\n\ntwo\n", ""),
        (
            {"content": [*texts("one"), IMAGE, *texts("two")], "structuredContent": {"a": 1}},
            "one\n\ntwo\n",
            "besides the text: image · image/png^[ (3.0 kB); structured content. All of it: "
            "mcp-tasks-tui result t1 --json\n",
        ),
        ({"content": texts('{"a":1}'), "structuredContent": {"a": 1}}, '{"a":1}\n', ""),
        ({"content": [*texts("see"), LINK]}, "see\n\nf:/x\n", ""),
        (
            {"content": [IMAGE], "structuredContent": {"a": 1}},
            '{\n  "a": 1\n}\n',
            "besides the structured content: image · ",
        ),
        ({"content": [IMAGE] * 10}, "", "no text in it: image · image/png^[ (3.0 kB); image · "),
        ({}, "{}\n", ""),
    ],
)
def test_a_result_is_printed_and_written_without_a_word_of_ours(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, result: Any, printed: str, beside: str
) -> None:
    view = a_task(state=State.COMPLETED)
    assert tell(view, result, output=None, as_json=False) is Exit.DONE
    out, err = capfd.readouterr()
    assert out == printed
    assert err.startswith(beside)
    assert bool(err) is bool(beside)
    target = tmp_path / "r.md"
    if not printed:
        with pytest.raises(click.UsageError, match="there is no text to write; all of it: mcp-"):
            tell(view, result, output=target, as_json=False)
        assert not target.exists()
        return
    tell(view, result, output=target, as_json=False)
    assert target.read_text().rstrip("\n") == printed.rstrip("\n")
    assert beside in capfd.readouterr().err


def test_long_structured_content_is_not_printed_twice() -> None:
    rows = {"rows": list(range(50_000))}
    text = json.dumps(rows)
    assert result_text({"content": texts(text), "structuredContent": rows}) == text


def test_text_that_looks_like_deep_json_is_only_text() -> None:
    text = "[" * 100_000
    printed = result_text({"content": texts(text), "structuredContent": {"a": 1}})
    assert printed.startswith(f"{text}\n{{")


@pytest.mark.parametrize(
    ("state", "kept", "lost", "code", "said"),
    [
        (State.COMPLETED, False, False, Exit.UNREACHABLE, "no result is kept here"),
        (State.COMPLETED, False, True, Exit.UNREACHABLE, "was lost when the database was damaged"),
        (State.COMPLETED, True, False, Exit.UNREACHABLE, "was lost when the database was damaged"),
        (State.TOOL_ERROR, False, True, Exit.UNREACHABLE, "was lost when the database was damaged"),
        (State.CANCELLED, False, False, Exit.CANCELLED, "was cancelled; there is no result"),
        (State.FAILED, False, False, Exit.FAILED, "failed: "),
    ],
)
def test_a_task_without_its_result(
    capsys: pytest.CaptureFixture[str],
    state: State,
    kept: bool,
    lost: bool,
    code: Exit,
    said: str,
) -> None:
    view = a_task(state=state)
    view = replace(view, snapshot=replace(view.snapshot, has_result=kept, result_lost=lost))
    assert tell(view, None, output=None, as_json=False) is code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32603, "message": "the worker died"}, "failed: the worker died (-32603)"),
        ("bare words", "failed: bare words"),
        (None, "failed: the server gave no error detail"),
        ({"message": ""}, "failed: the server gave no error detail"),
        ([1, 2], "failed: the error is not an object: [1, 2]"),
        ({"code": 5, "data": {"a": 1}}, 'failed: the error has no message: {"a": 1} (5)'),
    ],
)
def test_why_a_task_failed(capsys: pytest.CaptureFixture[str], error: Any, said: str) -> None:
    view = a_task(state=State.FAILED)
    view = replace(view, snapshot=replace(view.snapshot, error=error))
    assert tell(view, None, output=None, as_json=False) is Exit.FAILED
    assert said in capsys.readouterr().err

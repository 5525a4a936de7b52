"""What is saved: its format, its name, and never over another file."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.results import Part, PartKind, read_result
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
from mcp_tasks_tui.ui.widgets.panel.facts import PanelFacts
from mcp_tasks_tui.ui.widgets.result.tabs import result_tabs
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    import pathlib


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

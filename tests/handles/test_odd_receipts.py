"""Whatever stands in the receipts: no line keeps another one from being read."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.handles import json_values
from mcp_tasks_tui.handles.check import check, repair
from mcp_tasks_tui.handles.interchange import export_json
from mcp_tasks_tui.handles.receipts import ReceiptFile, encode
from mcp_tasks_tui.handles.store import HandleStore
from tests.handles.util import URL, draft, ids

#: JSON that is odd in any place, as it stands in the file.
ODD_JSON = (
    *("null", "true", "-1", "7", "1e300", "1e999", "-1e999", "NaN", "Infinity", "1" + "0" * 400),
    *(
        '""',
        '"text"',
        '"\\ud800"',
        '"\\u0000"',
        "[]",
        "{}",
        '{"a": NaN}',
        '[[1e999, null], 5, "x"]',
    ),
    *("[" * 150 + "]" * 150, "1" * 5000),
)
RECEIPT = {
    "receipt": 1,
    "event": "saved",
    "at": 5.0,
    "key": "bcdf",
    "serverUrl": URL,
    "taskId": "odd",
    "tool": "t",
    "arguments": {},
    "label": "l",
    "note": "n",
    "tags": ["a"],
    "savedBy": "s",
    "archivedAt": 6.0,
    "extra": {"a": 1},
    "call": 3,
    "x-unknown": 1,
}


def test_any_value_in_any_field_of_a_receipt_costs_no_other_line(home: Path) -> None:
    """The whole folder works with it: each is saved, listed, written and read again."""
    lines = []
    for name in RECEIPT:
        for number, odd in enumerate(ODD_JSON):
            for event in ("saved", "edited", "archived"):
                whole = {**RECEIPT, "event": event, "taskId": f"{name} {number}", name: "@"}
                lines.append(json.dumps(whole).replace('"@"', odd))
    path = home / "receipts.jsonl"
    with HandleStore.open(home) as store:
        store.save(draft("before"))
    with path.open("a") as file:
        file.write("\n".join(lines) + "\n")
    with HandleStore.open(home) as store:
        store.save(draft("behind"))
        loaded = {saved.handle.task_id: saved.handle for saved in store.load()}
        assert {"before", "behind", "label 7", "at 8"} <= loaded.keys()
        assert all(abs(handle.saved_at) < 1e11 for handle in loaded.values())
        assert json.loads(export_json(loaded.values()), parse_constant=pytest.fail)
    assert not [one for one in check(home) if one.what == "database" and not one.ok]
    repair(home)
    assert [one.text for one in check(home) if not one.ok] == []
    assert ids(home) == loaded.keys()


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(sorted(RECEIPT)) | st.text(max_size=3),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
            max_leaves=5,
        ),
    )
)
def test_whatever_a_line_holds_the_next_one_is_read(fields: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "receipts.jsonl"
        odd, good = ({**RECEIPT, **fields}, RECEIPT)
        path.write_text(f"{json.dumps(odd)}\n{json.dumps(good)}\n")
        batch = ReceiptFile(path).read()
        assert batch.receipts[-1].draft.task_id == "odd"
        assert len(batch.receipts) + len(batch.bad) == 2
        for receipt in batch.receipts:
            encode(receipt)


def test_a_line_of_ever_so_many_beginnings_is_read_in_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told by how often it is tried, not by a clock."""
    tried: list[bytes] = []
    parse = json_values.parse

    def counting(data: bytes) -> Any:
        tried.append(data)
        return parse(data)

    monkeypatch.setattr(json_values, "parse", counting)
    path = tmp_path / "receipts.jsonl"
    path.write_bytes(b'{"receipt":' * 1000 + b"\n" + json.dumps(RECEIPT).encode() + b"\n")
    batch = ReceiptFile(path).read()
    assert (len(batch.receipts), len(batch.bad)) == (1, 1)
    assert len(tried) < 30

"""A list of objects as CSV: a file that a spreadsheet opens, whatever a server has put into it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The column of rows that are no objects.
_BARE = "value"
#: How a spreadsheet knows a formula. It would be run when the file is opened.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_ROWS_AT_ONCE = 500


def csv_bytes(rows: Sequence[Any]) -> Iterator[bytes]:
    """Yield `rows` as CSV in UTF-8 (RFC 4180), with a heading of every name that any row has.

    Numbers, true, false and containers are written as JSON, null and what is missing as nothing.
    A text that a spreadsheet would take for a formula gets an apostrophe before it: servers are
    not trusted, and opening a file must not run what they wrote.
    """
    names = list(dict.fromkeys(name for row in rows for name in _fields(row)))
    yield _lines([[_text(name) for name in names]])
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        fields = [_fields(row) for row in rows[start : start + _ROWS_AT_ONCE]]
        yield _lines([[_cell(row.get(name)) for name in names] for row in fields])


def _fields(row: Any) -> Mapping[str, Any]:
    return row if isinstance(row, Mapping) else {_BARE: row}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return _text(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(cells: Sequence[Sequence[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(cells)
    return written.getvalue().encode("utf-8", "backslashreplace")

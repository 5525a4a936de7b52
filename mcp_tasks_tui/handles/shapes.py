"""Columns and what they hold: SQLite itself takes any kind of value in nearly every column.

A value of another kind, or a time that is none, is damage: by a bad block or another program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.errors import WrongCell
from mcp_tasks_tui.handles.json_values import END_OF_TIME
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Sequence

_NONE = type(None)


@record
class _Kind:
    """Types of values, and for numbers what they stay between."""

    types: tuple[type, ...]
    least: float = 0
    limit: float | None = None

    def holds(self, value: Any) -> bool:
        if type(value) not in self.types:
            return False
        return self.limit is None or value is None or bool(self.least < value < self.limit)


#: Versions count changes, and times of this century are above all of them.
COUNT_LIMIT = 1e8
_KINDS = {
    "id": _Kind((int,)),
    "count": _Kind((int,), -1, COUNT_LIMIT),
    "text": _Kind((str,)),
    "text?": _Kind((str, _NONE)),
    "time": _Kind((float, int), -END_OF_TIME, END_OF_TIME),
    "time?": _Kind((float, int, _NONE), -END_OF_TIME, END_OF_TIME),
}
_WORDS = {int: "a number", float: "a number", str: "text", bytes: "bytes", _NONE: "nothing"}


class Shape:
    """The columns of a row of `table` in their order, each as ``name:kind``; a slice is one too."""

    def __init__(self, table: str, columns: str) -> None:
        self.table = table
        self.text = columns
        self.kinds = dict(column.split(":") for column in columns.split())
        #: Their names, for SQL.
        self.columns = ", ".join(self.kinds)
        self.select = f"SELECT {self.columns} FROM {table}"  # noqa: S608 - names of ours
        places = ", ".join("?" * len(self.kinds))
        self.insert = f"INSERT INTO {table} ({self.columns}) VALUES ({places})"  # noqa: S608
        self._kinds = [_KINDS[kind] for kind in self.kinds.values()]
        self._bounds = [
            (at, kind.least, kind.limit) for at, kind in enumerate(self._kinds) if kind.limit
        ]
        #: The types of sound rows: nearly all rows have those of an earlier one.
        self._seen: set[tuple[type, ...]] = set()

    def __getitem__(self, places: slice) -> Shape:
        return Shape(self.table, " ".join(self.text.split()[places]))

    def check(self, row: Sequence[Any]) -> None:
        """Raise WrongCell where a value is not of its column's kind."""
        types = tuple(map(type, row))
        if types not in self._seen or not self._is_within(row):
            self._look_closely(row)
            self._seen.add(types)

    def _is_within(self, row: Sequence[Any]) -> bool:
        for at, least, limit in self._bounds:
            value = row[at]
            if value is not None and not least < value < limit:
                return False
        return True

    def _look_closely(self, row: Sequence[Any]) -> None:
        for name, kind, value in zip(self.kinds, self._kinds, row, strict=True):
            if not kind.holds(value):
                found = _WORDS[type(value)]
                raise WrongCell(f"{self.table}.{name} holds {found} that cannot be there")

    def fits(self, row: Sequence[Any]) -> bool:
        """Tell whether a row has these columns, each with a value of its kind."""
        return len(row) == len(self._kinds) and all(
            kind.holds(value) for kind, value in zip(self._kinds, row, strict=True)
        )

    def mended(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return the row with nothing in the place of what is wrong."""
        return tuple(
            value if kind.holds(value) else None
            for kind, value in zip(self._kinds, row, strict=True)
        )

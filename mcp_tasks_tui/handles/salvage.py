"""What can still be read of a damaged database, for the new one. Nothing here ever fails.

Each table is read as far as SQLite comes, from both ends. What it does not reach is looked for
page by page (see `pages`), and known by its shape.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import keys, ledger, pages, rows, schema
from mcp_tasks_tui.handles.errors import WrongCell
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import Handle
from mcp_tasks_tui.handles.shapes import COUNT_LIMIT, Shape
from mcp_tasks_tui.handles.tables import handle_id
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    Columns = tuple[Any, ...]

_MAGIC = b"SQLite format 3\0"
#: Where a file says whose it is.
_APPLICATION_ID = slice(68, 72)
#: What stands for bytes that are no text any more; all text of ours is ASCII.
_LOST = "\ufffd"


@record
class _Table:
    """A table of ours, of whose columns the first `key` are the key.

    `read` raises WrongCell for a row that cannot be one of this table. Where `least` is given a
    row has so many columns, and perhaps more or less of the rest by its version.
    """

    shape: Shape
    key: int
    read: Callable[[Columns], object]
    least: int | None = None

    def fits(self, row: Columns) -> bool:
        """Tell whether a row can be one of this table."""
        if len(row) < self.least if self.least else len(row) != len(self.shape.kinds):
            return False
        if any(isinstance(value, str) and _LOST in value for value in row):
            return False
        try:
            self.read(row)
        except WrongCell:
            return False
        return True


def _check_handle(row: Columns) -> None:
    """A handle is worth keeping while its identity is whole: of the rest there is a receipt."""
    _WHOSE.check(row[:5])
    rows.check_identity(row[2], row[3])


def _check_result(row: Columns) -> None:
    rows.check_result(row)
    if row[1] < COUNT_LIMIT:
        raise WrongCell("no result, but a snapshot: no time is as small as its version")


_IDENTITY = Shape("handles", "id:id server_url:text task_id:text")
_WHOSE = rows.HANDLE[:5]
_TABLES = {
    shape.table: _Table(shape, 2 if shape in (rows.LINE, rows.CLAIMED) else 1, check)
    for shape, check in (rows.CHECKS | {rows.RESULT: _check_result}).items()
}
_TABLES["handles"] = _Table(rows.HANDLE, 1, _check_handle, least=5)
_OF_A_TASK = ("snapshots", "results", "journal", "answers")


class Remains:
    """A damaged file. `connection` is None where SQLite cannot even open it."""

    def __init__(self, path: Path, connection: sqlite3.Connection | None) -> None:
        self._path = path
        self._connection = connection

    def table(self, name: str) -> list[Columns]:
        """Return the rows of a table, each once, in the order of their keys."""
        table = _TABLES[name]
        whole, read = self._read(table)
        found = {} if whole else dict(self._scattered(name, table))
        found |= {row[: table.key]: row for row in read}
        return [found[key] for key in sorted(found)]

    @cached_property
    def identities(self) -> dict[int, ledger.Identity]:
        """Return whose each number is, from the table and from its index, which has all of it."""
        found: dict[int, ledger.Identity] = {}
        for number, server_url, task_id in self._indexed():
            with suppress(WrongCell):
                rows.check_identity(server_url, task_id)
                found[number] = rows.from_ascii(server_url), rows.from_ascii(task_id)
        for number, _, server_url, task_id, *_ in self.table("handles"):
            found[number] = rows.from_ascii(server_url), rows.from_ascii(task_id)
        return found

    def _read(self, table: _Table) -> tuple[bool, list[Columns]]:
        """Read to the first bad page, then from the end to the last; whether there was none."""
        if self._connection is None:
            return False, []
        order = list(table.shape.kinds)[: table.key]
        sql = f"{table.shape.select} NOT INDEXED ORDER BY "
        read: list[Columns] = []
        whole = _fetch(self._connection, sql + ", ".join(order), read)
        if not whole:
            _fetch(self._connection, sql + ", ".join(f"{column} DESC" for column in order), read)
        fitting = [row for row in read if table.fits(row)]
        return whole and len(fitting) == len(read), fitting

    def _indexed(self) -> Iterator[tuple[int, str, str]]:
        found: list[Columns] = []
        if self._connection is not None:
            sql = "SELECT id, server_url, task_id FROM handles ORDER BY task_id"
            for order in (sql, f"{sql} DESC"):
                if _fetch(self._connection, order, found):
                    break
            yield from (row for row in found if _IDENTITY.fits(row))
        for row in self._rows:
            match row.values:
                case (str(task_id), str(server_url), int(number)) if row.number is None:
                    yield number, server_url, task_id

    def _scattered(self, name: str, table: _Table) -> Iterator[tuple[Columns, Columns]]:
        """Yield rows from anywhere in the file, by key; of one key the newest last."""
        numbered = table.key == 1
        fitting = []
        for row in self._rows:
            values: Columns = row.values
            if numbered:
                if row.number is None or values[:1] != (None,):
                    continue
                values = (row.number, *values[1:])
            elif row.number is not None:
                continue
            if table.fits(values):
                fitting.append(values)
        if name in ("snapshots", "results"):
            fitting.sort(key=lambda values: values[1])
        for values in fitting:
            yield values[: table.key], values

    @cached_property
    def _rows(self) -> list[pages.Row]:
        try:
            return list(pages.rows(self._path.read_bytes()))
        except (OSError, MemoryError):
            return []


def _fetch(connection: sqlite3.Connection, sql: str, found: list[Columns]) -> bool:
    """Add the rows of a query, as far as they come; tell whether they all did."""
    try:
        found.extend(connection.execute(sql))
    except sqlite3.Error:
        return False
    return True


@contextmanager
def opened(path: Path) -> Iterator[Remains | None]:
    """Open the damaged file for reading; yields None where it is no database of ours at all."""
    if not path.is_file():
        yield None
        return
    log = path.with_name(path.name + "-wal")
    option = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.as_uri()}?{option}", uri=True, isolation_level=None)
    with closing(connection):
        connection.text_factory = _text
        try:
            ours = schema.kind_of(connection) is schema.Kind.OURS
            yield Remains(path, connection) if ours else None
            return
        except sqlite3.Error:
            pass
        yield Remains(path, None) if _may_be_ours(path) else None


def _text(raw: bytes) -> str:
    return raw.decode("ascii", "replace")


def _may_be_ours(path: Path) -> bool:
    """Tell whether a file that SQLite refuses is at least not known to be another program's."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError:
        return False
    whose = int.from_bytes(head[_APPLICATION_ID], "big")
    return not head.startswith(_MAGIC) or whose == schema.APPLICATION_ID


def handles(old: Remains | None, now: float) -> list[Kept]:
    """Return the handles that can still be read; of some perhaps nothing but their identity."""
    if old is None:
        return []
    found: dict[ledger.Identity, Kept] = {}
    for row in old.table("handles"):
        missing = len(rows.HANDLE.kinds) - len(row)
        kept = rows.kept_as_far_as_sound([*row, *[None] * missing][1 : len(rows.HANDLE.kinds)])
        found[ledger.identity(kept)] = kept
    for where in old.identities.values():
        if where not in found:
            key = keys.choose(*where, None, lambda _: False)
            found[where] = Kept(Handle(key, *where, saved_at=now))
    return list(found.values())


@record
class Copied:
    """How many states and results a new database has from the damaged one."""

    states: int = 0
    results: int = 0
    #: Results that were there, as their states say, and are not any more.
    lost_results: int = 0


def copy(old: Remains | None, new: sqlite3.Connection) -> Copied:
    """Copy what is known of each task into a database that has just been filled from receipts."""
    if old is None:
        return Copied()
    ids = _ids(old, new)
    found = {name: _by_task(old.table(name), ids) for name in _OF_A_TASK}
    states, results = found["snapshots"], found["results"]
    lost = [number for number in states.keys() - results.keys() if _had_result(states[number])]
    for number in lost:
        states[number] = _without_result(states[number])
    for name, of_task in found.items():
        for number, copied in of_task.items():
            _put(new, name, number, copied)
    for row in old.table("intents"):
        with suppress(sqlite3.Error):
            new.execute(rows.INTENT.insert, row)
    return Copied(len(states), len(results), len(lost))


def _by_task(found: Iterable[Columns], ids: Mapping[int, int]) -> dict[int, list[Columns]]:
    of_task: dict[int, list[Columns]] = {}
    for row in found:
        if row[0] in ids:
            of_task.setdefault(ids[row[0]], []).append((ids[row[0]], *row[1:]))
    return of_task


def _had_result(snapshots: list[Columns]) -> bool:
    body = rows.from_json(snapshots[-1][2])
    return isinstance(body, dict) and body.get("has_result") is True


_RESULT_LOST = {"has_result": False, "result_lost": True}


def _without_result(snapshots: list[Columns]) -> list[Columns]:
    """A state without a result is given one when the server is asked again and still has it."""
    *key, text = snapshots[-1]
    return [(*key, rows.to_json({**rows.from_json(text), **_RESULT_LOST}))]


def _put(new: sqlite3.Connection, table: str, handle: int, found: Iterable[Columns]) -> None:
    with suppress(sqlite3.Error):
        new.execute(f"DELETE FROM {table} WHERE handle = ?", (handle,))  # noqa: S608
        new.executemany(
            _TABLES[table].shape.insert.replace("INSERT", "INSERT OR REPLACE", 1), found
        )


def _ids(old: Remains, new: sqlite3.Connection) -> dict[int, int]:
    """Map the numbers of handles in the old file to those in the new one."""
    ids = {}
    for number, where in old.identities.items():
        kept = ledger.find(new, *where)
        row = handle_id(new, kept.handle.key) if kept else None
        if row is not None:
            ids[number] = row
    return ids

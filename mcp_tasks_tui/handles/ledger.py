"""The `handles` table: what the receipts say, one row per task.

Functions of an open connection. Those that write expect to run inside a transaction.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from mcp_tasks_tui.handles import keys, merge, rows, tables
from mcp_tasks_tui.handles.errors import WrongCell
from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.handles.receipts import ARCHIVED, EDITED, RESTORED, SAVED, Mark, Receipt

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_tasks_tui.handles.merge import Kept
    from mcp_tasks_tui.handles.receipts import Appended, ReceiptFile

Identity = tuple[str, str]

_SELECT = rows.KEPT.select
_CHANGED = " = ?, ".join(rows.KEPT[3:].kinds)
_UPDATE = f"UPDATE handles SET {_CHANGED} = ? WHERE key = ?"  # noqa: S608 - names of ours
_EVENTS = {EDITED: Event.EDITED, ARCHIVED: Event.ARCHIVED, RESTORED: Event.RESTORED}
_MARK = "receipts_read"
_LARGEST_FILE = 2**63 - 1


def identity(kept: Kept) -> Identity:
    return kept.handle.server_url, kept.handle.task_id


def find(connection: sqlite3.Connection, server_url: str, task_id: str) -> Kept | None:
    row = connection.execute(
        f"{_SELECT} WHERE task_id = ? AND server_url = ?",
        (rows.to_ascii(task_id), rows.to_ascii(server_url)),
    ).fetchone()
    return rows.kept_from(row) if row else None


def find_key(connection: sqlite3.Connection, key: str) -> Kept | None:
    row = connection.execute(f"{_SELECT} WHERE key = ?", (key,)).fetchone()
    return rows.kept_from(row) if row else None


def every(connection: sqlite3.Connection) -> Iterator[Kept]:
    for row in connection.execute(f"{_SELECT} ORDER BY id"):
        yield rows.kept_from(row)


def sound(connection: sqlite3.Connection) -> Iterator[Kept]:
    """Yield the handles of a database that cannot be mended, without those that are damaged."""
    for row in connection.execute(f"{_SELECT} ORDER BY id"):
        with suppress(WrongCell):
            yield rows.kept_from(row)


def matching(connection: sqlite3.Connection, text: str) -> list[Kept]:
    """Return the handles whose key begins with `text` or whose task id it is."""
    prefix = text if keys.is_prefix(text) else ""
    found = connection.execute(
        f"{_SELECT} WHERE task_id = ?1 OR (?2 <> '' AND substr(key, 1, length(?2)) = ?2) "
        "ORDER BY id",
        (rows.to_ascii(text), prefix),
    )
    return [rows.kept_from(row) for row in found]


def key_taken(connection: sqlite3.Connection, key: str) -> bool:
    return connection.execute("SELECT 1 FROM handles WHERE key = ?", (key,)).fetchone() is not None


def apply(connection: sqlite3.Connection, receipt: Receipt) -> tuple[Kept, bool]:
    """Bring the row of a receipt's task up to date, with its line in the journal.

    The call that it answers is no lost one from here on.

    Returns what is kept of the task now, and whether that is all: its row was made here.
    """
    draft = receipt.draft
    if receipt.call is not None:
        tables.end_intents(connection, [receipt.call])
    found = find(connection, draft.server_url, draft.task_id)
    kept = found or _insert(connection, receipt)
    new = merge.applied(kept, receipt) if found or receipt.event != SAVED else kept
    if new != kept:
        values = rows.kept_values(new)
        connection.execute(_UPDATE, (*values[3:], values[0]))
        _journal(connection, kept, receipt)
    return new, found is None


def _insert(connection: sqlite3.Connection, receipt: Receipt) -> Kept:
    draft = receipt.draft
    key = keys.choose(
        draft.server_url, draft.task_id, receipt.key, lambda key: key_taken(connection, key)
    )
    kept = merge.created(key, receipt)
    row = connection.execute(rows.KEPT.insert, rows.kept_values(kept)).lastrowid
    tables.add_journal(connection, int(row or 0), [JournalEntry(receipt.at, Event.SAVED)])
    return kept


def _journal(connection: sqlite3.Connection, before: Kept, receipt: Receipt) -> None:
    event = _EVENTS.get(receipt.event)
    was_archived = before.handle.archived_at is not None
    if event is None or (event is not Event.EDITED and was_archived == (event is Event.ARCHIVED)):
        return
    row = tables.handle_id(connection, before.handle.key)
    if row is not None:
        tables.add_journal(connection, row, [JournalEntry(receipt.at, event)])


def read_mark(connection: sqlite3.Connection) -> Mark:
    """Return how far the receipts were read into this database."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_MARK,)).fetchone()
    try:
        offset, crc = json.loads(row[0]) if row else (0, 0)
        whole = 0 <= int(offset) < _LARGEST_FILE
        return Mark(int(offset), int(crc)) if whole else Mark()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return Mark()


def write_mark(connection: sqlite3.Connection, mark: Mark) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
        (_MARK, json.dumps([mark.offset, mark.crc])),
    )


def catch_up(
    connection: sqlite3.Connection, receipts: ReceiptFile, appended: Appended | None = None
) -> dict[Identity, Kept]:
    """Apply the receipts that no transaction has seen yet. May raise OSError.

    What was just `appended` need not be read back if nothing stands before it. Returns the
    handles that are new with this.
    """
    mark = read_mark(connection)
    if appended is not None and appended.start == mark.offset:
        pending, read = appended.receipts, appended.mark
    else:
        batch = receipts.read(mark.offset)
        if batch.end <= mark.offset:
            return {}
        pending, read = batch.receipts, receipts.mark(batch.end)
    made: dict[Identity, Kept] = {}
    for receipt in pending:
        kept, new = apply(connection, receipt)
        where = identity(kept)
        if new or where in made:
            made[where] = kept
    write_mark(connection, read)
    return made


def answered_calls(receipts: Iterable[Receipt]) -> set[int]:
    """Return the calls that these receipts are the answers to."""
    return {receipt.call for receipt in receipts if receipt.call is not None}


def overlay(stored: Iterable[Kept], pending: Iterable[Receipt]) -> dict[Identity, Kept]:
    """Return the handles as they will be once the `pending` receipts are applied. Pure."""
    result: dict[Identity, Kept] = {identity(kept): kept for kept in stored}
    taken = {kept.handle.key for kept in result.values()}
    for receipt in pending:
        where = receipt.draft.server_url, receipt.draft.task_id
        kept = result.get(where)
        if kept is None:
            key = keys.choose(*where, receipt.key, taken.__contains__)
            taken.add(key)
            kept = merge.created(key, receipt)
        result[where] = merge.applied(kept, receipt)
    return result


def unwritten(
    connection: sqlite3.Connection, written: Sequence[Receipt], at: float
) -> list[Receipt]:
    """Return the receipts that are missing in a file that holds `written`.

    What the file knows and the database does not is applied first; of a task known to both,
    edits and archiving count as the database has them: the file has lost lines.
    """
    before = {identity(kept) for kept in every(connection)}
    for receipt in written:
        where = receipt.draft.server_url, receipt.draft.task_id
        if where not in before or receipt.event == SAVED:
            apply(connection, receipt)
    told = overlay([], written)
    missing: list[Receipt] = []
    for kept in every(connection):
        known = told.get(identity(kept))
        if known != kept:
            missing.extend(receipts_of(kept, at, known))
    return missing


def receipts_of(kept: Kept, at: float, known: Kept | None = None) -> Iterator[Receipt]:
    """Yield the receipts that make a handle, `known` so far as this, what it is now."""
    handle = kept.handle
    draft = merge.draft_of(handle)
    yield Receipt(SAVED, handle.saved_at, draft, handle.key)
    if kept.edited_at is not None:
        yield Receipt(EDITED, kept.edited_at, draft, handle.key)
    if handle.archived_at is not None:
        yield Receipt(ARCHIVED, handle.archived_at, draft, handle.key)
    elif known is not None and known.handle.archived_at is not None:
        yield Receipt(RESTORED, at, draft, handle.key)

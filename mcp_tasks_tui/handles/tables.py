"""Snapshots, results, journal, answers and intents.

Functions of an open connection. Those that write expect to run inside a transaction.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import process, rows, snapshot_json, thinning
from mcp_tasks_tui.handles.model import AnswerState, Event

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_tasks_tui.handles.model import AnswerRecord, Intent, JournalEntry, SnapshotWrite

JOURNAL_END = rows.LINE[1:2]
CLAIM = rows.CLAIMED[2:]
#: Lines kept per task: when there are more, the first and the last ones stay.
JOURNAL_FIRST = 100
JOURNAL_LAST = 400
#: Messages among so many of the last lines stay in any case.
JOURNAL_NEWEST = 100
#: For so long another process' intention to answer counts as being on its way.
CLAIM_SECONDS = 120.0
#: A call of another host, whose processes we cannot see, counts as running for so long.
UNSEEN_CALL_SECONDS = 3600.0
#: Stands where the process of a call does, once no process waits for its answer any more.
NO_PROCESS = ""


def handle_id(connection: sqlite3.Connection, key: str) -> int | None:
    row = connection.execute("SELECT id FROM handles WHERE key = ?", (key,)).fetchone()
    return int(row[0]) if row else None


# --- snapshots and results ---------------------------------------------------------------


def commit(connection: sqlite3.Connection, write: SnapshotWrite, at: float) -> int | None:
    """Apply a snapshot with its journal if its base version stands: the new version, or None."""
    row = connection.execute(
        "SELECT h.id, coalesce(s.version, 0), s.body FROM handles h "
        "LEFT JOIN snapshots s ON s.handle = h.id "
        "WHERE h.key = ?",
        (write.key,),
    ).fetchone()
    if row is None or row[1] != write.base_version:
        return None
    unknown = snapshot_json.unknown_fields(snapshot_json.parse_body(row[2]))
    version = write.base_version + 1
    connection.execute(
        "INSERT INTO snapshots (handle, version, body) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (handle) DO UPDATE SET version = ?2, body = ?3",
        (row[0], version, snapshot_json.dumps(write.snapshot, unknown)),
    )
    if write.has_result:
        _store_result(connection, row[0], write.result, at)
    add_journal(connection, row[0], write.journal)
    return version


def _store_result(connection: sqlite3.Connection, handle: int, result: Any, at: float) -> None:
    """Keep the first result: terminal is terminal, and a later contradiction is only journalled."""
    body = rows.to_json(result) or "null"
    connection.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?)", (handle, at, body))


def result(connection: sqlite3.Connection, key: str) -> Any:
    row = connection.execute(
        "SELECT r.body FROM results r JOIN handles h ON h.id = r.handle WHERE h.key = ?", (key,)
    ).fetchone()
    return rows.from_json(row[0]) if row else None


def result_text(connection: sqlite3.Connection, key: str, *, longer_than: int) -> Any:
    """Return what is stored as the result, if it is longer than so many characters."""
    row = connection.execute(
        "SELECT r.body FROM results r JOIN handles h ON h.id = r.handle "
        "WHERE h.key = ? AND length(r.body) > ?",
        (key, longer_than),
    ).fetchone()
    return row[0] if row else None


# --- journal -----------------------------------------------------------------------------


def add_journal(
    connection: sqlite3.Connection, handle: int, entries: Sequence[JournalEntry]
) -> None:
    if not entries:
        return
    count, last = connection.execute(
        "SELECT count(*), coalesce(max(seq), 0) FROM journal WHERE handle = ?", (handle,)
    ).fetchone()
    JOURNAL_END.check((last,))
    connection.executemany(
        rows.LINE.insert,
        [
            (handle, seq, *rows.entry_values(entry))
            for seq, entry in enumerate(entries, start=last + 1)
        ],
    )
    if count + len(entries) > JOURNAL_FIRST + JOURNAL_LAST:
        _thin(connection, handle)


def _thin(connection: sqlite3.Connection, handle: int) -> None:
    """Leave as many lines as are kept, with lines that say how many are missing."""
    found = connection.execute(
        "SELECT seq, at, event, NULL, data FROM journal WHERE handle = ? ORDER BY seq", (handle,)
    ).fetchall()
    lines = [rows.entry_from(row[1:]) for row in found]
    most = JOURNAL_FIRST + JOURNAL_LAST
    for gap in thinning.gaps(lines, most=most, first=JOURNAL_FIRST, last=JOURNAL_NEWEST):
        begin, stays = found[gap.begin][0], found[gap.end - 1][0]
        connection.execute(
            "DELETE FROM journal WHERE handle = ? AND seq >= ? AND seq < ?", (handle, begin, stays)
        )
        connection.execute(
            "UPDATE journal SET event = ?, text = NULL, data = ? WHERE handle = ? AND seq = ?",
            (Event.LEFT_OUT.value, rows.to_json(gap.data), handle, stays),
        )


def journal(connection: sqlite3.Connection, key: str) -> list[JournalEntry]:
    """Return a task's journal in the order of writing, whatever the clock said."""
    found = connection.execute(
        "SELECT j.at, j.event, j.text, j.data FROM journal j JOIN handles h ON h.id = j.handle "
        "WHERE h.key = ? ORDER BY j.seq",
        (key,),
    )
    return [entry for entry in map(rows.entry_from, found) if entry is not None]


# --- answers -----------------------------------------------------------------------------


def answers(
    connection: sqlite3.Connection, key: str | None = None
) -> Iterator[tuple[str, AnswerRecord]]:
    """Yield (handle key, answer) of one handle, or of all."""
    sql = (
        "SELECT h.key, a.request_key, a.request_hash, a.state, a.action, a.at FROM handles h "
        "JOIN answers a ON a.handle = h.id"
    )
    one = () if key is None else (key,)
    for row in connection.execute(f"{sql} WHERE h.key = ?" if one else sql, one):
        yield row[0], rows.answer_from(row[1:])


def claim_answer(
    connection: sqlite3.Connection, handle: int, record: AnswerRecord, *, again: bool, now: float
) -> bool:
    """Note the intention to answer, unless it was answered or another process is about to.

    A refused answer stands for none.
    """
    request_key = rows.to_ascii(record.request_key)
    row = connection.execute(
        f"{CLAIM.select} WHERE handle = ? AND request_key = ?", (handle, request_key)
    ).fetchone()
    if row is not None:
        CLAIM.check(row)
    counts = row is not None and row[0] == record.request_hash and row[1] != AnswerState.REFUSED
    if counts and (not again or _on_its_way(row[1], row[3], row[4], now)):
        return False
    connection.execute(
        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            handle,
            request_key,
            record.request_hash,
            record.state.value,
            record.action,
            record.at,
            process.process_token(),
        ),
    )
    return True


def _on_its_way(state: str, at: float, claimed_by: str, now: float) -> bool:
    """Whether another living process claimed it so recently that it may be sending it now."""
    return (
        state == AnswerState.INTENDED
        and abs(now - at) < CLAIM_SECONDS
        and claimed_by != process.process_token()
        and process.is_alive(claimed_by) is not False
    )


def set_answer(
    connection: sqlite3.Connection, handle: int, request_key: str, state: AnswerState
) -> None:
    connection.execute(
        "UPDATE answers SET state = ? WHERE handle = ? AND request_key = ?",
        (state.value, handle, rows.to_ascii(request_key)),
    )


def withdraw_answer(
    connection: sqlite3.Connection, handle: int, request_key: str, earlier: AnswerRecord | None
) -> None:
    """Undo a claim of this process that nothing was sent for; `earlier` stood there before it."""
    ours = (handle, rows.to_ascii(request_key), AnswerState.INTENDED.value, process.process_token())
    if earlier is None:
        connection.execute(
            "DELETE FROM answers "
            "WHERE handle = ? AND request_key = ? AND state = ? AND claimed_by = ?",
            ours,
        )
        return
    connection.execute(
        "UPDATE answers SET request_hash = ?, state = ?, action = ?, at = ? "
        "WHERE handle = ? AND request_key = ? AND state = ? AND claimed_by = ?",
        (earlier.request_hash, earlier.state.value, earlier.action, earlier.at, *ours),
    )


# --- intents -----------------------------------------------------------------------------


def new_intent_id() -> int:
    """Return a number for a call that no other has, in whatever database: a receipt names it.

    It is small enough to be a number to every reader of JSON.
    """
    return int.from_bytes(os.urandom(7)) >> 4


def add_intent(connection: sqlite3.Connection, intent: Intent) -> int:
    """Note a call of this process; return its number."""
    connection.execute(
        rows.INTENT.insert,
        (
            intent.intent_id,
            rows.to_ascii(intent.server_url),
            rows.to_ascii(intent.tool),
            rows.to_json(intent.arguments),
            rows.optional_ascii(intent.label),
            intent.at,
            process.process_token(),
        ),
    )
    return intent.intent_id


def end_intents(connection: sqlite3.Connection, intents: Iterable[int]) -> None:
    connection.executemany("DELETE FROM intents WHERE id = ?", [(intent,) for intent in intents])


def lose_intent(connection: sqlite3.Connection, intent: int) -> None:
    """Note that no answer to a call is waited for any more, and none came."""
    connection.execute("UPDATE intents SET process = ? WHERE id = ?", (NO_PROCESS, intent))


def open_intents(connection: sqlite3.Connection, now: float) -> list[Intent]:
    """Return the calls that were lost: given up, or their process ended before an answer."""
    found = connection.execute(f"{rows.INTENT.select} ORDER BY at, id").fetchall()
    for row in found:
        rows.INTENT.check(row)
    return [rows.intent_from(row) for row in found if not _still_running(row[6], row[5], now)]


def _still_running(token: str, at: float, now: float) -> bool:
    alive = process.is_alive(token)
    return abs(now - at) < UNSEEN_CALL_SECONDS if alive is None else alive

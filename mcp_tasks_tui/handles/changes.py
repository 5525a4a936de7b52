"""Which tasks others have changed: read from a log that the database itself keeps.

Triggers write it, so that nobody who writes can leave it out, not even an older version. Its end
is cut off from time to time: who has not looked for so long reads everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

#: So many changes are kept; the end is cut off once in a while, not with every change.
KEPT = 20_000
_CUT_EVERY = 1_000

_TABLE = "CREATE TABLE changes (seq INTEGER PRIMARY KEY, handle INTEGER NOT NULL)"
_NUMBERS = {"handles": "id", "snapshots": "handle", "answers": "handle"}
_EVENTS = {"INSERT": "new", "UPDATE": "new", "DELETE": "old"}
_TRIGGERS = {
    f"{table}_{event.lower()}": (
        f"{event} ON {table} BEGIN INSERT INTO changes (handle) VALUES ({row}.{number})"  # noqa: S608 - names of ours
    )
    for table, number in _NUMBERS.items()
    for event, row in _EVENTS.items()
} | {
    "changes_cut": (
        f"INSERT ON changes WHEN new.seq % {_CUT_EVERY} = 0 "  # noqa: S608 - numbers of ours
        f"BEGIN DELETE FROM changes WHERE seq <= new.seq - {KEPT}"
    ),
}


def is_logged(connection: sqlite3.Connection) -> bool:
    """Tell whether the database keeps the log: one that an older version made does not yet."""
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'trigger')")
    return {name for (name,) in found} >= {"changes", *_TRIGGERS}


def create(connection: sqlite3.Connection) -> None:
    """Have the database keep the log, in the caller's transaction."""
    connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
    for name, body in _TRIGGERS.items():
        connection.execute(f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {body}; END")


class ChangeLog:
    """What others changed since this connection began to watch. Its own changes are left out."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seen: int | None = None
        #: Spans (after, up to) of the log that this connection has written itself, in order.
        self._own: list[tuple[int, int]] = []

    def watch(self) -> None:
        """Count from here on; everything up to now is about to be read."""
        self._own.clear()
        self._seen = self._newest() if is_logged(self._connection) else None

    def newest(self) -> int:
        """Return where the log ends, for `wrote`; inside a transaction."""
        return 0 if self._seen is None else self._newest()

    def wrote(self, after: int, up_to: int) -> None:
        """Note what a transaction of this connection has added."""
        if self._seen == after:
            self._seen = up_to
        elif self._own and self._own[-1][1] == after:
            self._own[-1] = self._own[-1][0], up_to
        elif after != up_to:
            self._own.append((after, up_to))

    def by_others(self) -> list[int] | None:
        """Return the numbers of the handles that others changed, each once, oldest change first.

        None where the log does not tell: then everything is to be read. It is told once.
        """
        if self._seen is None:
            self.watch()
            return None
        before, newest = self._seen, self._newest()
        spans = self._spans_of_others(before, newest)
        self._seen, self._own = newest, []
        (oldest,) = self._connection.execute("SELECT min(seq) FROM changes").fetchone()
        if oldest is not None and oldest > before + 1:
            return None
        sql = "SELECT handle FROM changes WHERE seq > ? AND seq <= ? ORDER BY seq"
        found = (row[0] for span in spans for row in self._connection.execute(sql, span))
        return list(dict.fromkeys(found))

    def _spans_of_others(self, before: int, newest: int) -> list[tuple[int, int]]:
        starts = [before, *(up_to for _, up_to in self._own)]
        ends = [*(after for after, _ in self._own), newest]
        return [span for span in zip(starts, ends, strict=True) if span[0] < span[1]]

    def _newest(self) -> int:
        (newest,) = self._connection.execute("SELECT max(seq) FROM changes").fetchone()
        return newest or 0

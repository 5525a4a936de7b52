"""The data folder: receipts and database together, opened, guarded and mended.

Every statement on the database passes :meth:`Vault.read` or :meth:`Vault.write`. They turn its
faults into `StoreError`s, notice that the file was replaced, and mend a damaged one: it is moved
aside, never deleted, and a new one is filled from the receipts and from what can still be read.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import ledger, reading, tables
from mcp_tasks_tui.handles.database import COMPANIONS, Damaged, Database, damage_of, open_database
from mcp_tasks_tui.handles.errors import (
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    damage_words,
    from_os,
    from_sqlite,
    is_damage,
    is_locked,
)
from mcp_tasks_tui.handles.patience import patience_with
from mcp_tasks_tui.handles.receipts import Receipt, ReceiptFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mcp_tasks_tui.handles.database import Connect
    from mcp_tasks_tui.handles.merge import Kept
    from mcp_tasks_tui.handles.salvage import Copied

T = TypeVar("T")
RECEIPTS, DATABASE = "receipts.jsonl", "tasks.db"
_REPAIR_LOCK_SECONDS = 10.0


class Vault:
    """Not thread-safe: all calls come from the thread that made it."""

    def __init__(
        self, home: Path, *, clock: Callable[[], float], busy_seconds: float, connect: Connect
    ) -> None:
        self.home = home
        self.receipts = ReceiptFile(home / RECEIPTS)
        self.path = home / DATABASE
        #: One clean line each, for a person.
        self.notices: list[str] = []
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._patience = patience_with(self.path)
        self._connect = connect
        self._database: Database | None = None
        self._closed = False

    def open(self) -> None:
        """Make the folder where it is missing, make it private, open what is in it.

        A database that cannot be opened now is tried again at its first use: until then
        receipts can be saved.

        Raises:
            StoreError: the folder cannot be made or entered.
        """
        try:
            files.make_private_folder(self.home)
        except OSError as error:
            raise from_os(error, self.home) from error
        self.note(files.tighten(self.home, files.FOLDER_MODE))
        if (words := self.receipts.why_not_ours()) is None:
            words = files.tighten(self.receipts.path, files.FILE_MODE)
        self.note(words)
        with suppress(StoreError):
            self._open_database()

    def close(self) -> None:
        self._closed = True
        self._drop()

    @property
    def read_only(self) -> str | None:
        """Why the database cannot be written, None where it can."""
        return self._open_database().read_only

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the open database. Raises StoreError."""
        return self._guarded(lambda database: work(database.connection))

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction of its own, after what receipts are pending.

        Raises:
            StoreError: nothing was written.
        """

        def in_transaction(database: Database) -> T:
            with self._writable(database).transaction() as connection:
                ledger.catch_up(connection, self.receipts)  # others may have appended them
                before = database.changes.newest()
                done = work(connection)
                after = database.changes.newest()
            database.changes.wrote(before, after)
            self._patience.over()
            return done

        return self._guarded(in_transaction)

    def record(self, receipts: Sequence[Receipt]) -> dict[ledger.Identity, Kept]:
        """Write receipts, durably, then bring the database up to them.

        Where only the database fails, that is a notice: the receipts are safe, and are brought
        in later. Returns the handles that are new with this.

        Raises:
            StoreError: the receipts were not written.
        """
        if self._closed:
            raise StoreClosed
        try:
            appended = self.receipts.append(receipts)
        except OSError as error:
            raise from_os(error, self.receipts.path, before="not saved: ") from error

        def in_transaction(database: Database) -> dict[ledger.Identity, Kept]:
            with self._writable(database).not_synced(), database.transaction() as connection:
                done = ledger.catch_up(connection, self.receipts, appended)
            self._patience.over()
            return done

        try:
            return self._guarded(in_transaction)
        except StoreError as error:
            self.note(f"kept in {RECEIPTS}; the database follows later: {error}")
            return {}

    def watch(self) -> None:
        """Have `changed_by_others` count from here on; what there is now is about to be read."""
        self._guarded(lambda database: database.changes.watch())

    def changed_by_others(self) -> list[int] | None:
        """Return the numbers of the handles that others changed since the last call or `watch`.

        None: it is not known, and all of them are to be read.
        """
        return self._guarded(lambda database: database.changes.by_others())

    def pending(self) -> tuple[Receipt, ...]:
        """Return the receipts that are not in the database yet."""
        try:
            mark = self.read(ledger.read_mark)
            if self.receipts.size() <= mark.offset:
                return ()
            return self.receipts.read(mark.offset).receipts
        except OSError as error:
            raise from_os(error, self.receipts.path) from error

    def examine(self) -> None:
        """Look at every page and every value, and mend what that finds. Raises StoreError."""
        if damage := self.read(damage_of):
            self._mend(damage, self._open_database().file)
        if self.read_only is None:  # a newer layout has values of its own
            self.read(reading.examine)

    # --- inside --------------------------------------------------------------------------

    def _mend(self, why: str, damaged: os.stat_result | None) -> None:
        """Move the `damaged` file aside and fill a new one. Raises StoreError."""
        self._drop()
        began = self._patience.now()
        try:
            aside = self._replace(damaged)
            self._database = self._connected()
            if aside is not None:
                self._refill(self._database, aside, why)
        except Damaged as error:
            raise StoreDamaged(
                f"{self.path} is damaged ({error}) and cannot be replaced"
            ) from error
        except sqlite3.Error as error:
            raise self._told(error, began) from error
        except OSError as error:
            raise from_os(error, self.path) from error

    def _guarded(self, work: Callable[[Database], T]) -> T:
        try:
            return self._attempt(work)
        except Damaged as error:
            self._mend(str(error), error.file)
        try:
            return self._attempt(work)
        except Damaged as error:
            raise StoreDamaged(f"{self.path} is damaged again ({error})") from error

    def _attempt(self, work: Callable[[Database], T]) -> T:
        """Run `work` once; a damaged file is told by `Damaged`, all else by `StoreError`."""
        database = self._open_database()
        began = self._patience.now()
        try:
            database.wait(self._patience.seconds(self._busy_seconds))
            return work(database)
        except sqlite3.Error as error:
            if is_damage(error) and not database.read_only:
                raise Damaged(damage_words(error), database.file) from error
            raise self._told(error, began) from error
        except OSError as error:
            raise from_os(error, self.receipts.path) from error

    def _told(self, error: sqlite3.Error, began: float) -> StoreError:
        waited = self._patience.in_vain(began) if is_locked(error) else 0.0
        return from_sqlite(error, self.path, waited)

    def _open_database(self) -> Database:
        if self._closed:
            raise StoreClosed
        if self._database is not None:
            if self._database.is_in_place():
                return self._database
            self._drop()
        began = self._patience.now()
        try:
            self._database = self._opened()
        except sqlite3.Error as error:
            raise self._told(error, began) from error
        except OSError as error:
            raise from_os(error, self.path) from error
        return self._database

    def _opened(self) -> Database:
        file = _stat(self.path)
        try:
            return self._opened_whole()
        except (Damaged, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.Error) and not is_damage(error):
                raise
            why = damage_words(error)
        if not files.writable(self.home):
            raise StoreDamaged(f"{self.path} is damaged ({why}), and its folder is read-only")
        self._mend(why, file)
        assert self._database is not None
        return self._database

    def _opened_whole(self) -> Database:
        database = self._connected()
        try:
            if database.read_only is None:
                self._complete_receipts(database)
        except BaseException:
            database.close()
            raise
        for notice in database.notices:
            self.note(notice)
        return database

    def _connected(self) -> Database:
        seconds = self._patience.seconds(self._busy_seconds)
        return open_database(self.path, busy_seconds=seconds, connect=self._connect)

    def _replace(self, damaged: os.stat_result | None) -> Path | None:
        """Move the damaged file aside unless another process has done it meanwhile."""
        fd = files.open_private(self.receipts.path)
        try:
            with files.lock(fd, _REPAIR_LOCK_SECONDS):
                now = _stat(self.path)
                if not (now is damaged or (now and damaged and os.path.samestat(damaged, now))):
                    return None
                return files.move_aside(self.path, COMPANIONS, self._clock())
        finally:
            os.close(fd)

    def _refill(self, database: Database, aside: Path, why: str) -> None:
        from mcp_tasks_tui.handles import salvage  # noqa: PLC0415 - only for a damaged file

        now = self._clock()
        with salvage.opened(aside) as old:
            known = salvage.handles(old, now)
            written = self.receipts.read()
            have = {(one.draft.server_url, one.draft.task_id) for one in written.receipts}
            gone = [kept for kept in known if ledger.identity(kept) not in have]
            lost = [receipt for kept in gone for receipt in ledger.receipts_of(kept, now)]
            if lost:
                self.receipts.append(lost)
            with database.transaction() as connection:
                ledger.catch_up(connection, self.receipts)
                copied = salvage.copy(old, connection)
                answered = ledger.answered_calls(self.receipts.read().receipts)
                tables.end_intents(connection, answered)
                count = connection.execute("SELECT count(*) FROM handles").fetchone()[0]
        moved = f"the database was damaged ({why}): moved to {aside.name}"
        self.note(f"{moved}; {_refilled(count, copied)}")

    def _complete_receipts(self, database: Database) -> None:
        """Write again the receipts of handles whose lines were cut off or overwritten."""
        mark = ledger.read_mark(database.connection)
        if mark.offset == 0:
            return
        if self.receipts.size() >= mark.offset and self.receipts.mark(mark.offset) == mark:
            return
        try:
            self._write_lost(database)
        except (OSError, sqlite3.OperationalError) as error:  # what is there can still be read
            self.note(f"{RECEIPTS} was damaged and cannot be written again now: {error}")

    def complete_receipts(self) -> None:
        """Append receipts for the handles that have none. Raises StoreError."""
        self._guarded(self._write_lost)

    def _write_lost(self, database: Database) -> None:
        batch = self.receipts.read()
        with database.transaction() as connection:
            lost = ledger.unwritten(connection, batch.receipts, self._clock())
            if lost:
                self.receipts.append(lost)
            ledger.write_mark(connection, self.receipts.mark(self.receipts.read().end))
        if lost:
            self.note(f"{RECEIPTS} was damaged; lines written again: {len(lost)}")

    def _writable(self, database: Database) -> Database:
        if database.read_only:
            raise StoreReadOnly(database.read_only)
        return database

    def _drop(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def note(self, words: str | None) -> None:
        if words and words not in self.notices:
            self.notices.append(words)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _refilled(handles: int, copied: Copied) -> str:
    """Return in words what a new database has of a damaged one."""
    if not handles:
        return "a new one is empty, as no handle was saved"
    saved = "the one saved handle" if handles == 1 else f"all {handles:,} saved handles"
    states, results = _number(copied.states, "state"), _number(copied.results, "result")
    lost = f"; {_number(copied.lost_results, 'result')} lost" if copied.lost_results else ""
    return f"a new one has {saved} from the receipts. Still read: {states} and {results}{lost}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}s" if count != 1 else f"1 {noun}"

"""A look at the whole data folder, for `doctor`, and putting it right, for `doctor --repair`."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import time
from contextlib import closing
from typing import TYPE_CHECKING

from mcp_tasks_tui import files
from mcp_tasks_tui.handles import ledger, reading, schema
from mcp_tasks_tui.handles.database import COMPANIONS, Damaged, damage_of, no_file, open_read_only
from mcp_tasks_tui.handles.errors import from_os, from_sqlite, is_passing
from mcp_tasks_tui.handles.vault import DATABASE, RECEIPTS, Vault
from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: What a save needs at most, with its log, until it has ended (bytes).
_ROOM = 65_536
#: So long a look waits for a lock of others (seconds).
_WAITED = 2.0


@record
class Finding:
    """One thing that was looked at; `text` is one clean line that says what to do if not `ok`."""

    what: str
    ok: bool
    text: str


def check(home: Path) -> list[Finding]:
    """Explain the state of a data folder. What was saved is not changed; slow if there is much."""
    try:
        if not home.is_dir():
            return [_absent(home)]
    except OSError as error:
        return [Finding("folder", False, str(from_os(error, home)))]
    room = list(_room(home))
    found = [*_modes(home), *room, *_receipts(home), *_database(home, full=bool(room))]
    aside = sorted(path.name for path in home.glob("*.damaged-*"))
    if aside:
        words = f"kept from earlier damage, delete when no longer needed: {', '.join(aside)}"
        found.append(Finding("moved aside", True, words))
    return found


def _absent(home: Path) -> Finding:
    """Tell whether the folder, which is not there, can be made once something is saved."""
    above = next((path for path in (home, *home.parents) if path.exists()), home)
    if not above.is_dir():
        return Finding("folder", False, f"{home} cannot be made: {above} is no folder")
    if not files.writable(above):
        return Finding("folder", False, f"{home} cannot be made: {above} can only be read")
    return Finding("folder", True, f"{home} is not there yet: nothing was saved")


def repair(home: Path, *, clock: Callable[[], float] = time.time) -> list[str]:
    """Put right what :func:`check` finds; nothing is deleted. One line per thing done.

    Raises:
        StoreError: it cannot be put right.
    """
    vault = Vault(home, clock=clock, busy_seconds=5.0, connect=sqlite3.connect)
    vault.open()
    try:
        vault.examine()
        if vault.read_only is None:
            vault.write(lambda _: None)
            _repair_receipts(vault, clock())
        for path in _files(home):
            vault.note(files.tighten(path, files.FILE_MODE))
        return list(vault.notices)
    finally:
        vault.close()


def _repair_receipts(vault: Vault, at: float) -> None:
    """Move a damaged receipts file aside, and write a whole one: good lines, lost handles."""
    try:
        batch = vault.receipts.read()
        torn = vault.receipts.size() - batch.end
        others = vault.receipts.why_not_ours()
        if batch.bad or torn or others:
            aside = files.move_aside(vault.receipts.path, (), at)
            vault.receipts.append(batch.receipts)
            why = "held something else" if others else "had damaged lines"
            kept = "nothing was changed in it" if others else "good lines kept"
            vault.notices[:] = [words for words in vault.notices if words != others]
            vault.note(f"{RECEIPTS} {why}: moved to {aside.name}, {kept}")
        vault.complete_receipts()
    except OSError as error:
        raise from_os(error, vault.receipts.path) from error


def _modes(home: Path) -> Iterator[Finding]:
    for path, wanted in ((home, files.FOLDER_MODE), *((one, 0o600) for one in _files(home))):
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except OSError as error:
            yield Finding("permissions", False, f"{path}: {error.strerror}")
            continue
        if mode & 0o077:
            words = f"{path} can be read by others (mode {mode:o}): chmod {wanted:o} it"
            yield Finding("permissions", False, words)
    if not files.writable(home):
        yield Finding("permissions", False, f"{home} can only be read: nothing new is kept")


def _room(home: Path) -> Iterator[Finding]:
    """Write for a try, in a file without a name: a quota is not in what the disk says is free."""
    if not files.writable(home):
        return
    try:
        with tempfile.TemporaryFile(dir=home) as trial:
            trial.write(bytes(_ROOM))
            trial.flush()
            os.fsync(trial.fileno())
    except OSError as error:
        yield Finding("disk", False, f"what is saved next may not be kept: {from_os(error, home)}")


def _files(home: Path) -> list[Path]:
    """Return the files that are to be private: ours, and what was set aside unless it is a link."""
    names = [DATABASE, *(DATABASE + ending for ending in COMPANIONS)]
    receipts = [] if _vault(home).receipts.why_not_ours() else [home / RECEIPTS]
    aside = filter(files.is_alone, home.glob("*.damaged-*"))
    ours = (*receipts, *(home / name for name in names))
    return [*(path for path in ours if path.is_file()), *aside]


def _receipts(home: Path) -> Iterator[Finding]:
    receipts = _vault(home).receipts
    try:
        batch = receipts.read()
        torn = receipts.size() - batch.end
    except OSError as error:
        yield Finding("receipts", False, str(from_os(error, receipts.path)))
        return
    if others := receipts.why_not_ours():
        yield Finding("receipts", False, others)
        return
    tasks = {(one.draft.server_url, one.draft.task_id) for one in batch.receipts}
    words = f"{_counted(len(batch.receipts), 'line')} for {_counted(len(tasks), 'task')}"
    yield Finding("receipts", True, words)
    for bad in batch.bad:
        words = f"{RECEIPTS} line {bad.number}: {bad.why}; `doctor --repair` sets it aside"
        yield Finding("receipts", False, words)
    if torn:
        words = f"{RECEIPTS} ends in a torn line ({torn} bytes); `doctor --repair` sets it aside"
        yield Finding("receipts", False, words)


def _database(home: Path, *, full: bool) -> Iterator[Finding]:
    path = home / DATABASE
    if not path.exists():
        yield Finding("database", True, f"{path} is not there yet: the receipts will fill it")
        return
    if files.writable(home) and not os.access(path, os.W_OK):
        words = f"{path} can only be read: chmod 600 it, else no state of a task is kept"
        yield Finding("database", False, words)
    damage = no_file(path)
    if damage is None:
        try:
            with closing(_read_only(path)) as connection:
                damage = damage_of(connection)
                if damage is None:
                    yield from _contents(home, connection, full=full)
        except Damaged as error:
            damage = str(error)
        except sqlite3.Error as error:
            if is_passing(error):
                yield Finding("database", False, str(from_sqlite(error, path, _WAITED)))
                return
            damage = str(error)
    if damage is not None:
        words = f"{path}: {damage}; `doctor --repair` moves it aside and fills a new one"
        yield Finding("database", False, words)


def _read_only(path: Path) -> sqlite3.Connection:
    if not files.writable(path.parent):  # SQLite could not even make the files it locks with
        return open_read_only(path, busy_seconds=_WAITED, connect=sqlite3.connect).connection
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_WAITED)


def _contents(home: Path, connection: sqlite3.Connection, *, full: bool) -> Iterator[Finding]:
    batch = _vault(home).receipts.read()
    have = {(one.draft.server_url, one.draft.task_id) for one in batch.receipts}
    if schema.kind_of(connection) is schema.Kind.OURS:
        reading.examine(connection)
    known = {ledger.identity(kept) for kept in ledger.every(connection)}
    yield Finding("database", True, f"{home / DATABASE}: whole, {_counted(len(known), 'task')}")
    if lost := len(known - have):
        words = f"{_counted(lost, 'task')} without a receipt; `doctor --repair` writes it"
        yield Finding("receipts", False, words)
    if behind := len(have - known):
        when = _when_brought_in(home / DATABASE, full=full)
        words = f"not in the database yet: {_counted(behind, 'task')}; {when}"
        yield Finding("database", False, words)


def _when_brought_in(path: Path, *, full: bool) -> str:
    """Say what has to be before pending receipts reach the database."""
    if full:
        return "the next save brings it in once there is room on the disk"
    if not os.access(path, os.W_OK):
        return "the next save brings it in once the database can be written"
    try:
        raw = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=_WAITED)
        with closing(raw) as tried:
            tried.execute("BEGIN IMMEDIATE")
            tried.execute("ROLLBACK")
    except sqlite3.Error as error:
        return f"it cannot be written: {from_sqlite(error, path, _WAITED)}"
    return "the next save brings it in"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _vault(home: Path) -> Vault:
    return Vault(home, clock=time.time, busy_seconds=_WAITED, connect=sqlite3.connect)

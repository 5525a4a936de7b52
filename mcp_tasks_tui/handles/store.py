"""HandleStore: saved handles and what is known of their tasks, on disk.

Synchronous, for commands and for the thread of :class:`~mcp_tasks_tui.handles.worker.StoreWorker`.
A store belongs to the thread that opened it; any number of processes may use one folder at once.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles import keys, ledger, merge, reading, tables
from mcp_tasks_tui.handles.errors import (
    AmbiguousKey,
    DiskFull,
    NoSuchHandle,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreReadOnly,
)
from mcp_tasks_tui.handles.json_values import is_too_deep
from mcp_tasks_tui.handles.merge import Kept
from mcp_tasks_tui.handles.model import (
    AnswerRecord,
    AnswerState,
    Handle,
    HandleDraft,
    Intent,
    JournalEntry,
    Saved,
    SnapshotWrite,
    Texts,
)
from mcp_tasks_tui.handles.normalising import checked, clean
from mcp_tasks_tui.handles.receipts import ARCHIVED, EDITED, RESTORED, SAVED, Receipt, normal
from mcp_tasks_tui.handles.vault import Vault
from mcp_tasks_tui.patient_json import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from mcp_tasks_tui.handles.database import Connect

#: Handles written with one fsync and one transaction; others wait only for so many.
_SAVED_AT_ONCE = 500


class HandleStore:
    """See the module. Methods raise `StoreError`s only, unless they say otherwise."""

    def __init__(self, vault: Vault, clock: Callable[[], float]) -> None:
        self._vault = vault
        self._clock = clock

    @classmethod
    def open(
        cls,
        home: Path,
        *,
        clock: Callable[[], float] = time.time,
        busy_seconds: float = 5.0,
        connect: Connect = sqlite3.connect,
    ) -> HandleStore:
        """Open the data folder `home`, making what is missing, private from the first moment.

        `busy_seconds` bounds how long a locked database is waited for.

        Raises:
            StoreError: the folder cannot be made or entered.
        """
        vault = Vault(home.absolute(), clock=clock, busy_seconds=busy_seconds, connect=connect)
        vault.open()
        return cls(vault, clock)

    @property
    def home(self) -> Path:
        return self._vault.home

    @property
    def notices(self) -> list[str]:
        """What a person should know of the folder, one clean line each, oldest first."""
        return list(self._vault.notices)

    def take_notices(self) -> list[str]:
        """Return the notices that were not taken yet."""
        taken = self.notices
        self._vault.notices.clear()
        return taken

    def why_read_only(self) -> str | None:
        """Return why the database cannot be written, in one clean line; None where it can."""
        return self._vault.read_only

    def close(self) -> None:
        self._vault.close()

    def __enter__(self) -> HandleStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- handles -------------------------------------------------------------------------

    def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
        """Keep a handle: durable before it returns. Saving it again keeps the richer context.

        With `intent_id`, it is the answer to that call, and the receipt says so: the call has
        its handle from then on, whatever becomes of the database.

        Raises:
            ValueError: no task id, or a server URL that cannot be one (`UrlError`).
            StoreError: it could not be kept; `unsaved` has it whole.
        """
        return self._save_many([draft], intent_id)[0]

    def save_all(self, drafts: Sequence[HandleDraft]) -> list[Saved]:
        """Keep many handles, some hundreds per fsync. See :meth:`save`."""
        return self._save_many(drafts, None)

    def _save_many(self, drafts: Sequence[HandleDraft], call: int | None) -> list[Saved]:
        wanted = [checked(draft) for draft in drafts]
        saved: list[Saved] = []
        for start in range(0, len(wanted), _SAVED_AT_ONCE):
            part = wanted[start : start + _SAVED_AT_ONCE]
            try:
                saved += self._save_part(part, call)
            except StoreError as error:
                error.unsaved = tuple(wanted[start:])
                raise
        return saved

    def load(self) -> list[Saved]:
        """Return every handle with what is known of its task, in the order of saving."""
        self._vault.watch()
        pending = self._settled()
        whole = self._vault.read_only is None
        try:
            saved = self._vault.read(lambda connection: reading.load(connection, whole=whole))
        except StoreDamaged as error:
            if whole:
                raise
            self._vault.note(str(error))  # what is only read is not mended
            saved = self._vault.read(reading.load_sound)
        if not pending:
            return saved
        known = {(one.handle.server_url, one.handle.task_id): one for one in saved}
        stored = self._vault.read(lambda connection: list(ledger.every(connection)))
        return [
            replace(known[where], handle=kept.handle) if where in known else reading.fresh(kept)
            for where, kept in ledger.overlay(stored, pending).items()
        ]

    def load_one(self, key: str) -> Saved | None:
        """Return one handle by its whole local key."""
        if self._settled():
            return next((one for one in self.load() if one.handle.key == key), None)
        return self._vault.read(lambda connection: reading.load_one(connection, key))

    def changed_by_others(self) -> list[Saved] | None:
        """Return what others changed since this was asked last, or since `load`.

        It costs what has changed, not what there is. None: it cannot be told, `load` all.
        """
        told = not self._settled() and self._vault.read_only is None
        changed = self._vault.changed_by_others() if told else None
        if changed is None:
            return None
        return self._vault.read(lambda connection: reading.load_some(connection, changed))

    def resolve(self, text: str) -> Handle:
        """Return the handle meant by a local key, an unambiguous prefix of one, or a task id.

        A whole key always means its own handle, whatever task ids others have chosen.

        Raises:
            NoSuchHandle, AmbiguousKey: it names none, or several (the error has them).
        """
        found = self._matching(text)
        exact = [kept for kept in found if kept.handle.key == text.lower()]
        if exact or len(found) == 1:
            return (exact or found)[0].handle
        if found:
            raise AmbiguousKey(text, tuple(kept.handle for kept in found))
        raise NoSuchHandle(text)

    def edit(self, key: str, *, label: str | None, note: str | None, tags: Sequence[str]) -> Handle:
        """Set a handle's texts to just these; later savings of the task do not change them."""
        return _only(key, self.edit_all({key: Texts(label, note, tuple(tags))}))

    def edit_all(self, texts: Mapping[str, Texts]) -> dict[str, Handle]:
        """Edit many handles at once: all that there are, or with an error none."""
        return self._change(
            {key: clean(each) for key, each in texts.items()}, EDITED, self._clock()
        )

    def archive(self, key: str, at: float | None) -> Handle:
        """Hide a handle as of `at`, or with None bring it back. Nothing is deleted."""
        return _only(key, self.archive_all([key], at))

    def archive_all(self, keys: Iterable[str], at: float | None) -> dict[str, Handle]:
        """Archive or restore many handles at once: all that there are, or with an error none."""
        event, when = (RESTORED, self._clock()) if at is None else (ARCHIVED, at)
        return self._change(dict.fromkeys(keys, Texts()), event, when)

    # --- what is known of tasks ----------------------------------------------------------

    def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
        """Apply each write whose base version still stands: its new version, else None."""
        now = self._clock()
        return self._vault.write(lambda c: [tables.commit(c, write, now) for write in writes])

    def journal(self, key: str) -> list[JournalEntry]:
        """Return a task's journal in the order of writing; of a long one the first and last."""
        self._settled()
        return self._vault.read(lambda c: tables.journal(c, key))

    def result(self, key: str) -> Any:
        """Return the stored result, raw; None where there is none (see `has_result`)."""
        return self._vault.read(lambda c: tables.result(c, key))

    def large_result(self, key: str) -> str | None:
        """Return a stored result as text where that takes a while to read, else None; unchecked."""
        text = self._vault.read(lambda c: tables.result_text(c, key, longer_than=QUICK))
        return text if isinstance(text, str) else None

    def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
        """Note the intention to answer; False where it was answered, or another process does."""
        now = self._clock()
        return self._vault.write(
            lambda c: tables.claim_answer(c, _need_id(c, key), record, again=again, now=now)
        )

    def set_answer(self, key: str, request_key: str, state: AnswerState) -> None:
        """Note how far an answer got."""
        self._vault.write(lambda c: tables.set_answer(c, _need_id(c, key), request_key, state))

    def withdraw_answer(self, key: str, request_key: str, earlier: AnswerRecord | None) -> None:
        """Undo a claim, as nothing was sent; `earlier` is what it took the place of."""
        self._vault.write(
            lambda c: tables.withdraw_answer(c, _need_id(c, key), request_key, earlier)
        )

    def begin_call(self, server_url: str, tool: str, arguments: Any, label: str | None) -> int:
        """Note a `tools/call` before it is sent; the number goes to `save` or `end_call`."""
        number, now = tables.new_intent_id(), self._clock()
        arguments = None if is_too_deep(arguments) else arguments
        intent = Intent(number, normal(server_url), tool, arguments, label, now)
        return self._vault.write(lambda c: tables.add_intent(c, intent))

    def end_call(self, intent_id: int) -> None:
        """The call ended without a handle, and we know it."""
        self._vault.write(lambda c: tables.end_intents(c, [intent_id]))

    def lose_call(self, intent_id: int) -> None:
        """The call ended without an answer: what the server made of it is not known."""
        self._vault.write(lambda c: tables.lose_intent(c, intent_id))

    def open_intents(self) -> list[Intent]:
        """Return the calls that were lost, or whose process died before it could tell."""
        answered = ledger.answered_calls(self._settled())
        now = self._clock()
        try:
            found = self._vault.read(lambda c: tables.open_intents(c, now))
        except StoreDamaged as error:
            self._vault.note(str(error))  # the handles do not depend on them
            return []
        return [intent for intent in found if intent.intent_id not in answered]

    def data_version(self) -> int:
        """Return a number that differs once another process has written."""
        version = self._vault.read(lambda c: c.execute("PRAGMA data_version").fetchone()[0])
        return (int(version) << 32) + len(self._vault.pending())

    # --- inside --------------------------------------------------------------------------

    def _save_part(self, drafts: Sequence[HandleDraft], call: int | None) -> list[Saved]:
        known = self._known(drafts)
        now = self._clock()
        new: dict[ledger.Identity, list[Receipt]] = {}
        taken: set[str] = set()
        for draft in drafts:
            where = draft.server_url, draft.task_id
            kept = known.get(where)
            at = now if draft.saved_at is None else draft.saved_at
            receipt = Receipt(SAVED, at, draft, call=call)
            if call is None and kept is not None and merge.applied(kept, receipt) == kept:
                continue
            key = kept.handle.key if kept else self._free_key(where, taken)
            taken.add(key)
            new.setdefault(where, []).append(replace(receipt, key=key))
        receipts = [receipt for several in new.values() for receipt in several]
        made = self._vault.record(receipts) if receipts else {}
        return [self._saved(draft, known, new, made) for draft in drafts]

    def _known(self, drafts: Sequence[HandleDraft]) -> dict[ledger.Identity, Kept]:
        """Return the stored handles among `drafts`; none where the database cannot be read now."""
        wanted = [(draft.server_url, draft.task_id) for draft in drafts]
        try:
            found = self._vault.read(lambda c: [ledger.find(c, *where) for where in wanted])
        except StoreError:
            return {}
        return {where: kept for where, kept in zip(wanted, found, strict=True) if kept is not None}

    def _free_key(self, where: ledger.Identity, taken: set[str]) -> str:
        def is_taken(key: str) -> bool:
            return key in taken or self._vault.read(lambda c: ledger.key_taken(c, key))

        try:
            return keys.choose(*where, None, is_taken)
        except StoreError:
            return keys.choose(*where, None, taken.__contains__)

    def _saved(
        self,
        draft: HandleDraft,
        known: Mapping[ledger.Identity, Kept],
        new: Mapping[ledger.Identity, Sequence[Receipt]],
        made: Mapping[ledger.Identity, Kept],
    ) -> Saved:
        where = draft.server_url, draft.task_id
        if where in made:
            return reading.fresh(made[where])
        try:
            saved = self._vault.read(lambda c: reading.load_identity(c, where))
            if saved is not None and not (new.get(where) and self._vault.pending()):
                return saved
        except StoreError:
            saved = None
        stored = [known[where]] if where in known else []
        kept = ledger.overlay(stored, new.get(where, ()))[where]
        return reading.fresh(kept) if saved is None else replace(saved, handle=kept.handle)

    def _settled(self) -> Sequence[Receipt]:
        """Apply pending receipts; return those that cannot be applied now."""
        pending = self._vault.pending()
        if not pending or self._vault.read_only:
            return pending
        try:
            self._vault.write(lambda _: None)
        except (StoreReadOnly, StoreLocked, DiskFull):
            return pending
        return ()

    def _matching(self, text: str) -> list[Kept]:
        low = text.lower()
        if not self._settled():
            found = self._vault.read(lambda c: ledger.matching(c, text))
            if low != text and keys.is_prefix(low):
                found += self._vault.read(lambda c: ledger.matching(c, low))
            return list({ledger.identity(kept): kept for kept in found}.values())
        prefix = low if keys.is_prefix(low) else None
        return [
            Kept(one.handle)
            for one in self.load()
            if one.handle.task_id == text or (prefix and one.handle.key.startswith(prefix))
        ]

    def _change(self, texts: Mapping[str, Texts], event: str, at: float) -> dict[str, Handle]:
        """Keep what a person changed: as receipts first, like the handles themselves."""
        if words := self._vault.read_only:
            raise StoreReadOnly(words)
        self._settled()
        found = self._vault.read(lambda c: [ledger.find_key(c, key) for key in texts])
        changed: dict[str, Handle] = {}
        receipts = []
        for kept in found:
            if kept is not None:
                where, each = ledger.identity(kept), texts[kept.handle.key]
                draft = HandleDraft(*where, label=each.label, note=each.note, tags=each.tags)
                receipts.append(Receipt(event, at, draft, kept.handle.key))
                changed[kept.handle.key] = merge.applied(kept, receipts[-1]).handle
        if receipts:
            self._vault.record(receipts)
        return changed


def _only(key: str, changed: Mapping[str, Handle]) -> Handle:
    if key not in changed:
        raise NoSuchHandle(key)
    return changed[key]


def _need_id(connection: sqlite3.Connection, key: str) -> int:
    found = tables.handle_id(connection, key)
    if found is None:
        raise NoSuchHandle(key)
    return found

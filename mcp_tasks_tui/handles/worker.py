"""StoreWorker: the store for the event loop, on one thread of its own."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_tasks_tui.daemon_thread import in_daemon_thread, tell
from mcp_tasks_tui.handles import json_values
from mcp_tasks_tui.handles.errors import StoreClosed
from mcp_tasks_tui.handles.store import HandleStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

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

T = TypeVar("T")


class StoreWorker:
    """`supervise.ports.Store` over a :class:`HandleStore`.

    What was asked for happens in that order, once, even if the one who asked is cancelled
    meanwhile. Use as ``async with StoreWorker(home) as store``.
    """

    def __init__(self, home: Path, *, open_store: Callable[[Path], HandleStore] | None = None):
        self._home = home
        self._open_store = open_store or HandleStore.open
        self._jobs: SimpleQueue[Callable[[HandleStore], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended: asyncio.Future[None] | None = None
        self._closed = False

    async def open(self) -> None:
        """Start the thread and open the folder. Raises StoreError."""
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[None] = loop.create_future()
        self._ended = loop.create_future()
        self._thread = threading.Thread(
            target=self._work, args=(loop, opened, self._ended), name="store", daemon=True
        )
        self._thread.start()
        try:
            await opened
        except BaseException:
            self._closed = True
            self._jobs.put(None)
            raise

    async def close(self) -> None:
        """Do what was asked for, close the folder, end the thread. May be called twice."""
        self._closed = True
        if self._thread is None or self._ended is None:
            return
        self._jobs.put(None)
        await asyncio.shield(self._ended)
        self._thread.join()

    async def __aenter__(self) -> StoreWorker:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- the store's methods -------------------------------------------------------------

    async def load(self) -> list[Saved]:
        return await self._ask(HandleStore.load)

    async def load_one(self, key: str) -> Saved | None:
        return await self._ask(lambda store: store.load_one(key))

    async def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
        return await self._ask(lambda store: store.save(draft, intent_id=intent_id))

    async def save_all(self, drafts: Sequence[HandleDraft]) -> list[Saved]:
        return await self._ask(lambda store: store.save_all(drafts))

    async def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
        return await self._ask(lambda store: store.commit(writes))

    async def journal(self, key: str) -> list[JournalEntry]:
        return await self._ask(lambda store: store.journal(key))

    async def result(self, key: str) -> Any:
        """Read a result; a large one on a thread of its own, so that nothing waits for it."""
        text = await self._ask(lambda store: store.large_result(key))
        if text is not None:
            with suppress(ValueError, RecursionError):
                return await in_daemon_thread(json_values.read_patiently, text)
        return await self._ask(lambda store: store.result(key))

    async def resolve(self, text: str) -> Handle:
        return await self._ask(lambda store: store.resolve(text))

    async def edit_all(self, texts: Mapping[str, Texts]) -> dict[str, Handle]:
        return await self._ask(lambda store: store.edit_all(texts))

    async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
        return await self._ask(lambda store: store.archive_all(keys, at))

    async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
        return await self._ask(lambda store: store.claim_answer(key, record, again=again))

    async def set_answer(self, key: str, request_key: str, state: AnswerState) -> None:
        await self._ask(lambda store: store.set_answer(key, request_key, state))

    async def withdraw_answer(
        self, key: str, request_key: str, earlier: AnswerRecord | None
    ) -> None:
        await self._ask(lambda store: store.withdraw_answer(key, request_key, earlier))

    async def begin_call(
        self, server_url: str, tool: str, arguments: Any, label: str | None
    ) -> int:
        return await self._ask(lambda store: store.begin_call(server_url, tool, arguments, label))

    async def end_call(self, intent_id: int) -> None:
        await self._ask(lambda store: store.end_call(intent_id))

    async def lose_call(self, intent_id: int) -> None:
        await self._ask(lambda store: store.lose_call(intent_id))

    async def open_intents(self) -> list[Intent]:
        return await self._ask(HandleStore.open_intents)

    async def changed_by_others(self) -> list[Saved] | None:
        return await self._ask(HandleStore.changed_by_others)

    async def data_version(self) -> int:
        return await self._ask(HandleStore.data_version)

    async def take_notices(self) -> list[str]:
        """Return what a person should know of the folder and was not told yet."""
        return await self._ask(HandleStore.take_notices)

    async def why_read_only(self) -> str | None:
        """Return why the database cannot be written, None where it can."""
        return await self._ask(HandleStore.why_read_only)

    # --- inside --------------------------------------------------------------------------

    async def _ask(self, work: Callable[[HandleStore], T]) -> T:
        if self._closed or self._thread is None:
            raise StoreClosed
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._jobs.put(partial(_do, loop, answer, work))
        return await answer

    def _work(
        self,
        loop: asyncio.AbstractEventLoop,
        opened: asyncio.Future[None],
        ended: asyncio.Future[None],
    ) -> None:
        try:
            with self._open_store(self._home) as store:
                tell(loop, opened)
                while (job := self._jobs.get()) is not None:
                    job(store)
        except Exception as error:  # noqa: BLE001 - it is raised where open() waits
            tell(loop, opened, error=error)
        finally:
            tell(loop, ended)


def _do(
    loop: asyncio.AbstractEventLoop,
    answer: asyncio.Future[T],
    work: Callable[[HandleStore], T],
    store: HandleStore,
) -> None:
    try:
        value = work(store)
    except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
        tell(loop, answer, error=error)
    else:
        tell(loop, answer, value)

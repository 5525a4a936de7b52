"""What the engine needs from the rest of the program, as small interfaces.

The real client, store and clock are handed in where the program is put together; tests hand in
plain values.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
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
    from mcp_tasks_tui.protocol.messages import (
        CallOutcome,
        InputResponse,
        ListenEvent,
        TaskReply,
        ToolList,
    )


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch, UTC: for people and for the disk."""

    def monotonic(self) -> float:
        """Seconds that never jump: for waiting."""

    async def sleep(self, seconds: float) -> None: ...


class TaskClient(Protocol):
    """One server, as the engine speaks to it. Every method raises `RequestError`s only."""

    async def get_task(self, task_id: str) -> TaskReply: ...

    async def update_task(self, task_id: str, responses: Mapping[str, InputResponse]) -> None: ...

    async def cancel_task(self, task_id: str) -> None: ...

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> CallOutcome: ...

    async def list_tools(self) -> ToolList: ...

    def listen(self, task_ids: Sequence[str]) -> AsyncIterator[ListenEvent]: ...


#: Server URL in normal form -> a client for it. May raise `NotSent` (bad settings).
Connect = Callable[[str], TaskClient]


class Store(Protocol):
    """The disk, off the event loop. Every method raises `StoreError` when it cannot."""

    async def load(self) -> list[Saved]: ...

    async def load_one(self, key: str) -> Saved | None: ...

    async def save(self, draft: HandleDraft, *, intent_id: int | None = None) -> Saved:
        """Durable before it returns. Saving the same task twice keeps the richer context."""

    async def commit(self, writes: Sequence[SnapshotWrite]) -> list[int | None]:
        """Apply each write whose base version still stands: its new version, else None."""

    async def journal(self, key: str) -> list[JournalEntry]: ...

    async def result(self, key: str) -> Any: ...

    async def edit_all(self, texts: Mapping[str, Texts]) -> dict[str, Handle]:
        """Set the texts of all these handles that there are: at once, or with an error none."""

    async def archive_all(self, keys: Collection[str], at: float | None) -> dict[str, Handle]:
        """Set (or with None, clear) when handles were archived, each with its journal line: of all
        that there are at once, or with an error of none."""

    async def claim_answer(self, key: str, record: AnswerRecord, *, again: bool) -> bool:
        """Insert the intention to answer; False where another process or answer has it.

        A refused answer stands for none. `again`: a person wants it sent though it was answered.
        """

    async def set_answer(self, key: str, request_key: str, state: AnswerState) -> None: ...

    async def withdraw_answer(
        self, key: str, request_key: str, earlier: AnswerRecord | None
    ) -> None:
        """Undo a claim that nothing was sent for; `earlier` is what stood there before it."""

    async def begin_call(
        self, server_url: str, tool: str, arguments: Any, label: str | None
    ) -> int: ...

    async def end_call(self, intent_id: int) -> None:
        """The call ended without a handle, and we know it."""

    async def lose_call(self, intent_id: int) -> None:
        """The call ended without an answer: it may have started work."""

    async def open_intents(self) -> list[Intent]:
        """The calls that left no handle: lost, or their process ended, as far as can be known.

        Those that a living process, this one too, still waits for are not among them.
        """

    async def data_version(self) -> int:
        """A number that differs once another process has written."""

    async def changed_by_others(self) -> list[Saved] | None:
        """What other processes changed since this was asked last, or since `load`.

        None: it cannot be told, and `load` tells all.
        """

    async def take_notices(self) -> list[str]:
        """What a person should know of the disk, one clean line each; each is given once."""

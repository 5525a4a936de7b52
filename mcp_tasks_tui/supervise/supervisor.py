"""The Supervisor: polls, listens, answers, cancels. The one thing that ui and cli talk to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_tasks_tui.handles.model import HandleDraft, Intent, JournalEntry
    from mcp_tasks_tui.protocol.messages import CallOutcome, InputResponse, ToolList
    from mcp_tasks_tui.supervise.ports import Clock, Connect, Store
    from mcp_tasks_tui.supervise.view import ServerView, TaskView


@dataclass(frozen=True, slots=True)
class Batch:
    """What changed since the last batch: task keys by kind, whether any server line changed."""

    added: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    servers: bool = False
    #: Decided by `alerts`: what deserves a toast, a bell or a desktop notification.
    alerts: tuple[Any, ...] = ()
    #: One clean line each, for a person: the store is read-only, a save failed, ...
    notices: tuple[str, ...] = ()


class Supervisor:
    """See the engine section of the README's architecture notes."""

    def __init__(self, *, store: Store, connect: Connect, clock: Clock, settings: Any) -> None: ...

    async def start(self, *, poll: bool = True) -> None:
        """Load what is saved (views are there when it returns); with `poll`, watch it."""

    async def close(self) -> None:
        """Stop watching. Writes what is pending; sends nothing."""

    # --- looking -------------------------------------------------------------------------
    def views(self) -> Sequence[TaskView]: ...
    def view(self, key: str) -> TaskView | None: ...
    def servers(self) -> Sequence[ServerView]: ...
    def subscribe(self, listener: Callable[[Batch], None]) -> Callable[[], None]:
        """Call `listener` on the event loop with each batch, at most 5 a second."""

    async def journal(self, key: str) -> list[JournalEntry]: ...
    async def result(self, key: str) -> Any: ...
    def orphan_intents(self) -> Sequence[Intent]:
        """Calls that were sent before a crash and left no handle: they may have started work."""

    # --- acting --------------------------------------------------------------------------
    async def refresh(self, key: str) -> TaskView:
        """Read one task now and return it as it is then; a failed read is in `snapshot.read`."""

    def poll_now(self, keys: Sequence[str]) -> None: ...
    async def save(self, draft: HandleDraft) -> TaskView: ...
    async def call(
        self,
        server_url: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        label: str | None = None,
        tags: Sequence[str] = (),
        saved_by: str | None = None,
        input_responses: Mapping[str, InputResponse] | None = None,
        request_state: str | None = None,
        timeout: float | None = None,
    ) -> tuple[CallOutcome, TaskView | None]:
        """Journal the intent, send it once, save the handle before anyone is told of it."""

    async def tools(self, server_url: str) -> ToolList: ...
    async def answer(
        self, key: str, responses: Mapping[str, InputResponse], *, again: bool = False
    ) -> None: ...
    async def cancel(self, key: str) -> None: ...
    async def archive(self, key: str) -> None: ...
    async def restore(self, key: str) -> None: ...
    async def edit(
        self, key: str, *, label: str | None, note: str | None, tags: Sequence[str]
    ) -> None: ...
    async def hold(self, keys: Sequence[str], held: bool) -> None: ...
    async def retry_server(self, url: str) -> None: ...

"""Journal and result of the task that a panel shows, read without ever holding it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.daemon_thread import in_daemon_thread
from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.supervise.results import ResultDoc, read_result
from mcp_tasks_tui.ui.widgets.panel.facts import Loaded
from mcp_tasks_tui.ui.widgets.panel.result import has_outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer
    from textual.widget import Widget

    from mcp_tasks_tui.handles.model import JournalEntry
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

#: Seconds after the last change until the journal is read once more: lines that are written in
#: batches are on the disk by then.
_SETTLED = 1.5


class PanelLoader:
    """Follows one task at a time. A reply for another task than the followed one is dropped."""

    def __init__(self, owner: Widget, supervisor: Supervisor, loaded: Callable[[], None]) -> None:
        self._owner = owner
        self._supervisor = supervisor
        self._tell = loaded
        self._view: TaskView | None = None
        self._reading_journal = False
        self._reading_result = False
        self._journal_due = False
        self._moved = False
        self._once_more: Timer | None = None
        self.journal: tuple[JournalEntry, ...] = ()
        self.result: ResultDoc | None = None
        self.result_loaded = Loaded.WAITING
        self.trouble = ""

    def follow(self, view: TaskView | None, result: ResultDoc | None = None) -> None:
        """Read what `view` makes necessary; cheap when nothing is.

        `result` is that of the task, where it was read before.
        """
        before, self._view = self._view, view
        if view is None or before is None or view.key != before.key:
            self.journal, self.result, self.trouble = (), None, ""
            self.result_loaded = Loaded.WAITING
            before = None
        if result is not None:
            self.result, self.result_loaded = result, Loaded.READY
        if view is None:
            return
        if before is None or before.snapshot is not view.snapshot or before.answers != view.answers:
            self._read_journal()
        appeared = before is not None and before.snapshot.has_result != view.snapshot.has_result
        if has_outcome(view) and (appeared or self.result_loaded is Loaded.WAITING):
            self._read_result()

    def _read_journal(self) -> None:
        self._moved = True
        self._start_journal()

    def _start_journal(self) -> None:
        self._journal_due = True
        if not self._reading_journal:
            self._reading_journal = True
            self._owner.run_worker(self._journal(), group="journal", exit_on_error=False)

    async def _journal(self) -> None:
        """Read until nothing changed meanwhile; after a change, once more when it has settled."""
        try:
            while self._journal_due and self._view is not None:
                self._journal_due = False
                await self._take_journal(self._view.key)
        finally:
            self._reading_journal = False
        if self._moved:
            self._moved = False
            if self._once_more is not None:
                self._once_more.stop()
            self._once_more = self._owner.set_timer(_SETTLED, self._start_journal)

    async def _take_journal(self, key: str) -> None:
        trouble = ""
        entries: tuple[JournalEntry, ...] | None = None
        try:
            entries = tuple(await self._supervisor.journal(key))
        except Exception as error:  # noqa: BLE001 - said in the panel; the task is not in question
            trouble = f"the journal cannot be read: {one_line(str(error), 200)}"
        if self._view is None or self._view.key != key:
            return
        if entries is not None:
            self.journal = entries
        self.trouble = trouble
        self._tell()

    def _read_result(self) -> None:
        if not self._reading_result:
            self._reading_result = True
            self._owner.run_worker(self._result(), group="result", exit_on_error=False)

    async def _result(self) -> None:
        try:
            while (view := self._view) is not None and has_outcome(view):
                if await self._take_result(view):
                    return
        finally:
            self._reading_result = False

    async def _take_result(self, view: TaskView) -> bool:
        """Read one result; return whether it was still wanted when it came."""
        loaded, doc = Loaded.FAILED, None
        was_kept = view.snapshot.has_result or view.snapshot.result_lost
        try:
            value = await self._supervisor.result(view.key)
            doc = await in_daemon_thread(lambda: read_result(value, was_kept=was_kept))
            loaded = Loaded.READY
        except Exception as error:  # noqa: BLE001 - said in the panel; the task is not in question
            self.trouble = f"the result cannot be read: {one_line(str(error), 200)}"
        if self._view is None or self._view.key != view.key:
            return False
        self.result, self.result_loaded = doc, loaded
        self._tell()
        return True

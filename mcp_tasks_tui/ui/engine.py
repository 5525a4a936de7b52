"""Runs the engine beside the screen: starts it, hands on what it publishes, closes it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.sanitize import one_line
from mcp_tasks_tui.ui.actions import FAILURES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.timer import Timer

    from mcp_tasks_tui.supervise.alerts import Alert
    from mcp_tasks_tui.supervise.supervisor import Batch
    from mcp_tasks_tui.ui.alerts import Announcer
    from mcp_tasks_tui.ui.app import TasksApp


class EngineRunner:
    """Runs the supervisor of `app` until `stop`.

    `why_read_only` tells why the database cannot be written, None where it can. `show_saved` is
    called once the saved tasks are loaded, and `end_on` with a bug that nothing else would tell.
    """

    def __init__(
        self,
        app: TasksApp,
        announcer: Announcer,
        *,
        why_read_only: Callable[[], Awaitable[str | None]] | None,
        show_saved: Callable[[], None],
        end_on: Callable[[Exception], None],
    ) -> None:
        self._app = app
        self._announcer = announcer
        self._why_read_only = why_read_only
        self._show_saved = show_saved
        self._end_on = end_on
        self._loading: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._announce_again: Timer | None = None

    @property
    def loaded(self) -> bool:
        """The saved tasks are on the screen, or it says why they cannot be read."""
        return self._loading is not None and self._loading.done()

    def start(self) -> None:
        """Load in a task of its own: the first frame does not wait for the disk."""
        self._loading = asyncio.create_task(self._load())

    async def stop(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
        if self._unsubscribe is not None:
            self._unsubscribe()
        await self._app.supervisor.close()

    async def _load(self) -> None:
        """Load what is saved and show it; the supervisor looks at the wire only afterwards."""
        supervisor = self._app.supervisor
        try:
            await supervisor.start()
            why = await self._why_read_only() if self._why_read_only else None
        except FAILURES as error:
            self._app.main.show_failure(one_line(str(error)))
            return
        except Exception as error:  # noqa: BLE001 - nobody else would hear of it
            self._end_on(error)
            return
        self._unsubscribe = supervisor.subscribe(self._take)
        self._app.main.say_read_only(why is not None)
        self._guarded(self._show_saved)

    def _guarded(self, show: Callable[[], None]) -> None:
        """Call `show` on behalf of the engine.

        A bug in it ends the program: otherwise an old screen would stand there as if nothing had
        happened. While the screen is taken down there is nothing left to show anything on.
        """
        if self._app.leaving:
            return
        try:
            show()
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the program
            self._end_on(error)

    def _take(self, batch: Batch) -> None:
        self._guarded(lambda: self._show(batch))

    def _show(self, batch: Batch) -> None:
        self._app.main.take(batch)
        for notice in batch.notices:
            self._app.say(notice, "warning")
        self._announce(batch.alerts)

    def _announce(self, alerts: Sequence[Alert] = ()) -> None:
        again_in = self._announcer.offer(alerts)
        if self._announce_again is not None:
            self._announce_again.stop()
            self._announce_again = None
        if again_in is not None:
            self._announce_again = self._app.set_timer(again_in + 0.05, self._announce)

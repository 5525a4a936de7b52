"""Puts on the main screen what the engine publishes: list, panel, wall, and what is around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.tally import Tally
from mcp_tasks_tui.ui.widgets import blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from mcp_tasks_tui.supervise.supervisor import Batch, Supervisor
    from mcp_tasks_tui.supervise.tally import Counts
    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.screens.frame import Frame
    from mcp_tasks_tui.ui.screens.looking import Looking
    from mcp_tasks_tui.ui.screens.parts import Parts
    from mcp_tasks_tui.ui.services import Services
    from mcp_tasks_tui.ui.widgets.unsaved_line import UnsavedLine


class Showing:
    """Shows nothing until the saved tasks were read. `dot` stands between two words."""

    def __init__(
        self,
        parts: Parts,
        supervisor: Supervisor,
        services: Services,
        *,
        frame: Frame,
        unsaved: UnsavedLine,
        looking: Looking,
        dot: str,
    ) -> None:
        self._screen, self._tasks, self._panel, _, _ = parts
        self._frame = frame
        self._unsaved = unsaved
        self._looking = looking
        self._supervisor = supervisor
        self._services = services
        self._dot = dot
        self._tally = Tally()
        self._loaded = False
        #: What a person does is not kept.
        self.database_read_only = False

    def counts(self) -> Counts:
        """Return how many tasks are in each state."""
        return self._tally.counts()

    def show_all(self) -> None:
        """Show everything that the engine knows; the first time the saved tasks."""
        self._loaded = True
        views = self._supervisor.views()
        self._tally.take(views)
        self._tasks.replace(views)
        self.show_panel()
        self.show_frame()

    def take(self, batch: Batch) -> None:
        """Show what changed."""
        if not self._loaded:
            return
        keys = batch.added | batch.changed | self._looked_at(batch.read)
        views = self._views(keys)
        if views:
            self._tally.take(views)
            self._tasks.apply(views)
            if self._screen.has_class("-wall"):
                self._looking.show_wall()
            if self._tasks.model.cursor in keys:
                self.show_panel()
        self.show_frame()

    def _looked_at(self, keys: Set[str]) -> Set[str]:
        """Return those of tasks that were merely read again that somebody sees."""
        if self._screen.has_class("-wall"):
            return keys
        return keys & {*self._tasks.in_sight(), self._tasks.model.cursor}

    def freshen(self) -> None:
        """Rows may have come into sight: while nobody saw them, mere reads were left out."""
        known = self._tasks.model.views
        views = self._views(self._tasks.in_sight())
        if fresh := [view for view in views if view is not known[view.key]]:
            self._tasks.apply(fresh)

    def _views(self, keys: Iterable[str]) -> list[TaskView]:
        return [view for key in keys if (view := self._supervisor.view(key)) is not None]

    def every_second(self) -> None:
        if self._loaded:
            self.freshen()
            self.show_frame()

    def show_panel(self) -> None:
        cursor = self._tasks.model.cursor
        view = None if cursor is None else self._supervisor.view(cursor)
        self._panel.show(view)

    def show_frame(self) -> None:
        """Show what is around the list: counts, servers, keys; cheap where nothing changed."""
        if not self._loaded:
            return
        looking = self._looking
        unsaved = self._supervisor.unsaved_handles()
        self._unsaved.show_handles(unsaved, self._services.known_servers)
        self._frame.show(
            self._tally.counts(),
            self._supervisor.servers(),
            list_state=self._dot.join(looking.words()),
            arranged=self._dot.join(looking.choice.words()),
            database_read_only=self.database_read_only,
            calls=len(self._supervisor.calls_under_way()),
            filtered=bool(looking.choice.filter.text.strip()),
            archived_too=looking.choice.archived,
            place=looking.place,
            current=looking.view,
        )

    def show_keys(self) -> None:
        if not self._loaded:
            return
        looking = self._looking
        self._frame.show_keys(self._tally.counts(), looking.place, looking.view)

    def say_loading(self) -> None:
        if not self._loaded and not self._screen.has_class("-blank"):
            self._frame.say(blank.loading())

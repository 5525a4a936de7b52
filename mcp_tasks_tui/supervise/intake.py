"""Taking in handles: what was saved before the start, here since, or by another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.roster import Watched
from mcp_tasks_tui.supervise.server_line import ServerLine

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcp_tasks_tui.handles.model import Saved
    from mcp_tasks_tui.supervise.listening import Listeners
    from mcp_tasks_tui.supervise.polling import Poller
    from mcp_tasks_tui.supervise.publishing import Publisher
    from mcp_tasks_tui.supervise.roster import Roster
    from mcp_tasks_tui.supervise.settings import EngineSettings


class Intake:
    """Decides which tasks are read by themselves, and has the news of new ones spread."""

    def __init__(
        self,
        *,
        roster: Roster,
        names: Mapping[str, str],
        settings: EngineSettings,
        poller: Poller,
        listeners: Listeners,
        publisher: Publisher,
    ) -> None:
        self._roster = roster
        self._names = names
        self._settings = settings
        self._poller = poller
        self._listeners = listeners
        self._publisher = publisher
        self._watching = False
        self._only: frozenset[str] | None = None

    def begin(self, *, watch: bool, only: Collection[str] | None) -> None:
        """With `watch`, tasks are read by themselves: all of them, or `only` these."""
        self._watching = watch
        self._only = None if only is None else frozenset(only)

    def load(self, saved: Saved) -> Watched:
        """Take in what was saved before the start: no news."""
        task = self._enter(saved)
        self._publisher.loaded(task)
        return task

    def adopt(self, saved: Saved) -> Watched:
        """Take in what was saved just now, here or by another process."""
        task = self._roster.get(saved.handle.key)
        if task is not None:
            task.set_handle_from_disk(saved)
            self._publisher.changed(task)
            return task
        task = self._enter(saved)
        self._publisher.added(task)
        self._publisher.servers_changed()
        self._watch_from_now(task)
        return task

    def adopt_called(self, saved: Saved) -> Watched:
        """Take in a task that a call of ours made: it is watched in any case."""
        task = self.adopt(saved)
        if self._watching and not task.watched:
            task.watched = True
            self._watch_from_now(task)
        return task

    def _enter(self, saved: Saved) -> Watched:
        url = saved.handle.server_url
        line = self._roster.lines.get(url)
        if line is None:
            name, tasks = self._names.get(url, url), self._roster.at(url)
            line = self._roster.lines[url] = ServerLine(url, name, self._settings, tasks)
        watched = self._watching and (self._only is None or saved.handle.key in self._only)
        task = Watched(saved, line, watched=watched)
        self._roster.add(task)
        line.recount()
        return task

    def _watch_from_now(self, task: Watched) -> None:
        if task.watched:
            self._poller.plan_first([task])
            self._listeners.set_changed(task.line)

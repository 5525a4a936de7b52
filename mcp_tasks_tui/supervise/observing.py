"""What follows from one observation: for the task, its server, the disk and the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.protocol.errors import NoSuchTask, RequestError
from mcp_tasks_tui.records import altered
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.applied import Change
from mcp_tasks_tui.supervise.attention import is_stuck
from mcp_tasks_tui.supervise.dating import LOOKED_WITHIN
from mcp_tasks_tui.supervise.publishing import FACTS_WAIT
from mcp_tasks_tui.supervise.reducer import apply
from mcp_tasks_tui.supervise.schedule import interval
from mcp_tasks_tui.supervise.watching import longest_gap, watch_after

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.handles.model import Snapshot
    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.supervise.applied import Applied
    from mcp_tasks_tui.supervise.ports import Clock
    from mcp_tasks_tui.supervise.publishing import Publisher
    from mcp_tasks_tui.supervise.roster import Roster, Watched
    from mcp_tasks_tui.supervise.server_line import Moment, ServerLine
    from mcp_tasks_tui.supervise.settings import EngineSettings
    from mcp_tasks_tui.supervise.writing import Writer

#: What a person can hear of half a second later.
_FACTS = frozenset({Change.MESSAGE, Change.FACTS})


class Observer:
    """Applies observations: the one place where what is known of a task changes by a reply."""

    def __init__(
        self,
        *,
        roster: Roster,
        clock: Clock,
        settings: EngineSettings,
        writer: Writer,
        publisher: Publisher,
        open_set_changed: Callable[[ServerLine], None],
        archived_observed: Callable[[Watched], None],
    ) -> None:
        self._roster = roster
        self._clock = clock
        self._settings = settings
        self._writer = writer
        self._publisher = publisher
        self._open_set_changed = open_set_changed
        self._archived_observed = archived_observed

    def observe(self, task: Watched, observation: TaskReply | RequestError) -> Applied:
        now = self._clock.now()
        known = task.snapshot
        applied = apply(
            known,
            observation,
            now,
            task_id=task.handle.task_id,
            trace=task.trace,
            answered=task.answered_keys(),
            gone_after=self._settings.gone_after,
            looked_within=self._looked_within(task),
        )
        was_live = task.live
        if applied.changes or applied.journal:
            task.pend().saw(observation, now, applied)
        task.snapshot, task.trace = applied.snapshot, applied.trace
        if not isinstance(observation, RequestError):
            self._note_watch(task, known, now)
            task.live = True
        self._keep(task, applied, known)
        self._note_server(task, observation, now, was_known=known.observed_at is not None)
        if Change.STATUS in applied.changes or known.state.ended != task.snapshot.state.ended:
            task.line.recount()
            self._publisher.servers_changed()
            self._open_set_changed(task.line)
        if task.archived:
            self._archived_observed(task)
        failed = isinstance(observation, RequestError)
        self._publish(task, applied, at_once=failed or not was_live)
        return applied

    def _publish(self, task: Watched, applied: Applied, *, at_once: bool) -> None:
        if at_once or applied.changes - _FACTS:
            self._publisher.changed(task)
        elif applied.changes or applied.journal:
            self._publisher.changed(task, within=FACTS_WAIT)
        else:
            self._publisher.read(task)

    def _keep(self, task: Watched, applied: Applied, known: Snapshot) -> None:
        """Have written what must last: results at once, the rest with the next batch."""
        if applied.has_result or (Change.STATUS in applied.changes and task.snapshot.state.ended):
            self._writer.now(task)
        elif applied.changes or applied.journal:
            self._writer.soon(task)
        elif self._became_stuck(task, known):
            task.pend()  # what is told once must be known after a crash, too
            self._writer.soon(task)
        else:
            self._writer.later(task)

    def _became_stuck(self, task: Watched, known: Snapshot) -> bool:
        if task.snapshot.observed_at is None or task.snapshot.observed_at < task.calm_until:
            return False  # by far the most reads
        return is_stuck(task.snapshot, task.answers, self._settings) and not is_stuck(
            known, task.answers, self._settings
        )

    def _looked_within(self, task: Watched) -> float:
        """Return how old a look may be for its task to be watched: news of some is pushed."""
        if not (task.live and task.covered):
            return LOOKED_WITHIN
        normal = interval(task.snapshot.poll_interval_ms, self._settings)
        return 1.5 * max(self._settings.pushed_poll, self._settings.pushed_intervals * normal)

    def _note_watch(self, task: Watched, known: Snapshot, now: float) -> None:
        """A good read was made: the watch goes on, or begins."""
        task.watch_gap = longest_gap(known, self._settings, covered=task.covered)
        since = watch_after(
            known, task.snapshot, task.answers, self._settings, now=now, gap=task.watch_gap
        )
        if since != task.snapshot.watched_since:
            task.snapshot = altered(task.snapshot, watched_since=since)

    def _note_server(
        self, task: Watched, observation: TaskReply | RequestError, now: float, *, was_known: bool
    ) -> None:
        """Tell a server that forgot everything from one task that is gone."""
        if isinstance(observation, NoSuchTask):
            lost = was_known and not task.snapshot.state.terminal
            changed = lost and task.line.vanished(task.key, now)
        else:
            changed = not isinstance(observation, RequestError) and task.line.knows(now)
        if changed:
            self.line_changed(task.line)

    def line_changed(self, line: ServerLine) -> None:
        """A server stands otherwise than before: it shows on its line, perhaps on its tasks."""
        self._publisher.servers_changed()
        moment = line.moment()
        entry = None if moment is None else _told(moment, line, self._clock.now())
        if not line.tells_tasks() and entry is None:
            return
        for task in self._roster.at(line.url).values():
            if not task.snapshot.state.ended:
                if entry is not None:
                    task.pend().tell(entry)
                    self._writer.soon(task)
                self._publisher.changed(task)


def _told(moment: Moment, line: ServerLine, now: float) -> JournalEntry:
    event = Event.SERVER_LOST if moment == "lost" else Event.SERVER_BACK
    return JournalEntry(now, event, ServerText(line.text) if line.text else None)

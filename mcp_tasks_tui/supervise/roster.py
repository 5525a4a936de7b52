"""The saved tasks and their servers as the engine holds them: mutable, on the event loop only."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_tasks_tui.handles.thinning import thinned
from mcp_tasks_tui.protocol.errors import RequestError
from mcp_tasks_tui.records import altered, record
from mcp_tasks_tui.supervise.answers import is_answer
from mcp_tasks_tui.supervise.applied import Change
from mcp_tasks_tui.supervise.journalling import Trace, in_order
from mcp_tasks_tui.supervise.problems import UnknownKey
from mcp_tasks_tui.supervise.watching import WATCH_GAP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_tasks_tui.handles.model import (
        AnswerRecord,
        Handle,
        JournalEntry,
        Json,
        Saved,
        Snapshot,
    )
    from mcp_tasks_tui.protocol.messages import TaskReply
    from mcp_tasks_tui.sanitize import ServerText
    from mcp_tasks_tui.supervise.applied import Applied
    from mcp_tasks_tui.supervise.progress import Track
    from mcp_tasks_tui.supervise.server_line import ServerLine
    from mcp_tasks_tui.supervise.view import Progress

#: Lines of the journal that wait for the disk, of one kind and task.
MOST_LINES = 200
#: Shared by the thousands of tasks that nothing was asked of: an empty set is 216 bytes.
_NO_KEYS: frozenset[str] = frozenset()
_NO_QUESTIONS: Mapping[str, Json] = {}
_NOTHING_TOLD = Trace()


@record
class Seen:
    """One observation at `at` (epoch seconds). `final`: it ended the task, or brought the result
    of one that had ended."""

    observation: TaskReply | RequestError
    at: float
    final: bool


@dataclass(slots=True, eq=False, repr=False)
class Pending:
    """What is known of a task and not on disk yet, so that it can be applied to a fresher state.

    `wishes` are snapshot fields that a person set here; they win over what another process saved.
    """

    seen: list[Seen] = field(default_factory=list)
    seen_lines: list[JournalEntry] = field(default_factory=list)
    wishes: dict[str, Any] = field(default_factory=dict)
    wish_lines: list[JournalEntry] = field(default_factory=list)
    result: Json = None
    has_result: bool = False
    #: What the journal told before the first of these observations.
    trace: Trace = field(default_factory=Trace)
    written: bool = False

    def saw(self, observation: TaskReply | RequestError, at: float, applied: Applied) -> None:
        ended = Change.STATUS in applied.changes or applied.has_result
        final = ended and applied.snapshot.state.terminal
        self.seen = _telling([*self.seen, Seen(observation, at, final)])
        self.tell(*applied.journal)
        if applied.has_result:
            self.result, self.has_result = applied.result, True

    def tell(self, *lines: JournalEntry) -> None:
        """Note lines of the journal about what was seen."""
        self.seen_lines = _first_and_last([*self.seen_lines, *lines])

    def wish(self, *lines: JournalEntry, **fields: Any) -> None:
        """Note what a person wants, with its lines of the journal."""
        self.wishes.update(fields)
        self.wish_lines = _first_and_last([*self.wish_lines, *lines])

    def lines(self) -> list[JournalEntry]:
        """Return the journal lines in the order in which things happened."""
        return in_order([*self.seen_lines, *self.wish_lines])

    def followed_by(self, later: Pending | None) -> Pending:
        """Return this, which could not be written, together with what came after it."""
        if later is None:
            return self
        return Pending(
            seen=_telling([*self.seen, *later.seen]),
            seen_lines=_first_and_last([*self.seen_lines, *later.seen_lines]),
            wishes={**self.wishes, **later.wishes},
            wish_lines=_first_and_last([*self.wish_lines, *later.wish_lines]),
            result=later.result if later.has_result else self.result,
            has_result=later.has_result or self.has_result,
            trace=self.trace,
        )


def _first_and_last(lines: list[JournalEntry]) -> list[JournalEntry]:
    """Return the lines without those in the middle that are too many, while no disk takes any."""
    half = MOST_LINES // 2
    return thinned(lines, most=MOST_LINES, first=half, last=half // 2)


def _telling(seen: list[Seen]) -> list[Seen]:
    """Return what the others add nothing to: the end, the last reply, a failed read since."""
    replies = [one for one in seen if not isinstance(one.observation, RequestError)]
    last = (*replies[-1:], *seen[-1:])
    return [one for one in seen if one.final or any(one is each for each in last)]


class Watched:
    """One saved task. `snapshot` is what is known now; `version` is of what the disk has."""

    __slots__ = (
        "answering",
        "answers",
        "calm_until",
        "covered",
        "handle",
        "line",
        "live",
        "parsed",
        "pending",
        "queued",
        "reading",
        "seen_when_archived",
        "snapshot",
        "trace",
        "track",
        "version",
        "watch_gap",
        "watched",
    )

    def __init__(self, saved: Saved, line: ServerLine, *, watched: bool) -> None:
        self.handle: Handle = saved.handle
        self.snapshot: Snapshot = saved.snapshot
        self.version = saved.version
        self.answers: dict[str, AnswerRecord] = dict(saved.answers)
        #: What it asked when it was archived: the rest nobody has seen.
        self.seen_when_archived = _asked_before(saved.handle.archived_at, saved.snapshot)
        self.line = line
        self.trace = Trace(asked=frozenset(saved.answers)) if saved.answers else _NOTHING_TOLD
        self.pending: Pending | None = None
        #: Read by itself; else only when a person asks.
        self.watched = watched
        #: A read since this program started has confirmed what is shown.
        self.live = False
        self.reading = False
        #: Due, and waiting for one of its server's slots.
        self.queued = False
        #: A listen stream acknowledged this task.
        self.covered = False
        #: Keys whose answer is on its way right now.
        self.answering = _NO_KEYS
        #: Good reads that lie further apart (seconds) are not of one watch.
        self.watch_gap = WATCH_GAP
        #: Until when reads that bring no news give it no reason for attention.
        self.calm_until = -math.inf
        #: The last message with what it says of progress, and the way of that progress.
        self.parsed: tuple[ServerText, Progress | None] | None = None
        self.track: Track | None = None

    @property
    def key(self) -> str:
        return self.handle.key

    @property
    def archived(self) -> bool:
        return self.handle.archived_at is not None

    @property
    def wants_push(self) -> bool:
        return self.watched and not (self.snapshot.state.ended or self.snapshot.held)

    def set_handle(self, handle: Handle, *, seen: Mapping[str, Json]) -> None:
        """Replace the handle; whoever changed it had seen these questions."""
        if handle.archived_at != self.handle.archived_at:
            self.seen_when_archived = _NO_QUESTIONS if handle.archived_at is None else seen
        self.handle = handle

    def set_handle_from_disk(self, saved: Saved) -> None:
        """Replace the handle by one that another process may have changed.

        What this one knew by then was there to see as well, though it is not on the disk yet.
        """
        at = saved.handle.archived_at
        seen = {**_asked_before(at, self.snapshot), **_asked_before(at, saved.snapshot)}
        self.set_handle(saved.handle, seen=seen)

    def hides_new_question(self) -> bool:
        """Tell whether it is archived and asks what nobody had seen then."""
        if not self.archived:
            return False
        now, then = self.snapshot.input_requests, self.seen_when_archived
        return any(key not in then or then[key] != question for key, question in now.items())

    def answered_keys(self) -> frozenset[str]:
        """Keys of the questions that an answer was, or may have been, sent for."""
        if not self.answers:
            return _NO_KEYS
        return frozenset(key for key, record in self.answers.items() if is_answer(record))

    def pend(self) -> Pending:
        """Return where to note what is not on disk yet."""
        if self.pending is None:
            self.pending = Pending(trace=self.trace)
        return self.pending

    def wish(self, *lines: JournalEntry, **fields: Any) -> None:
        """Set snapshot fields by a person's will, with their journal lines."""
        self.pend().wish(*lines, **fields)
        if fields:
            self.snapshot = altered(self.snapshot, **fields)


def _asked_before(at: float | None, snapshot: Snapshot) -> Mapping[str, Json]:
    """Return what the task asked when it was archived (epoch seconds), as far as is known."""
    asked_since = at is None or (snapshot.asked_at is not None and snapshot.asked_at >= at)
    return _NO_QUESTIONS if asked_since else snapshot.input_requests


class Roster:
    """Every saved task by its key, and every server by its URL."""

    def __init__(self) -> None:
        self._tasks: dict[str, Watched] = {}
        self._at: dict[str, dict[str, Watched]] = {}
        self.lines: dict[str, ServerLine] = {}

    def __iter__(self) -> Iterator[Watched]:
        return iter(self._tasks.values())

    def add(self, task: Watched) -> None:
        self._tasks[task.key] = task
        self._at.setdefault(task.line.url, {})[task.key] = task

    def get(self, key: str) -> Watched | None:
        return self._tasks.get(key)

    def at(self, url: str) -> Mapping[str, Watched]:
        """Return the tasks of one server by key, now and from now on."""
        return self._at.setdefault(url, {})

    def task(self, key: str) -> Watched:
        """Return the task of that key.

        Raises:
            UnknownKey: no saved task has it.
        """
        task = self._tasks.get(key)
        if task is None:
            raise UnknownKey(key)
        return task

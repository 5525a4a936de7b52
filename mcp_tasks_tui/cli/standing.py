"""How tasks that are waited for stand, beside their servers, and what is waited for in vain."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mcp_tasks_tui.cli.exits import Exit, of_task
from mcp_tasks_tui.cli.output import at_server
from mcp_tasks_tui.supervise.server_view import Health
from mcp_tasks_tui.supervise.words import counted, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_tasks_tui.supervise.server_view import ServerView
    from mcp_tasks_tui.supervise.supervisor import Supervisor
    from mcp_tasks_tui.supervise.view import TaskView

#: Seconds without a break for which a task cannot be read before it is given up.
PATIENCE = 600.0
#: A server that never took us for its client since we began is given up after this many answers
#: in a row that are of no use.
_USELESS_ANSWERS = 3
#: Where a task was read before, a server that starts may be behind something that garbles its
#: first words: so many in a row take half a minute or more.
_GARBLED_ANSWERS = 5
#: Faults that another poll cannot mend: of one read, and of a whole server.
_HOPELESS_KINDS = frozenset({"auth", "not-sent", "unsupported-version"})
_HOPELESS_HEALTH = frozenset({Health.AUTH, Health.UNUSABLE})
#: Faults of a server that is away, or starts, or has too much to do: it may come back.
_AWAY_KINDS = frozenset({"unreachable", "timeout", "http", "rate-limited"})
#: These hold the reads of all tasks of a server.
_HOLDING_HEALTH = _HOPELESS_HEALTH | {Health.DOWN}


class Standing:
    """How the tasks that are waited for stand, beside their servers.

    What was only remembered when we began, a failed read too, is not believed: it may be
    otherwise by now.
    """

    def __init__(self, supervisor: Supervisor, keys: Sequence[str]) -> None:
        self._supervisor = supervisor
        self._keys = keys
        self.views: list[TaskView] = []
        self._servers: dict[str, ServerView] = {}
        self._lost: set[str] = set()
        #: What was said of how long each server that is away is waited for.
        self._away: dict[str, str] = {}
        #: Since when each task cannot be read (time of the event loop).
        self._failing_since: dict[str, float] = {}
        #: Answers of no use in a row, and when the read was that was counted last.
        self._useless: dict[str, int] = {}
        self._counted: dict[str, float | None] = {}
        self._before = {view.key: view.snapshot.read for view in self._now()}

    def look(self) -> Iterator[str]:
        """Take in how tasks and servers stand now; yield which servers went away or came back."""
        self.views = self._now()
        by_server: dict[str, list[TaskView]] = {}
        for view in self.views:
            if not view.state.terminal:
                by_server.setdefault(view.handle.server_url, []).append(view)
        for views in by_server.values():
            self._count_useless(views)
        known = {server.url: server for server in self._supervisor.servers()}
        self._servers = {url: known[url] for url in by_server if url in known}
        self._lost = {
            url for url, server in self._servers.items() if self._is_lost(server, by_server[url])
        }
        now = asyncio.get_running_loop().time()
        for view in self.views:
            if self._failing(view):
                self._failing_since.setdefault(view.key, now)
            else:
                self._failing_since.pop(view.key, None)
        return self._comings_and_goings()

    def was_read(self, view: TaskView) -> bool:
        """A read since we began has shown it, or has failed; not only what was saved before."""
        return view.live or view.snapshot.read.at != self._before[view.key].at

    def settled(self, view: TaskView) -> bool:
        """Nothing more comes without a person: ended, asking, or out of reach for good."""
        if view.state.terminal or self._hopeless(view):
            return True
        return self._told(view)

    def outcome(self, view: TaskView) -> Exit:
        return Exit.UNREACHABLE if self._hopeless(view) else of_task(view)

    def without_hope(self) -> Iterator[str]:
        """Yield one line for each server that some of the tasks wait for in vain."""
        for url, server in self._servers.items():
            there = [view for view in self.views if view.handle.server_url == url]
            number = sum(map(self._hopeless, there))
            if number and server.text:
                told = f"{at_server(server.name, url)}: {server.text}"
                yield f"{told} ({counted(number, 'task')} not read)"

    def patience(self) -> float | None:
        """Return in how many seconds the next task is given up, None where none is away."""
        if not self._failing_since:
            return None
        waiting = [
            since
            for view in self.views
            if not self.settled(view) and (since := self._failing_since.get(view.key)) is not None
        ]
        if not waiting:
            return None
        return max(min(waiting) + PATIENCE - asyncio.get_running_loop().time(), 0.0)

    def _now(self) -> list[TaskView]:
        found = map(self._supervisor.view, self._keys)
        return [view for view in found if view is not None]

    def _comings_and_goings(self) -> Iterator[str]:
        for url, server in self._servers.items():
            name, before = at_server(server.name, url), self._away.get(url)
            if server.health is Health.OK and before is not None:
                del self._away[url]
                yield f"{name}: answers again"
            patience = None if url in self._lost else self._how_long(url, server)
            if patience is not None and patience != before:
                self._away[url] = patience
                yield f"{name}: {server.text}; {patience}"

    def _how_long(self, url: str, server: ServerView) -> str | None:
        """Say how long a server is waited for, None where it is not away."""
        if server.health is Health.LIMITED:
            return "`wait` goes on later"
        if server.health is not Health.DOWN:
            return None
        there = [view for view in self.views if view.handle.server_url == url]
        if any(self._useless.get(view.key) for view in there):
            return "`wait` tries a few times more"
        return f"`wait` keeps trying, and gives up when it was away for {duration(PATIENCE)}"

    def _told(self, view: TaskView) -> bool:
        """A read since we began tells that it is gone, or of a question."""
        if view.state.ended:
            return self._not_found(view)
        return view.live and bool(view.open_requests)

    def _failing(self, view: TaskView) -> bool:
        if view.state.terminal or self._told(view):
            return False
        server = self._servers.get(view.handle.server_url)
        if server is not None and server.health is Health.LIMITED:
            return False  # it is there, and told us to wait
        if server is not None and server.health in _HOLDING_HEALTH:
            return True
        read = view.snapshot.read
        return not read.ok and self._was_read_anew(view) and read.error_kind != "no-such-task"

    def _hopeless(self, view: TaskView) -> bool:
        if view.state.terminal or self._told(view):
            return False
        since = self._failing_since.get(view.key)
        if since is None:
            return False
        if asyncio.get_running_loop().time() - since >= PATIENCE:
            return True
        if view.live:
            return False
        if view.handle.server_url in self._lost:
            return True
        hopeless = view.snapshot.read.error_kind in _HOPELESS_KINDS and self._was_read_anew(view)
        return hopeless or self._useless.get(view.key, 0) >= _enough(view)

    def _is_lost(self, server: ServerView, views: Sequence[TaskView]) -> bool:
        """One probe stands for all tasks of a server: its failures count for each of them."""
        if any(view.live or self._not_found(view) for view in views):
            return False
        useless = sum(self._useless.get(view.key, 0) for view in views)
        return server.health in _HOPELESS_HEALTH or useless >= max(map(_enough, views))

    def _count_useless(self, views: Sequence[TaskView]) -> None:
        """Note how often in a row the one server of `views` answered what is of no use to us."""
        for view in sorted(views, key=lambda each: each.snapshot.read.at or 0.0):
            read = view.snapshot.read
            if read.at == self._counted.get(view.key, self._before[view.key].at):
                continue
            self._counted[view.key] = read.at
            if _is_useless(view):
                self._useless[view.key] = self._useless.get(view.key, 0) + 1
            elif read.error_kind in _AWAY_KINDS:
                for each in views:  # it was none of this server's words: it may be starting
                    self._useless.pop(each.key, None)
            else:
                self._useless.pop(view.key, None)

    def _was_read_anew(self, view: TaskView) -> bool:
        return view.snapshot.read.at != self._before[view.key].at

    def _not_found(self, view: TaskView) -> bool:
        return self._was_read_anew(view) and view.snapshot.read.error_kind == "no-such-task"


def _is_useless(view: TaskView) -> bool:
    """Tell whether something answered the last read with what is of no use to us."""
    read = view.snapshot.read
    if read.ok or read.error_kind in _AWAY_KINDS or read.error_kind == "no-such-task":
        return False
    # A server that was there before: a gateway says so while it starts.
    return not (read.error_kind == "not-served" and view.snapshot.observed_at is not None)


def _enough(view: TaskView) -> int:
    """Return after how many such answers in a row another one is not waited for."""
    snapshot = view.snapshot
    garbled = snapshot.read.error_kind == "not-http" and snapshot.observed_at is not None
    return _GARBLED_ANSWERS if garbled else _USELESS_ANSWERS

"""What the columns of the list of tasks have to hold, by what was seen so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from mcp_tasks_tui.supervise.view import Coverage
from mcp_tasks_tui.supervise.words import STEP, short_age, title
from mcp_tasks_tui.ui.listing.columns import Needs
from mcp_tasks_tui.ui.listing.rows import tells_next_read
from mcp_tasks_tui.ui.servers import server_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_tasks_tui.supervise.view import TaskView

#: Cells that the longest name of a task or a server asks for at most.
_LONGEST = 40
#: The share of the names that the column is made for: a few long ones are no reason to leave others
#: out of all rows.
_MOST = 0.8
#: A sign and a blank before the name of a server that is not read.
_SIGN = 2
#: Seconds for which rows have to differ before the column that says how joins, or is wider.
_LASTS = 10.0


class TaskWidths:
    """Only ever grows until a person arranges the list otherwise: columns that jump back and
    forth cannot be read. `now` in epoch seconds."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """The list shows other tasks: start anew."""
        #: How wide the name of each task is, and how many are as wide as that.
        self._names: dict[str, int] = {}
        self._as_wide = [0] * (_LONGEST + 1)
        self._name = 0
        self._longest = 0
        self._server = 0
        self._servers: set[str] = set()
        self._paused: set[str] = set()
        self._progress = False
        #: When the first and the last of them were saved.
        self._saved: tuple[float, float] | None = None
        #: Tasks whose reading says something of its own.
        self._read: set[str] = set()
        self._failing: set[str] = set()
        #: Tasks of which the next read is told.
        self._next: set[str] = set()
        self._asks_read = _Lasting()
        self._asks_next = _Lasting()
        self._asks_age = _Lasting()

    def take_in(
        self,
        views: Iterable[TaskView],
        now: float,
        shown: Callable[[TaskView], bool],
        *,
        seen: bool = False,
    ) -> None:
        """Look at these tasks too, as far as the list shows them.

        Of those that are not `seen` mere reads are not told: they may be fresher than they look.
        """
        for view in views:
            self._read.discard(view.key)
            self._failing.discard(view.key)
            self._next.discard(view.key)
            self._take_name(view, shown=shown(view))
            if view.key not in self._names:
                continue
            self._take_server(view)
            saved = view.handle.saved_at
            first, last = self._saved or (saved, saved)
            self._saved = min(first, saved), max(last, saved)
            self._progress |= view.progress is not None and not view.state.ended
            if _read_matters(view, now if seen else None):
                self._read.add(view.key)
                if view.snapshot.read.failures:
                    self._failing.add(view.key)
            if tells_next_read(view):
                self._next.add(view.key)
        self._name = max(self._name, self._most_names())
        self._settle(now)

    def _take_name(self, view: TaskView, *, shown: bool) -> None:
        if view.key in self._names:
            self._as_wide[self._names.pop(view.key)] -= 1
        if shown:
            width = min(cell_len(title(view.handle)), _LONGEST)
            self._names[view.key] = width
            self._as_wide[width] += 1
            self._longest = max(self._longest, width)

    def _most_names(self) -> int:
        """Return the cells in which most of the names fit, never all: one alone says nothing of the
        others that may come, and no width is taken back."""
        left = int(len(self._names) * _MOST)
        for width, count in enumerate(self._as_wide):
            left -= count
            if left <= 0:
                return width
        return _LONGEST

    def _take_server(self, view: TaskView) -> None:
        paused = view.coverage is Coverage.PAUSED
        known = self._paused if paused else self._servers
        if view.server not in known:
            self._servers.add(view.server)
            known.add(view.server)
            word = min(cell_len(server_word(view.server, view.handle.server_url)), _LONGEST)
            self._server = max(self._server, word + (_SIGN if paused else 0))

    def needs(self, now: float, *, server: bool) -> Needs:
        """Return what the columns have to hold; `server`: name the server in each row."""
        named = server and len(self._servers) > 1
        self._settle(now)
        return Needs(
            self._name,
            self._server if named else 0,
            self._progress,
            read=self._asks_read.answer,
            next=self._asks_next.answer,
            age=self._asks_age.answer,
            longest=self._longest,
        )

    def _settle(self, now: float) -> None:
        self._asks_read.settle(bool(self._read), now, at_once=bool(self._failing))
        self._asks_next.settle(bool(self._next), now, at_once=bool(self._failing))
        ages = {short_age(now - saved) for saved in self._saved or ()}
        self._asks_age.settle(len(ages) > 1, now)


class _Lasting:
    """Whether a column has something to say. It joins for what lasts, else the columns would
    change under the eyes at each first read; and then it stays."""

    def __init__(self) -> None:
        self.answer = False
        self._asked = False
        self._since: float | None = None

    def settle(self, answer: bool, now: float, *, at_once: bool = False) -> None:
        """Take in what the answer is `now`; the first one counts, and one that does `at_once`."""
        if not answer:
            self._since = None
        elif not self._asked or at_once:
            self.answer = True
        elif self._since is None:
            self._since = now
        elif now - self._since >= _LASTS:
            self.answer = True
        self._asked = True


def _read_matters(view: TaskView, now: float | None) -> bool:
    """Tell whether a row says of its reading what no other place of the list does.

    It does where a read failed, or where what is shown is old by now or will be before the next
    read; that news come by themselves, or within seconds, is the same for most.
    """
    read = view.snapshot.read
    if view.state.ended or view.coverage not in (Coverage.POLLED, Coverage.PUSHED):
        return False
    if read.failures:
        return True
    if view.coverage is Coverage.PUSHED or read.at is None:
        return False
    last = view.snapshot.observed_at or read.at
    return max(now or last, view.next_read_at or last) - last >= STEP

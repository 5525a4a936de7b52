"""Which tasks of the list are marked as changed, and for how long (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp_tasks_tui.supervise.view import TaskView

#: Seconds for which a change of state or message is marked.
LASTS = 2.0


class Changes:
    """Times are in epoch seconds."""

    def __init__(self) -> None:
        #: Until when the change of a task is marked.
        self._until: dict[str, float] = {}
        #: Tasks that changed while the rows were held where they are.
        self._in_place: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._until

    def note(
        self, views: Iterable[TaskView], known: Mapping[str, TaskView], now: float, *, held: bool
    ) -> None:
        """Mark those that tell something else than what is `known`; `held`: in their places."""
        changed = {view.key for view in views if _tells_news(known.get(view.key), view)}
        self._mark(changed, now)
        if held:
            self._in_place |= changed

    def mark_again(self, now: float) -> None:
        """Mark what changed in its place once more: it may be somewhere else from now on."""
        self._mark(self._in_place, now)

    def take_in_place(self) -> set[str]:
        """Take out and return what changed in its place."""
        taken, self._in_place = self._in_place, set()
        return taken

    def fade(self, now: float) -> set[str]:
        """Take out and return what has been marked for long enough."""
        faded = {key for key, until in self._until.items() if until <= now}
        for key in faded:
            del self._until[key]
        return faded

    def _mark(self, keys: Iterable[str], now: float) -> None:
        self._until.update(dict.fromkeys(keys, now + LASTS))


def _tells_news(old: TaskView | None, new: TaskView) -> bool:
    return old is None or old.state is not new.state or old.message != new.message

"""Which tasks get another place in the list by the passing of time alone (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_tasks_tui.supervise.arrange import moves_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_tasks_tui.supervise.view import TaskView


class Lapses:
    """Moments in epoch seconds. What ended badly is news for a while and then sinks."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}

    def note(self, views: Iterable[TaskView], now: float) -> None:
        """Take in changed and new tasks."""
        for view in views:
            moment = moves_at(view)
            if moment is not None and moment > now:
                self._moments[view.key] = moment
            else:
                self._moments.pop(view.key, None)

    def due(self, now: float) -> list[str]:
        """Return the keys of those whose moment came, each once."""
        due = [key for key, moment in self._moments.items() if moment <= now]
        for key in due:
            del self._moments[key]
        return due

"""How a person reads a task: what is the same in panel and viewer, and kept over restarts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from mcp_tasks_tui.records import record
from mcp_tasks_tui.ui.widgets.panel.kinds import Kind, next_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOCK_TIMES, _UTC, _NEWEST_FIRST = "clock_times", "utc", "newest_first"


@record
class Reading:
    """`absolute`: times as clock times, else as ages; `utc`: clock times are of UTC, else of this
    machine's zone. `newest_first`: the journal upside down; `kind`: only lines of one kind in it,
    which the next run does not begin with."""

    absolute: bool = False
    utc: bool = False
    newest_first: bool = False
    kind: Kind | None = None

    def other_times(self) -> Self:
        """Return the next way to tell times: ages, then local times, then those of UTC."""
        local = self.absolute and not self.utc  # as they are now
        return replace(self, absolute=local or not self.absolute, utc=local)

    def other_zone(self) -> Self:
        """Return the other zone of clock times, where all times are such."""
        return replace(self, utc=not self.utc)

    def other_order(self) -> Self:
        return replace(self, newest_first=not self.newest_first)

    def other_kind(self) -> Self:
        return replace(self, kind=next_kind(self.kind))

    def remembered(self) -> dict[str, Any]:
        return {_CLOCK_TIMES: self.absolute, _UTC: self.utc, _NEWEST_FIRST: self.newest_first}

    @classmethod
    def recalled(cls, kept: Mapping[str, Any]) -> Self:
        """Return the choice that was kept; what cannot be understood is as usual."""
        return cls(
            absolute=kept.get(_CLOCK_TIMES) is True,
            utc=kept.get(_UTC) is True,
            newest_first=kept.get(_NEWEST_FIRST) is True,
        )

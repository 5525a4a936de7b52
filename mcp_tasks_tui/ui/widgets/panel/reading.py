"""How a person reads a task: what is the same in panel and viewer, and kept over restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from mcp_tasks_tui.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLOCK_TIMES, _NEWEST_FIRST = "clock_times", "newest_first"


@record
class Reading:
    """`absolute`: times as clock times, else as ages. `newest_first`: the journal upside down."""

    absolute: bool = False
    newest_first: bool = False

    def remembered(self) -> dict[str, Any]:
        return {_CLOCK_TIMES: self.absolute, _NEWEST_FIRST: self.newest_first}

    @classmethod
    def recalled(cls, kept: Mapping[str, Any]) -> Self:
        """Return the choice that was kept; what cannot be understood is as usual."""
        return cls(kept.get(_CLOCK_TIMES) is True, kept.get(_NEWEST_FIRST) is True)

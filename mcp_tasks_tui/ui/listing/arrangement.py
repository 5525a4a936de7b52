"""The order, the groups and the filter that a person has chosen, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy, group_of, order_of
from mcp_tasks_tui.supervise.filter import Filter, parse_filter
from mcp_tasks_tui.ui.listing.model import Arrangement

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.listing.model import GroupKey

EVERYTHING = parse_filter("")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen; archived tasks are hidden unless asked for."""

    sort: SortBy = SortBy.ATTENTION
    group: GroupBy = GroupBy.NONE
    filter: Filter = field(default=EVERYTHING)
    archived: bool = False

    def next_sort(self) -> Self:
        return replace(self, sort=_after(self.sort, SortBy))

    def next_group(self) -> Self:
        return replace(self, group=_after(self.group, GroupBy))

    @property
    def server_column(self) -> bool:
        """The server needs a column of its own: its groups do not name it."""
        return self.group is not GroupBy.SERVER

    def shows(self, view: TaskView) -> bool:
        """Tell whether the list has the task.

        An archived task that waits for an answer is shown whatever is chosen: it needs a person.
        """
        hidden = view.archived and not view.open_requests
        if hidden and not (self.archived or self.filter.names_archived):
            return False
        return self.filter(view)

    def arrangement(self) -> Arrangement:
        group: Callable[[TaskView], GroupKey] | None = None
        if self.group is not GroupBy.NONE:
            group = partial(group_of, by=self.group)
        return Arrangement(order=partial(order_of, by=self.sort), shown=self.shows, group=group)


_Word = TypeVar("_Word", bound="StrEnum")


def _after(word: _Word, kind: type[_Word]) -> _Word:
    words = list(kind)
    return words[(words.index(word) + 1) % len(words)]

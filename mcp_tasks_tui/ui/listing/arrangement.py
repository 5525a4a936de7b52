"""The order, the groups and the filter that a person has chosen, as one value."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from mcp_tasks_tui.records import record
from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy, group_of, order_of
from mcp_tasks_tui.supervise.filter import Filter, parse_filter
from mcp_tasks_tui.ui.listing.columns import Column
from mcp_tasks_tui.ui.listing.model import Arrangement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

    from mcp_tasks_tui.supervise.view import TaskView
    from mcp_tasks_tui.ui.listing.model import GroupKey

EVERYTHING = parse_filter("")
_SORTS = {
    Column.STATE: SortBy.STATE,
    Column.NAME: SortBy.LABEL,
    Column.SERVER: SortBy.SERVER,
    Column.PROGRESS: SortBy.PROGRESS,
    Column.MESSAGE: SortBy.ATTENTION,
    Column.CHANGED: SortBy.CHANGED,
    Column.AGE: SortBy.AGE,
}


@record
class Choice:
    """What is chosen; archived tasks are hidden unless asked for."""

    sort: SortBy = SortBy.ATTENTION
    group: GroupBy = GroupBy.NONE
    filter: Filter = field(default=EVERYTHING)
    archived: bool = False
    reverse: bool = False

    def next_sort(self) -> Self:
        return replace(self, sort=_after(self.sort, SortBy))

    def reversed(self) -> Self:
        return replace(self, reverse=not self.reverse)

    def sorted_by(self, column: Column) -> Self:
        """Return the order that the heading of a column stands for."""
        sort = _SORTS.get(column)
        return self if sort is None else self.by(sort)

    def by(self, sort: SortBy) -> Self:
        """Return this order; once more: upside down."""
        return replace(self, sort=sort, reverse=sort is self.sort and not self.reverse)

    def next_group(self) -> Self:
        return replace(self, group=_after(self.group, GroupBy))

    @property
    def server_column(self) -> bool:
        """The server needs a column of its own: its groups do not name it."""
        return self.group is not GroupBy.SERVER

    @property
    def column(self) -> Column | None:
        """The column that the list is sorted by, None in the usual order."""
        usual = self.sort is SortBy.ATTENTION and not self.reverse
        return None if usual else next(key for key, sort in _SORTS.items() if sort is self.sort)

    def shows(self, view: TaskView) -> bool:
        """Tell whether the list has the task.

        A person may archive a task that waits for an answer: only a question that is asked
        afterwards brings it back, and that clears the mark itself.
        """
        if view.archived and not (self.archived or self.filter.names_archived):
            return False
        return self.filter(view)

    def arrangement(self, now: Callable[[], float]) -> Arrangement:
        """Return how a list is arranged; `now` gives epoch seconds, for what is news."""
        group: Callable[[TaskView], GroupKey] | None = None
        if self.group is not GroupBy.NONE:
            group = partial(group_of, by=self.group)

        def order(view: TaskView) -> Any:
            return order_of(view, self.sort, reverse=self.reverse, now=now())

        return Arrangement(order=order, shown=self.shows, group=group)

    def words(self) -> list[str]:
        """Return what is not as usual about the order and what is shown."""
        sort = [f"sorted by {self.sort.value}"] if self.sort is not SortBy.ATTENTION else []
        upside = ["reversed"] if self.reverse else []
        group = [f"grouped by {self.group.value}"] if self.group is not GroupBy.NONE else []
        return [*sort, *upside, *group, *(["archived too"] if self.archived else [])]

    def told(self, before: Choice) -> str:
        """Return in one line what a person changed since `before`, empty for nothing of this.

        The heading of the sorted column may not be in view, nor the words about the order.
        """
        said = []
        if (self.sort, self.reverse) != (before.sort, before.reverse):
            usual = " (usual order)" if self.column is None else ""
            said.append(f"sorted by {self.sort.value}{', reversed' if self.reverse else usual}")
        if self.group is not before.group:
            by = self.group is not GroupBy.NONE
            said.append(f"grouped by {self.group.value}" if by else "not grouped")
        if self.archived is not before.archived:
            said.append(f"archived tasks are {'shown too' if self.archived else 'hidden'}")
        return ", ".join(said)

    # --- over restarts -------------------------------------------------------------------
    def remembered(self) -> dict[str, Any]:
        """Return what is kept over restarts: the order and the groups, never a filter."""
        return {"sort": self.sort.value, "group": self.group.value, "reverse": self.reverse}

    @classmethod
    def recalled(cls, kept: Mapping[str, Any]) -> Self:
        """Return the choice that was kept; what cannot be understood is as usual."""
        return cls(
            sort=_word(SortBy, kept.get("sort"), SortBy.ATTENTION),
            group=_word(GroupBy, kept.get("group"), GroupBy.NONE),
            reverse=kept.get("reverse") is True,
        )


_Word = TypeVar("_Word", bound="StrEnum")


def _word(kind: type[_Word], value: object, usual: _Word) -> _Word:
    return next((word for word in kind if word.value == value), usual)


def _after(word: _Word, kind: type[_Word]) -> _Word:
    words = list(kind)
    return words[(words.index(word) + 1) % len(words)]

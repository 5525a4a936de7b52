"""What a person arranges is told in one line, be the columns that show it in view or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy
from mcp_tasks_tui.supervise.filter import parse_filter
from mcp_tasks_tui.ui.listing.arrangement import Choice
from tests.ui.running import press, running, three_tasks, toasts

_USUAL = Choice()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (_USUAL, _USUAL, ""),
        (_USUAL, replace(_USUAL, filter=parse_filter("x")), ""),
        (_USUAL, Choice(sort=SortBy.CHANGED), "sorted by last change"),
        (Choice(sort=SortBy.CHANGED), _USUAL, "sorted by attention (usual order)"),
        (_USUAL, Choice(reverse=True), "sorted by attention, reversed"),
        (Choice(reverse=True), _USUAL, "sorted by attention (usual order)"),
        (_USUAL, Choice(group=GroupBy.SERVER), "grouped by server"),
        (Choice(group=GroupBy.SERVER), _USUAL, "not grouped"),
        (_USUAL, Choice(archived=True), "archived tasks are shown too"),
        (Choice(archived=True), _USUAL, "archived tasks are hidden"),
    ],
)
def test_what_changed_of_the_arrangement_is_told(before: Choice, after: Choice, told: str) -> None:
    assert after.told(before) == told


async def test_each_key_that_arranges_the_list_tells_how_in_place_of_the_one_before() -> None:
    async with running(three_tasks(), size=(60, 15)) as (app, pilot):
        told = []
        for key in ("s", "S", "g", "D"):
            await press(pilot, key)
            told += toasts(app)
        assert told == [
            f"sorted by {list(SortBy)[1].value}",
            f"sorted by {list(SortBy)[1].value}, reversed",
            f"grouped by {list(GroupBy)[1].value}",
            "archived tasks are shown too",
        ]

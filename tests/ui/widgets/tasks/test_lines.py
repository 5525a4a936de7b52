"""Where all tasks have room for two lines each has two; otherwise each has one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcp_tasks_tui.supervise.arrange import GroupBy
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.listing.lines import Lines
from mcp_tasks_tui.ui.listing.model import GroupRow, ListModel
from tests.ui.fakes import NOW, a_task


def _model(count: int, *, group: GroupBy = GroupBy.NONE) -> ListModel:
    model = ListModel(Choice(group=group).arrangement(lambda: NOW))
    model.replace(
        a_task(f"t{n}", server="ab"[n % 2], server_url=f"http://{'ab'[n % 2]}/", saved_at=NOW - n)
        for n in range(count)
    )
    return model


def test_a_few_tasks_have_two_lines_each_and_many_have_one() -> None:
    model = _model(3)
    lines = Lines(model)
    lines.arrange(30)
    assert (lines.roomy, len(lines), lines.of_a_task) == (True, 6, 2)
    assert [lines.at(line) for line in (0, 1, 2, 6, -1)] == [
        ("t0", 0),
        ("t0", 1),
        ("t1", 0),
        (None, 0),
        (None, 0),
    ]
    assert [lines.first(key) for key in ("t0", "t2", "nobody")] == [0, 4, None]
    lines.arrange(5)
    assert (lines.roomy, len(lines), lines.of_a_task) == (False, 3, 1)
    assert [lines.at(line) for line in (0, 2, 3)] == [("t0", 0), ("t2", 0), (None, 0)]
    assert lines.first("t2") == 2


def test_headings_have_one_line() -> None:
    lines = Lines(_model(3, group=GroupBy.SERVER))
    lines.arrange(30)
    assert [lines.at(line) for line in range(len(lines))] == [
        (GroupRow("a", 2), 0),
        ("t0", 0),
        ("t0", 1),
        ("t2", 0),
        ("t2", 1),
        (GroupRow("b", 1), 0),
        ("t1", 0),
        ("t1", 1),
    ]


@pytest.mark.parametrize("page", range(1, 40))
def test_one_task_more_or_less_does_not_make_the_list_jump_to_and_fro(page: int) -> None:
    model = _model(6)
    lines = Lines(model)
    lines.arrange(page)
    seen = []
    for n in range(8):
        ends = n % 2 == 0
        handle = replace(model.views["t5"].handle, archived_at=NOW if ends else None)
        model.update([replace(model.views["t5"], handle=handle)])
        lines.arrange(page)
        seen.append(lines.roomy)
    assert len(set(seen[1:])) == 1


def test_all_lines_of_a_roomy_list_are_seen_at_once() -> None:
    for count in range(12):
        for page in range(1, 30):
            lines = Lines(_model(count))
            lines.arrange(page)
            assert not lines.roomy or len(lines) <= page

"""A document as a tree: rows open and close, and a search opens what hides a match."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_tasks_tui.ui.documents.tree_rows import (
    GROUP,
    Group,
    Path,
    Tree,
    matches,
    part_of,
    spell,
    tree_line,
)
from mcp_tasks_tui.ui.widgets.lines.pieces import plain, width_of


def test_a_small_document_starts_open_and_a_large_one_does_not() -> None:
    assert len(Tree({"a": {"b": [1, 2]}}).rows) == 5
    large = Tree({"a": list(range(50_000))})
    assert [row.path for row in large.rows] == [(), ("a",)]


def test_rows_open_and_close() -> None:
    tree = Tree({"a": list(range(100)), "b": 1})
    assert tree.open(1)
    assert len(tree.rows) == 103
    assert not tree.open(1)
    assert tree.parent(50) == 1
    assert tree.close(1)
    assert len(tree.rows) == 3
    assert not tree.open(2)


def test_a_million_children_open_in_groups() -> None:
    tree = Tree(list(range(1_000_000)))
    assert len(tree.rows) == 1_000_000 // GROUP + 1
    tree.open(1)
    assert tree.rows[2].value == 0
    assert len(tree.rows) == 1_000_000 // GROUP + 1 + GROUP
    assert "".join(each.text for each in tree_line(tree.rows[1])).endswith("▾ 0 … 499")


def test_search_opens_what_hides_a_match() -> None:
    value = {"list": [{"name": f"n{i}"} for i in range(2000)], "x": {"deep": "Needle"}}
    tree = Tree(value)
    hits: list[Path] = [path for path in matches(value, "needle") if path]
    assert hits == [("x", "deep")]
    assert tree.rows[tree.reveal(hits[0])].value == "Needle"
    (hit,) = [path for path in matches(value, "n1999") if path]
    row = tree.reveal(hit)
    assert tree.rows[row].value == "n1999"
    assert spell(tree.rows[row].path) == "list[1999].name"


def test_a_search_goes_as_deep_as_json_can_be_read_and_deeper() -> None:
    deep: Any = "bottom"
    for _ in range(2_000):
        deep = [deep]
    path = next(path for path in matches(deep, "bottom") if path)
    assert len(path) == 2_000


@pytest.mark.parametrize(
    "value",
    [None, True, 7, 1.5, 10**5000, "", "x" * 10_000, [], {}, {"": 1}, {"[/foo]\x1b": "[@click=x]"}],
    ids=range(11),
)
def test_every_value_has_a_clean_short_row(value: Any) -> None:
    for row in Tree(value).rows:
        line = tree_line(row)
        assert width_of(line) < 700
        assert "\x1b" not in plain(line)


def test_a_tree_with_another_value_stays_as_open_as_it_was() -> None:
    tree = Tree({"a": {"b": [1, 2]}, "c": {"d": 1}, "e": 1})
    tree.close(tree.reveal(("a", "b")))
    tree.close(tree.reveal(("c",)))
    other = Tree({"a": {"b": [1, 2, 3]}, "c": {"d": 2}, "f": {"g": 1}})
    other.open_as(tree)
    assert [row.path for row in other.rows] == [
        (),
        ("a",),
        ("a", "b"),
        ("c",),
        ("f",),
        ("f", "g"),
    ]
    assert other.rows[other.nearest(("a", "b", 1))].path == ("a", "b")
    assert other.nearest(("gone",)) == 0


@pytest.mark.parametrize("many", [list(range(1200)), {f"k{n}": n for n in range(1200)}])
def test_a_group_is_the_values_in_it(many: Any) -> None:
    tree = Tree({"many": many})
    tree.open(1)
    taken = [part_of(row) for row in tree.rows if row.path and isinstance(row.path[-1], Group)]
    assert [len(each) for each in taken] == [500, 500, 200]
    assert next(iter(taken[1])) == list(many)[500]
    assert part_of(tree.rows[0]) == {"many": many}

"""Cursor and marks belong to tasks: whatever comes, goes or moves, they stay with theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import State
from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy, arrange, group_of
from mcp_tasks_tui.supervise.filter import parse_filter
from mcp_tasks_tui.supervise.view import Reason
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.listing.model import GroupRow, ListModel
from tests.ui.fakes import NOW, a_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_tasks_tui.supervise.view import TaskView

_KEYS = [f"t{n}" for n in range(12)]
_FILTERS = [
    parse_filter(text) for text in ("", "is:running", "server:a", "-server:a", "nothing-is")
]

_views = st.builds(
    lambda key, state, server, label, stuck, saved, changed, archived: a_task(
        key,
        state,
        server=server,
        server_url=f"http://{server}/mcp",
        label=label,
        attention=[Reason.STUCK] if stuck else (),
        saved_at=NOW - saved,
        changed_at=NOW - changed,
        archived_at=NOW if archived else None,
    ),
    key=st.sampled_from(_KEYS),
    state=st.sampled_from(State),
    server=st.sampled_from(["a", "b"]),
    label=st.sampled_from(["build 2", "build 10", "crawl", ""]),
    stuck=st.booleans(),
    saved=st.integers(0, 5),
    changed=st.integers(0, 5),
    archived=st.booleans(),
)
_steps = st.one_of(
    st.tuples(st.just("update"), st.lists(_views, max_size=4, unique_by=lambda v: v.key)),
    st.tuples(st.just("replace"), st.lists(_views, max_size=12, unique_by=lambda v: v.key)),
    st.tuples(st.just("sort"), st.sampled_from(SortBy)),
    st.tuples(st.just("reverse"), st.booleans()),
    st.tuples(st.just("group"), st.sampled_from(GroupBy)),
    st.tuples(st.just("filter"), st.sampled_from(_FILTERS)),
    st.tuples(st.just("archived"), st.booleans()),
    st.tuples(st.just("move"), st.integers(-4, 4)),
    st.tuples(st.just("select"), st.sampled_from(_KEYS)),
    st.tuples(st.just("pin"), st.none()),
    st.tuples(st.just("mark"), st.sampled_from(_KEYS)),
    st.tuples(st.just("freeze"), st.booleans()),
)


class _Checked:
    """A list under test beside what it must be."""

    def __init__(self) -> None:
        self.choice = Choice()
        self.model = ListModel(self.choice.arrangement(lambda: NOW))
        self.views: dict[str, TaskView] = {}
        self.waiting: dict[str, TaskView] = {}
        self.marks: set[str] = set()
        self.wanted: str | None = None

    def do(self, what: str, value: Any) -> None:
        steps: dict[str, Callable[[Any], None]] = {
            "update": self.update,
            "replace": self.replace,
            "sort": lambda sort: self.choose(replace(self.choice, sort=sort)),
            "reverse": lambda reverse: self.choose(replace(self.choice, reverse=reverse)),
            "group": lambda group: self.choose(replace(self.choice, group=group)),
            "filter": lambda chosen: self.choose(replace(self.choice, filter=chosen)),
            "archived": lambda shown: self.choose(replace(self.choice, archived=shown)),
            "move": self.move,
            "select": self.select,
            "pin": self.pin,
            "mark": self.mark,
            "freeze": self.freeze,
        }
        steps[what](value)

    def update(self, views: list[TaskView]) -> None:
        self.model.update(views)
        target = self.waiting if self.model.frozen else self.views
        target.update({view.key: view for view in views})

    def replace(self, views: list[TaskView]) -> None:
        self.model.replace(views)
        self.views = {view.key: view for view in views}
        self.waiting = {}
        self.marks &= self.views.keys()

    def choose(self, choice: Choice) -> None:
        self.choice = choice
        self.model.rearrange(choice.arrangement(lambda: NOW))

    def move(self, lines: int) -> None:
        shown = list(self.model.keys())
        if self.model.move(lines) or shown:
            self.wanted = self.model.cursor

    def select(self, key: str) -> None:
        self.model.select(key)
        if key in set(self.model.keys()):
            assert self.model.cursor == key
            self.wanted = key

    def pin(self, _: None) -> None:
        self.model.pin()
        if self.wanted is None:
            self.wanted = self.model.cursor

    def mark(self, key: str) -> None:
        if key in self.views:
            self.model.toggle_mark(key)
            self.marks ^= {key}

    def freeze(self, frozen: bool) -> None:
        self.model.freeze(frozen)
        if not frozen:
            self.views.update(self.waiting)
            self.waiting = {}

    def expected_rows(self) -> list[GroupRow | str]:
        """What the plain rules say, worked out from nothing."""
        shown = [view for view in self.views.values() if self.choice.shows(view)]
        ordered = arrange(shown, self.choice.sort, reverse=self.choice.reverse, now=NOW)
        if self.choice.group is GroupBy.NONE:
            return [view.key for view in ordered]
        rows: list[GroupRow | str] = []
        places = [group_of(view, self.choice.group) for view in ordered]
        for place in sorted(set(places)):
            there = [view.key for view, its in zip(ordered, places, strict=True) if its == place]
            rows += [GroupRow(place[1], len(there)), *there]
        return rows

    def check(self) -> None:
        model = self.model
        rows = [model.row(line) for line in range(len(model))]
        assert rows == self.expected_rows()
        keys = [row for row in rows if isinstance(row, str)]
        assert list(model.keys()) == keys
        assert model.marks == self.marks
        assert [view.key for view in model.marked()] == [key for key in keys if key in self.marks]
        assert model.waiting == len(self.waiting)
        for line, row in enumerate(rows):
            if isinstance(row, str):
                assert model.index(row) == line
        if keys:
            assert model.cursor in keys
            if self.wanted is None:
                assert model.cursor == keys[0]
            elif self.wanted in keys:
                assert model.cursor == self.wanted
        else:
            assert model.cursor not in keys
        assert model.row(len(rows)) is None
        assert model.row(-1) is None


@settings(max_examples=150, deadline=None)
@given(st.lists(_views, max_size=12, unique_by=lambda v: v.key), st.lists(_steps, max_size=25))
def test_rows_cursor_and_marks_through_any_sequence(
    views: list[TaskView], steps: list[tuple[str, Any]]
) -> None:
    checked = _Checked()
    checked.replace(views)
    for what, value in steps:
        cursor = checked.model.cursor
        checked.do(what, value)
        checked.check()
        chosen = checked.wanted is not None
        if chosen and what not in ("move", "select") and cursor in set(checked.model.keys()):
            assert checked.model.cursor in (cursor, checked.wanted)


def _list(*views: TaskView) -> ListModel:
    model = ListModel(Choice().arrangement(lambda: NOW))
    model.replace(views)
    return model


def test_the_cursor_of_a_hidden_task_goes_to_its_neighbour_and_comes_back() -> None:
    model = _list(*(a_task(f"t{n}", saved_at=NOW - n) for n in range(5)))
    model.select("t2")
    archived = replace(model.views["t2"].handle, archived_at=NOW)
    model.update([replace(model.views["t2"], handle=archived)])
    assert model.cursor == "t3"
    model.update([a_task("t2", saved_at=NOW - 2)])
    assert model.cursor == "t2"


def test_moving_on_from_a_neighbour_is_a_new_choice() -> None:
    model = _list(*(a_task(f"t{n}", saved_at=NOW - n) for n in range(5)))
    model.select("t2")
    model.rearrange(Choice(filter=parse_filter("-task-t2")).arrangement(lambda: NOW))
    model.move(1)
    model.rearrange(Choice().arrangement(lambda: NOW))
    assert model.cursor == "t4"


def test_headings_are_no_stop_for_the_cursor() -> None:
    model = _list(
        a_task("a", server="one", saved_at=NOW), a_task("b", server="two", saved_at=NOW - 1)
    )
    model.rearrange(Choice(group=GroupBy.SERVER).arrangement(lambda: NOW))
    assert [model.row(line) for line in range(len(model))] == [
        GroupRow("one", 1),
        "a",
        GroupRow("two", 1),
        "b",
    ]
    model.select("a")
    model.move(1)
    assert (model.cursor, model.cursor_index) == ("b", 3)


def test_a_frozen_list_counts_what_changed_and_takes_it_in_afterwards() -> None:
    model = _list(a_task("a"), a_task("b"))
    model.freeze(True)
    model.update([a_task("b", State.FAILED), a_task("c")])
    assert (model.waiting, model.shown, model.views["b"].state) == (2, 2, State.WORKING)
    change = model.freeze(False)
    assert change.moved
    assert (model.waiting, model.shown, model.views["b"].state) == (0, 3, State.FAILED)


def test_rows_that_are_held_say_what_is_so_and_go_to_their_places_afterwards() -> None:
    model = _list(a_task("a"), a_task("b"))
    model.hold(True)
    change = model.update([a_task("b", State.FAILED), a_task("c")])
    assert (change.keys, change.moved) == (frozenset("b"), False)
    assert (list(model.keys()), model.views["b"].state) == (["a", "b"], State.FAILED)
    model.freeze(True)
    model.hold(False)
    assert list(model.keys()) == ["a", "b"], "a person holds it"
    model.hold(True)
    model.freeze(False)
    assert list(model.keys()) == ["a", "b"], "a dialog holds it"
    assert model.hold(False).moved
    assert (list(model.keys()), model.waiting) == (["b", "a", "c"], 0)


def test_marks_out_of_view_are_kept_and_not_acted_on() -> None:
    model = _list(a_task("a", label="one"), a_task("b", label="two"))
    model.marks = {"a", "b"}
    model.rearrange(Choice(filter=parse_filter("two")).arrangement(lambda: NOW))
    assert [view.key for view in model.marked()] == ["b"]
    assert model.marks == {"a", "b"}


@pytest.mark.parametrize("count", [0, 1])
def test_an_empty_list_has_no_cursor(count: int) -> None:
    model = _list(*(a_task(f"t{n}") for n in range(count)))
    assert model.cursor == ("t0" if count else None)
    assert model.move(1) is (False if not count else model.move(1))
    model.replace([])
    assert model.current is None
    assert not model.move(1)


@pytest.mark.parametrize("group", list(GroupBy))
def test_news_of_every_task_moves_no_line_where_all_keep_their_place(group: GroupBy) -> None:
    model = ListModel(Choice(group=group).arrangement(lambda: NOW))
    views = [a_task(key, saved_at=NOW - n) for n, key in enumerate(_KEYS)]
    model.replace(views)
    change = model.update([replace(view, live=not view.live) for view in views])
    assert change.keys == set(_KEYS)
    assert not change.moved
    ended = a_task(_KEYS[0], State.COMPLETED, saved_at=NOW)
    assert model.update([ended, *views[1:]]).moved

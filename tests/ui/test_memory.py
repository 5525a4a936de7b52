"""The order of the list over restarts: kept aside, believed only as far as it makes sense."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from mcp_tasks_tui.supervise.arrange import GroupBy, SortBy
from mcp_tasks_tui.ui.listing.arrangement import Choice
from mcp_tasks_tui.ui.listing.model import ListModel
from mcp_tasks_tui.ui.memory import ScreenMemory
from tests.ui.fakes import NOW, a_task


def test_what_is_kept_is_recalled_and_private(tmp_path: Path) -> None:
    chosen = Choice(sort=SortBy.LABEL, group=GroupBy.SERVER, reverse=True, archived=True)
    ScreenMemory(tmp_path / "screen.json").keep(chosen.remembered())
    recalled = Choice.recalled(ScreenMemory(tmp_path / "screen.json").recall())
    assert recalled == Choice(sort=SortBy.LABEL, group=GroupBy.SERVER, reverse=True)
    assert stat.S_IMODE((tmp_path / "screen.json").stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["screen.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 5000, b'{"sort": 7}'])
def test_a_broken_memory_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "screen.json").write_bytes(content)
    assert Choice.recalled(ScreenMemory(tmp_path / "screen.json").recall()) == Choice()


def test_a_folder_that_takes_nothing_is_no_matter(tmp_path: Path) -> None:
    memory = ScreenMemory(tmp_path / "away" / "screen.json")
    memory.keep({"sort": "label"})
    assert memory.recall() == {}


@pytest.mark.parametrize(
    ("choice", "order"),
    [
        (Choice(sort=SortBy.LABEL), ["a", "b", "c"]),
        (Choice(sort=SortBy.LABEL, reverse=True), ["c", "b", "a"]),
        (Choice(sort=SortBy.AGE, reverse=True), ["c", "b", "a"]),
    ],
)
def test_an_order_can_be_turned_upside_down(choice: Choice, order: list[str]) -> None:
    model = ListModel(choice.arrangement(lambda: NOW))
    model.replace(a_task(key, label=key, saved_at=NOW - place) for place, key in enumerate("abc"))
    assert list(model.keys()) == order
    model.update([a_task("d", label="d", saved_at=NOW - 9)])
    assert (next(iter(model.keys())) == "d") is choice.reverse


def test_the_next_wanted_task_is_below_and_then_from_the_top() -> None:
    model = ListModel(Choice(sort=SortBy.LABEL).arrangement(lambda: NOW))
    model.replace(a_task(key, label=key) for key in "abcd")

    def wanted(view: Any) -> bool:
        return view.key in "ac"

    found = [model.next_where(wanted)]
    for _ in range(2):
        assert found[-1] is not None
        model.select(found[-1])
        found.append(model.next_where(wanted))
    assert found == ["c", "a", "c"]
    assert model.next_where(lambda view: False) is None

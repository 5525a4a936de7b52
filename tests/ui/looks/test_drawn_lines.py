"""What was drawn is gone as soon as nothing shows it, without the garbage collector."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from rich.segment import Segment
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.strip import Strip

from mcp_tasks_tui.collector import collector_paused
from mcp_tasks_tui.config.model import ScreenConfig
from mcp_tasks_tui.ui.app import TasksApp
from mcp_tasks_tui.ui.looks.drawn_lines import free_lines_at_once
from tests.ui.bare import until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    free_lines_at_once()
    with collector_paused():
        yield


class _Strip(Strip):
    """Can be asked whether it is still there."""

    __slots__ = ["__weakref__"]


@pytest.mark.parametrize(
    "drawn",
    [
        lambda strip: strip.divide([4]),
        lambda strip: strip.divide([2, 4]),
        lambda strip: strip.crop_extend(0, 4, None),
        lambda strip: strip.crop_extend(1, 6, None),
    ],
)
def test_a_line_does_not_hold_itself(drawn: Callable[[Strip], object]) -> None:
    strip = _Strip([Segment("word")], 4)
    left = weakref.ref(strip)
    for _ in range(2):
        drawn(strip)
    assert "".join(each.text for each in strip.divide([2, 4])) == "word"
    assert strip.crop_extend(0, 6, None).text == "word  "
    del strip
    assert left() is None


def test_the_lines_of_a_widget_are_gone_with_it() -> None:
    lines = StylesCache()
    left = weakref.ref(lines)
    black, grey = Color.parse("#000000"), Color.parse("#808080")
    one, other = lines.get_inner_outer(black, grey)
    assert (one.background, other.background) == (grey, black)
    del lines
    assert left() is None


@pytest.mark.parametrize(
    "table", [lambda: Segment._split_cells, lambda: Strip.render_ansi], ids=["pieces", "styles"]
)
def test_a_table_is_as_long_as_a_screen_needs(table: Callable[[], Any]) -> None:
    assert table().cache_info().maxsize <= 1024
    assert Segment("ab").split_cells(1) == (Segment("a"), Segment("b"))


async def test_a_list_that_moves_all_the_time_takes_no_more_memory() -> None:
    tasks = [a_task(f"t{number}") for number in range(12)]
    fake = FakeSupervisor.of(*tasks)
    app = TasksApp(fake, config=ScreenConfig(animations=False), now=lambda: NOW, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.main.tasks.current is not None)
        drawn = []
        for number in range(600):
            if number % 300 == 0:
                drawn.append(_lines_in_memory())
            message = f"step {number} of 600, with part {number * 7} of the whole in work"
            fake.put(*(a_task(each.key, message=message) for each in tasks))
            await pilot.pause()
        drawn.append(_lines_in_memory())
    assert drawn[2] - drawn[1] < 300, "forty lines are drawn each time, none may stay"


def _lines_in_memory() -> int:
    return sum(isinstance(each, Strip) for each in gc.get_objects())

"""Which streams give way to a new one: few stay open, and few tasks are asked for again."""

from __future__ import annotations

import pytest

from mcp_tasks_tui.supervise.streams import MAX_IDS, MAX_STREAMS, Stream, giving_way, room_for


def opened(sizes: list[int], new: int) -> tuple[list[int], int]:
    """Return the sizes of the streams once `new` tasks are listened to, and how many were asked
    for again."""
    loads = {Stream({}): range(size) for size in sizes}
    joined = giving_way(loads, new=new)
    again = sum(len(loads[stream]) for stream in joined)
    left = [len(load) for stream, load in loads.items() if stream not in joined]
    whole, rest = divmod(again + new, MAX_IDS)
    return [*left, *[MAX_IDS] * whole, *([rest] if rest else [])], again


@pytest.mark.parametrize("first", [1, 40, MAX_IDS, 2 * MAX_IDS + 3])
def test_tasks_that_come_one_by_one_are_asked_for_again_a_few_times(first: int) -> None:
    sizes, asked_again = [first], 0
    for number in range(1, 400):
        sizes, again = opened(sizes, 1)
        asked_again += again
        assert sum(sizes) == first + number
        assert len(sizes) <= MAX_STREAMS
        assert max(sizes) <= max(MAX_IDS, first)
    assert asked_again <= 400 * 60


def test_as_many_as_there_were_make_one_stream_with_them() -> None:
    assert opened([2], 5) == ([7], 2)
    assert opened([40, 10], 20) == ([40, 30], 10)
    assert opened([MAX_IDS], MAX_IDS) == ([MAX_IDS, MAX_IDS], 0)


def test_others_move_up_in_numbers_only() -> None:
    full = MAX_IDS * MAX_STREAMS
    assert room_for(3, listened=0) == 3
    assert room_for(full + 7, listened=0) == full
    assert room_for(7, listened=full) == 0
    assert room_for(7, listened=full - 5) == 0
    assert room_for(7, listened=full - 9) == 7
    assert room_for(2 * MAX_IDS, listened=full - MAX_IDS) == MAX_IDS
    assert room_for(0, listened=0) == 0

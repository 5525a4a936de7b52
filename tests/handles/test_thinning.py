"""Which lines of a journal give way, and what stands in their place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.handles.thinning import left_out, thinned

STATUS, MESSAGE, GAP = Event.STATUS, Event.MESSAGE, Event.LEFT_OUT


def journal(*events: Event) -> list[JournalEntry]:
    return [JournalEntry(float(number), event) for number, event in enumerate(events)]


def told(lines: list[JournalEntry]) -> list[tuple[Event, tuple[int, int]]]:
    return [(line.event, left_out(line)) for line in lines]


def test_the_oldest_messages_of_the_middle_go_first() -> None:
    lines = journal(STATUS, MESSAGE, MESSAGE, MESSAGE, STATUS, MESSAGE, MESSAGE, MESSAGE)
    kept = thinned(lines, most=7, first=1, last=2)
    assert told(kept[:3]) == [(STATUS, (0, 0)), (GAP, (2, 0)), (MESSAGE, (0, 0))]
    assert kept[2:] == lines[3:]
    assert kept[1].at == 2, "it stands where the last of them stood"


def test_several_runs_of_messages_give_way_before_a_state_does() -> None:
    lines = journal(STATUS, *[MESSAGE] * 3, STATUS, *[MESSAGE] * 3, STATUS)
    kept = thinned(lines, most=5, first=0, last=0)
    assert told(kept) == [
        (STATUS, (0, 0)),
        (GAP, (3, 0)),
        (STATUS, (0, 0)),
        (GAP, (3, 0)),
        (STATUS, (0, 0)),
    ]


def test_where_messages_are_not_enough_lines_of_any_kind_go() -> None:
    lines = journal(STATUS, STATUS, MESSAGE, STATUS, STATUS)
    assert told(thinned(lines, most=3, first=1, last=1)) == [
        (STATUS, (0, 0)),
        (GAP, (1, 2)),
        (STATUS, (0, 0)),
    ]


@given(st.lists(st.sampled_from((STATUS, MESSAGE, Event.HELD)), max_size=80))
def test_whatever_comes_every_line_is_there_or_counted(events: list[Event]) -> None:
    kept: list[JournalEntry] = []
    for line in journal(*events):
        kept = thinned([*kept, line], most=10, first=3, last=2)
        assert len(kept) <= 10
        assert kept[-1] is line
    counts = [left_out(line) for line in kept]
    missing = (sum(messages for messages, _ in counts), sum(others for _, others in counts))
    messages = sum(line.event is MESSAGE for line in kept)
    others = sum(line.event not in (MESSAGE, GAP) for line in kept)
    said = events.count(MESSAGE)
    assert (missing[0] + messages, missing[1] + others) == (said, len(events) - said)
    assert [line.event for line in kept[:3]] == events[:3]

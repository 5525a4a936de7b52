"""The order of a task's journal, whoever wrote its lines and when."""

from __future__ import annotations

from itertools import permutations

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.supervise.journalling import in_order

NOW = 1_800_000_000.0


def line(seconds: float, event: Event, **data: str) -> JournalEntry:
    return JournalEntry(NOW + seconds, event, None, data)


def events(*written: JournalEntry) -> list[Event]:
    return [entry.event for entry in in_order(written)]


def test_a_call_comes_before_the_handle_that_it_left_and_what_another_process_read_of_it() -> None:
    saved, working = line(0.3, Event.SAVED), line(0.4, Event.STATUS)
    assert events(saved, working, line(0, Event.CALL_SENT)) == [
        Event.CALL_SENT,
        Event.SAVED,
        Event.STATUS,
    ]
    hours_before = line(-9000, Event.CALL_SENT)
    assert events(saved, working, hours_before)[0] is Event.CALL_SENT


def test_at_one_time_the_cause_comes_first_in_whatever_order_it_was_written() -> None:
    chain = (
        line(0, Event.CALL_SENT),
        line(0, Event.SAVED),
        line(0, Event.CANCEL_REQUESTED),
        line(0, Event.STATUS),
    )
    assert all(tuple(in_order(written)) == chain for written in permutations(chain))


def test_what_replies_told_stays_as_it_was_written() -> None:
    told = [
        line(0, Event.BACK),
        line(0, Event.STATUS, to="working"),
        line(0, Event.MESSAGE),
        line(0, Event.STATUS, to="input_required"),
    ]
    assert in_order(told) == told
    questions = [line(0, Event.INPUT_ASKED, key=key) for key in "zab"]
    assert in_order(questions) == questions


def test_a_clock_that_is_set_back_does_not_put_the_end_before_the_beginning() -> None:
    written = [
        line(0, Event.SAVED),
        line(5, Event.STATUS, to="working"),
        line(-3600, Event.MESSAGE),
        line(-3590, Event.STATUS, to="completed"),
    ]
    assert in_order(written) == written
    assert in_order([]) == []

"""How a person reads a task: times, the order of the journal, and lines of one kind alone."""

from __future__ import annotations

from itertools import accumulate, repeat
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.ui.widgets.panel.kinds import Kind, kinds_of, next_kind, of_kind
from mcp_tasks_tui.ui.widgets.panel.panel import TaskPanel
from mcp_tasks_tui.ui.widgets.panel.reading import Reading
from tests.ui.bare import BareApp, until
from tests.ui.fakes import NOW, FakeSupervisor, a_task

# --- times ------------------------------------------------------------------------------------


def test_times_go_from_ages_to_local_times_to_utc_and_round() -> None:
    ages, local, utc = Reading(), Reading(absolute=True), Reading(absolute=True, utc=True)
    assert ages.other_times() == local
    assert local.other_times() == utc
    assert utc.other_times() == ages
    assert Reading(utc=True).other_times() == local, "the zone of a viewer is no age"


def test_the_zone_of_a_viewer_changes_no_ages() -> None:
    assert Reading().other_zone() == Reading(utc=True)
    assert Reading(absolute=True, utc=True).other_zone() == Reading(absolute=True)


@pytest.mark.parametrize(
    "reading", [Reading(), Reading(absolute=True, utc=True, newest_first=True)]
)
def test_a_way_of_reading_comes_back_but_for_what_is_left_out(reading: Reading) -> None:
    assert Reading.recalled(reading.remembered()) == reading
    assert Reading.recalled(reading.other_kind().remembered()) == reading


@pytest.mark.parametrize("kept", [{}, {"clock_times": "yes", "utc": 1, "newest_first": None}])
def test_what_is_no_way_of_reading_is_as_usual(kept: dict[str, Any]) -> None:
    assert Reading.recalled(kept) == Reading()


# --- kinds of journal lines -------------------------------------------------------------------


def an(event: Event, **data: Any) -> JournalEntry:
    return JournalEntry(NOW - 9, event, ServerText("some words"), data)


def test_every_event_is_of_some_kind() -> None:
    assert all(kinds_of(an(event)) for event in Event)
    assert {kind for event in Event for kind in kinds_of(an(event))} == set(Kind)


@pytest.mark.parametrize(
    ("kind", "events"),
    [
        (Kind.MESSAGES, {Event.MESSAGE, Event.LEFT_OUT}),
        (
            Kind.STATES,
            {Event.STATUS, Event.INPUT_ASKED, Event.INPUT_WITHDRAWN, Event.GONE, Event.BACK},
        ),
        (
            Kind.TROUBLE,
            {Event.SERVER_LOST, Event.SERVER_BACK, Event.GONE, Event.BACK, Event.CONTRADICTION},
        ),
        (
            Kind.BY_YOU,
            {
                Event.SAVED,
                Event.CALL_SENT,
                Event.INPUT_ANSWERED,
                Event.CANCEL_REQUESTED,
                Event.HELD,
                Event.RESUMED,
                Event.ARCHIVED,
                Event.RESTORED,
                Event.EDITED,
            },
        ),
    ],
)
def test_what_is_of_which_kind(kind: Kind, events: set[Event]) -> None:
    every = [an(event) for event in Event]
    assert {each.event for each in of_kind(every, kind)} == events
    assert of_kind(every, None) is every


@pytest.mark.parametrize(
    ("data", "trouble"),
    [
        ({"to": "working"}, False),
        ({"to": "completed"}, False),
        ({"to": "cancelled"}, False),
        ({"to": "failed"}, True),
        ({"to": "completed", "tool_error": True}, True),
        ({"to": ["failed"]}, False),
    ],
)
def test_an_end_in_an_error_is_trouble_too(data: dict[str, Any], trouble: bool) -> None:
    kinds = kinds_of(an(Event.STATUS, **data))
    assert Kind.STATES in kinds
    assert (Kind.TROUBLE in kinds) is trouble


def test_the_kinds_are_gone_through_one_by_one_and_then_come_all() -> None:
    gone_through = accumulate(repeat(None, len(Kind) + 1), lambda kind, _: next_kind(kind))
    assert list(gone_through) == [None, *Kind]
    assert next_kind(list(Kind)[-1]) is None


async def test_kinds_and_what_is_looked_for_hold_together_and_for_the_next_task() -> None:
    one, two = a_task("k1", label="first"), a_task("k2", label="second")
    fake = FakeSupervisor.of(one, two)
    for key in ("k1", "k2"):
        fake.journals[key] = [
            an(Event.SAVED),
            *(JournalEntry(NOW - 8, Event.MESSAGE, ServerText(f"part {n}")) for n in range(3)),
            JournalEntry(NOW - 7, Event.STATUS, ServerText("part of a state"), {"to": "working"}),
        ]
    panel = TaskPanel(fake, now=lambda: NOW)
    async with BareApp(panel).run_test(size=(80, 40)) as pilot:
        panel.focus()
        panel.show(one)
        await until(pilot, lambda: "‹ part 2" in panel.shown_text)
        panel.find("part ")
        assert panel.found == "found 1 of 4"
        await pilot.press("K")
        assert "▾ Journal: states ─" in panel.shown_text
        assert "1 of 5 lines" in panel.shown_text
        assert panel.found == "found 1 of 1"
        await pilot.press("K")
        assert "3 of 5 lines" in panel.shown_text
        assert "› saved" not in panel.shown_text
        assert panel.found == "found 1 of 3"
        panel.show(two)
        await until(pilot, lambda: "‹ part 2" in panel.shown_text)
        assert "▾ Journal: messages ─" in panel.shown_text
        await pilot.press("K", "K", "K")
        assert "▾ Journal ─" in panel.shown_text
        assert panel.found == "found 1 of 4"
        await pilot.press("t")
        assert "local time" in panel.shown_text
        await pilot.press("t")
        assert "07:59:52Z ‹ part 0" in panel.shown_text
        await pilot.press("t")
        assert "now › saved" in panel.shown_text

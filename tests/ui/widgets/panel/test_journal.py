"""The journal: who did what and when, how long each state was, and what is left out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.sanitize import ServerText
from mcp_tasks_tui.supervise.results import read_result
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.panel.about import about_section
from mcp_tasks_tui.ui.widgets.panel.facts import Loaded
from mcp_tasks_tui.ui.widgets.panel.input import input_section
from mcp_tasks_tui.ui.widgets.panel.journal import Skipped, condensed, journal_section
from mcp_tasks_tui.ui.widgets.panel.kinds import Kind, next_kind, of_kind
from mcp_tasks_tui.ui.widgets.panel.result import error_section, result_section
from mcp_tasks_tui.ui.widgets.panel.status import status_section
from mcp_tasks_tui.ui.widgets.panel.times import stretches, timeline
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.panel.sheet import FORM, HOSTILE, entry, facts, text, tones

JOURNAL = (
    entry(900, Event.SAVED),
    entry(880, Event.STATUS, None, **{"from": None, "to": "working"}),
    entry(600, Event.MESSAGE, "Step 1 of 3"),
    entry(500, Event.INPUT_ASKED, "Deploy?", key="k1"),
    entry(500, Event.STATUS, None, **{"from": "working", "to": "input_required"}),
    entry(440, Event.INPUT_ANSWERED, None, key="k1", action="accept"),
    entry(420, Event.STATUS, None, **{"from": "input_required", "to": "working"}),
    entry(300, Event.SERVER_LOST),
    entry(20, Event.STATUS, "done", **{"from": "working", "to": "completed", "tool_error": True}),
)


def test_the_journal_tells_who_did_what_newest_last() -> None:
    view = a_task(state=State.TOOL_ERROR)
    lines = text(journal_section(facts(view, journal=JOURNAL), 20)).splitlines()
    assert lines[2].split("› ")[1] == "saved"
    assert any("‹ Step 1 of 3" in line for line in lines)
    assert any("‹ asks for input: Deploy? (k1)" in line for line in lines)
    assert any("› answer sent (k1)" in line for line in lines)
    assert any("· server lost" in line for line in lines)
    assert lines[-1].endswith("‹ ▲ tool error  done")


def test_a_lost_result_says_how_to_ask_for_it_again() -> None:
    lost = read_result(None, was_kept=True)
    view = a_task(state=State.COMPLETED)
    known = replace(facts(view), result=lost, result_loaded=Loaded.READY, poll_key="r")
    section = result_section(known)
    assert section is not None
    assert section.aside == "lost"
    assert "was lost when the database was damaged" in text(section)
    assert "r asks the server for it again" in text(section)
    unbound = result_section(replace(known, poll_key=""))
    assert unbound is not None
    assert "asks the server" not in text(unbound)


def test_ages_or_clock_times() -> None:
    view = a_task()
    aged = text(journal_section(facts(view, journal=JOURNAL), 20))
    clocked = text(journal_section(facts(view, journal=JOURNAL, absolute=True), 20))
    assert "15 m ago" in aged
    assert "15 m ago" not in clocked
    assert clocked.splitlines()[-1].strip()[2] == ":"
    narrow = text(journal_section(facts(view, journal=JOURNAL, width=39), 20)).splitlines()
    assert " 15m › saved" in narrow
    hours = facts(view, journal=JOURNAL, width=39, absolute=True, now=NOW + 86_400)
    assert "01-15 07:45 › saved" in text(journal_section(hours, 20))
    past_midnight = replace(JOURNAL[-1], at=NOW + 86_399)
    two_days = replace(hours, journal=(*JOURNAL, past_midnight), width=80)
    signs = {line.find("‹") for line in text(journal_section(two_days, 20)).splitlines()}
    assert signs - {-1} == {17}, "times of one day and of several have one column"


@pytest.fixture
def _far_from_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "UTC-05:30")  # as POSIX writes what is ahead by so much
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_far_from_utc")
def test_clock_times_tell_whose_they_are() -> None:
    view = a_task()
    local = facts(view, journal=JOURNAL, absolute=True)
    utc = replace(local, utc=True)
    assert "saved     13:20:00" in text(about_section(local))
    assert "saved     07:50:00Z" in text(about_section(utc))
    section = journal_section(local, 20)
    assert section.aside == "local time"
    assert "13:15:00 › saved" in text(section)
    section = journal_section(replace(utc, newest_first=True), 20)
    assert section.aside == "newest first · UTC"
    assert "07:45:00Z › saved" in text(section)
    assert journal_section(replace(utc, absolute=False), 20).aside == ""


@pytest.mark.parametrize(("width", "saved"), [(39, "01-15 07:45Z ›"), (80, "2027-01-15 07:45Z ›")])
def test_the_journal_has_room_for_the_sign_of_utc(width: int, saved: str) -> None:
    hours = facts(a_task(), journal=JOURNAL, width=width, absolute=True, utc=True)
    section = journal_section(replace(hours, now=NOW + 86_400), 20)
    signs = {line.find(sign) for line in text(section).splitlines() for sign in "‹›"}
    assert signs - {-1} == {len(saved) - 1}
    assert saved in text(section)


def test_a_journal_of_one_kind_says_so_and_how_much_it_leaves_out() -> None:
    shown = facts(a_task(), journal=JOURNAL)
    every = journal_section(shown, 20)
    assert (every.title, every.aside) == ("Journal", "")
    for kind in Kind:
        section = journal_section(replace(shown, kind=kind, newest_first=True), 20)
        entries = of_kind(JOURNAL, kind)
        assert section.title == f"Journal: {kind.value}"
        assert section.aside == f"{len(entries)} of {len(JOURNAL)} lines · newest first"
        signs = [line for line in text(section).splitlines() if {*line} & {*"‹›·"}]
        assert len(signs) >= len(entries)
    quiet = replace(shown, journal=(entry(65, Event.SAVED),), kind=Kind.TROUBLE)
    assert text(journal_section(quiet, 20)) == "nothing of this kind"
    for kind, how in ((Kind.TROUBLE, "K shows all"), (Kind.MESSAGES, "K 3 times shows all")):
        assert text(journal_section(replace(quiet, kind=kind, kinds_key="K"), 20)) == (
            f"nothing of this kind: {how}"
        )
        times = int(how.split()[1]) if "times" in how else 1
        chosen: Kind | None = kind
        for _ in range(times):
            assert chosen is not None
            chosen = next_kind(chosen)
        assert chosen is None


def test_ages_in_the_journal_rest_for_ten_seconds() -> None:
    def shown(now: float, width: int) -> str:
        section = journal_section(facts(a_task(), journal=JOURNAL[-1:], now=now, width=width), 9)
        return text(section)

    for width, first, then in ((39, " now", " 10s"), (90, "now", "10 s ago")):
        ages = [shown(NOW - 20 + second, width) for second in range(20)]
        assert len(set(ages)) == 2
        assert first in ages[0]
        assert then in ages[-1]


def test_a_time_stands_once_in_the_journal_for_all_that_happened_then() -> None:
    many = (entry(65, Event.SAVED), entry(61, Event.CALL_SENT), entry(5, Event.MESSAGE, "go"))
    for newest_first, said in (
        (False, ["1 m ago › saved", "› call sent", "now ‹ go"]),
        (True, ["now ‹ go", "1 m ago › call sent", "› saved"]),
    ):
        section = journal_section(facts(a_task(), journal=many, newest_first=newest_first), 20)
        assert [line.strip() for line in text(section).splitlines()] == said
        assert Tone.ASKED not in tones(section, "saved") | tones(section, "call sent")


def test_a_question_that_is_open_is_told_above_and_not_once_more_in_the_journal() -> None:
    asked = (entry(40, Event.INPUT_ASKED, "Deploy?", key="a"),)
    view = a_task(state=State.INPUT_REQUIRED, requests={"a": FORM})
    assert "asks for input (a)" in text(journal_section(facts(view, journal=asked), 20))
    over = replace(view, open_requests=())
    assert "asks for input: Deploy? (a)" in text(journal_section(facts(over, journal=asked), 20))


def test_the_first_ten_seconds_of_a_task_are_no_history() -> None:
    began = (entry(8, Event.STATUS, to="working"), entry(4, Event.STATUS, to="input_required"))
    view = a_task(state=State.INPUT_REQUIRED)
    assert "so far" not in text(journal_section(facts(view, journal=began), 20))
    later = facts(view, journal=began, now=NOW + 10)
    assert "10 s so far: ● working a moment · ◆ needs input 10 s" in text(
        journal_section(later, 20)
    )


def test_a_long_journal_says_how_much_is_hidden() -> None:
    many = tuple(entry(500 - i, Event.MESSAGE, f"step {i}") for i in range(300))
    lines = text(journal_section(facts(a_task(), journal=many), 10)).splitlines()
    assert len(lines) == 10
    assert lines[0].strip() == "… 291 messages: enter shows all"
    held = tuple(entry(500 - i, Event.HELD) for i in range(300))
    lines = text(journal_section(facts(a_task(), journal=held), 10)).splitlines()
    assert lines[0] == "290 earlier lines: enter shows all"
    assert len(lines) == 11
    assert lines[-1].endswith("polling held")


def test_of_many_messages_the_last_are_told_and_all_that_came_between() -> None:
    def run(start: float, count: int) -> list[JournalEntry]:
        return [entry(start - i, Event.MESSAGE, f"at {start - i:g}") for i in range(count)]

    journal = (
        entry(900, Event.SAVED),
        *run(800, 40),
        entry(500, Event.INPUT_ASKED, "Deploy?", key="k1"),
        entry(440, Event.INPUT_ANSWERED, None, key="k1", action="accept"),
        *run(400, 40),
    )
    lines = text(journal_section(facts(a_task(), journal=journal), 12)).splitlines()
    said = [line.strip().partition(" ago ")[2] or line.strip() for line in lines]
    assert said == [
        "› saved",
        "… 39 messages: enter shows all",
        "‹ at 761",
        "‹ asks for input: Deploy? (k1)",
        "› answer sent (k1)",
        "… 34 messages",
        *(f"‹ at {number}" for number in range(366, 360, -1)),
    ]
    assert condensed(journal, 100) == list(journal)
    told = [each for each in condensed(journal, 12) if isinstance(each, JournalEntry)]
    skipped = [each for each in condensed(journal, 12) if isinstance(each, Skipped)]
    assert len(told) + sum(each.count for each in skipped) == len(journal)


def test_messages_that_are_not_kept_are_told_among_those_that_have_no_room() -> None:
    said = [entry(900 - number, Event.MESSAGE, f"at {number}") for number in range(30)]
    gap = entry(890.5, Event.LEFT_OUT, None, messages=7)
    journal = (entry(910, Event.SAVED), *said[:10], gap, *said[10:])
    whole = text(journal_section(facts(a_task(), journal=journal), 60)).splitlines()
    assert [line.rpartition("· ")[2] for line in whole[10:13]] == [
        whole[10].rpartition("· ")[2],
        "… 7 messages not kept",
        whole[12].rpartition("· ")[2],
    ]
    short = text(journal_section(facts(a_task(), journal=journal), 12)).splitlines()
    assert short[1].strip() == "… 20 messages and 7 messages not kept: enter shows all"
    assert of_kind(journal, Kind.MESSAGES) == [*said[:10], gap, *said[10:]]


def seen_in(journal: tuple[JournalEntry, ...], *, ended: bool) -> list[tuple[State, float]]:
    return [(each.state, each.seconds) for each in stretches(journal, NOW, ended=ended)]


def test_time_in_each_state_stops_when_the_task_ends() -> None:
    both = [(State.WORKING, 380.0), (State.INPUT_REQUIRED, 80.0), (State.WORKING, 400.0)]
    assert seen_in(JOURNAL, ended=True) == both
    assert seen_in(JOURNAL[:3], ended=False) == [(State.WORKING, 880.0)]
    assert seen_in((), ended=False) == []
    gone = (*JOURNAL[:3], entry(100, Event.GONE))
    assert seen_in(gone, ended=True) == [(State.WORKING, 780.0)]
    back = (*gone, entry(50, Event.BACK))
    assert seen_in(back, ended=False) == [(State.WORKING, 780.0), (State.WORKING, 50.0)]


def test_time_in_each_state_stands_above_the_journal_in_words_and_signs() -> None:
    view = a_task(state=State.TOOL_ERROR)
    line, said, *_ = text(journal_section(facts(view, journal=JOURNAL, width=39), 20)).splitlines()
    assert line == "●" * 17 + "◆" * 4 + "●" * 18
    assert said == "took 14 m: ● working 13 m"
    running = journal_section(facts(a_task(), journal=JOURNAL[:-1], width=90), 20)
    words = "14 m so far: ● working 13 m · ◆ needs input 1 m"
    assert text(running).splitlines()[1] == words
    alone = journal_section(facts(a_task(), journal=JOURNAL[:3], width=90), 20)
    assert "working" not in text(alone).splitlines()[0]  # the top of the panel says so
    assert len(text(alone).splitlines()) == 3


def status(seconds_ago: float, to: str, **how: Any) -> JournalEntry:
    return JournalEntry(NOW - seconds_ago, Event.STATUS, None, {"to": to, **how})


BEGAN = status(960, "working")


CLAIMED = status(60, "completed", unseen=True, unseen_for=900.0, claimed_at=NOW - 600)


NOTICED = status(60, "completed", unseen=True, unseen_for=890.0)


@pytest.mark.parametrize(
    ("journal", "top", "took", "line"),
    [
        ((BEGAN, status(60, "completed")), "1 m ago", "took 15 m", "completed"),
        (
            (BEGAN, CLAIMED),
            "≈ 10 m ago",
            "took ≈ 6 m",
            "completed (≈ 9 m before, by the server's clock)",
        ),
        (
            (BEGAN, NOTICED),
            "noticed 1 m ago",
            "took at most 15 m: ● working 10 s · ○ not seen 14 m",
            "completed (noticed after 14 m without a look)",
        ),
        (
            (status(5, "completed", unseen=True, claimed_at=NOW - 600, created_at=NOW - 960),),
            "≈ 10 m ago",
            "took ≈ 6 m",
            "completed (≈ 9 m before, by the server's clock)",
        ),
    ],
    ids=["seen", "by the server", "only noticed", "first seen ended"],
)
def test_an_end_that_nobody_saw_is_not_told_as_if_it_were_seen(
    journal: tuple[JournalEntry, ...], top: str, took: str, line: str
) -> None:
    asked = facts(a_task(state=State.COMPLETED), journal=journal)
    assert plain(status_section(asked).lines[0]).endswith(f" {top}")
    told = text(journal_section(asked, 20)).splitlines()
    assert took in told
    assert told[-1].endswith(line)


def test_a_task_that_is_gone_is_so_since_it_was_missed_and_its_question_was_not_answered() -> None:
    asks = {"q": {"params": {"message": "Approve it?\x1b[2J"}}}
    view = a_task(state=State.GONE, requests=asks, changed_at=NOW - 120)
    view = replace(view, open_requests=())
    asked = facts(view, journal=(status(600, "input_required"),))
    assert plain(status_section(asked).lines[0]).endswith(" 2 m ago")
    section = input_section(asked)
    assert section is not None
    assert section.aside == "1 question not answered"
    assert text(section) == "· Approve it?^[[2J"


def test_a_question_that_was_found_late_says_since_when_by_the_server() -> None:
    late = status(5, "input_required", unseen=True, unseen_for=600.0, claimed_at=NOW - 300)
    view = a_task(state=State.INPUT_REQUIRED)
    assert plain(status_section(facts(view, journal=(late,))).lines[0]).endswith("≈ for 5 m")
    found = status(45, "input_required", unseen=True, unseen_for=600.0)
    asked = facts(view, journal=(found,))
    assert plain(status_section(asked).lines[0]).endswith("seen 40 s ago")


@pytest.mark.parametrize("width", [1, 2, 5, 39, 400])
def test_each_state_has_its_share_of_the_line_of_time(width: int) -> None:
    seen = stretches(JOURNAL, NOW, ended=True)
    line = timeline(seen, width)
    assert width_of(line) == (0 if width < 6 else min(width, 120))
    assert all(each.text for each in line)
    assert timeline(seen[:1], width) == ()


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize("data", [{}, {"to": 7, "key": None, "action": [], "said": {}, "kept": 1}])
def test_every_event_can_be_told_whatever_its_data(event: Event, data: dict[str, Any]) -> None:
    odd = (JournalEntry(NOW - 5, event, ServerText(HOSTILE), data),)
    section = journal_section(facts(a_task(), journal=odd, width=40), 5)
    shown = text(section)
    assert " now " in shown
    assert "\x1b" not in shown
    assert all(width_of(line) <= 40 for line in section.lines)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32603, "message": "boom\x1b[2J", "data": {"at": 7}}, ["boom^[[2J", "at: 7"]),
        ("boom", ["boom", "the error is bare text"]),
        (None, ["the server gave no error detail"]),
        ([1, 2], ["the error is not an object", "0: 1"]),
        ({"code": 3}, ["the error has no message"]),
        ({"message": "m", "hint": "try"}, ["m", 'hint: "try"']),
    ],
)
def test_a_failed_task_shows_code_message_and_data(error: Any, said: list[str]) -> None:
    view = a_task(state=State.FAILED)
    view = replace(view, snapshot=replace(view.snapshot, error=error))
    shown = text(error_section(facts(view)))
    for words in said:
        assert words in shown

"""The top of the panel: state, message, what the server was asked, and what is only worked out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mcp_tasks_tui.handles.model import Event, JournalEntry, State
from mcp_tasks_tui.supervise.view import Attention, Coverage, Progress, Reason
from mcp_tasks_tui.ui.widgets.lines.pieces import Tone, plain, width_of
from mcp_tasks_tui.ui.widgets.panel.about import about_section, claims_section
from mcp_tasks_tui.ui.widgets.panel.facts import time_left
from mcp_tasks_tui.ui.widgets.panel.pace import pace
from mcp_tasks_tui.ui.widgets.panel.result import error_section
from mcp_tasks_tui.ui.widgets.panel.status import activity, status_section
from mcp_tasks_tui.ui.widgets.wall.card import card
from tests.ui.fakes import NOW, a_task
from tests.ui.widgets.panel.sheet import FORM, HOSTILE, facts, text, tones

if TYPE_CHECKING:
    from mcp_tasks_tui.supervise.view import TaskView


@pytest.mark.parametrize(
    ("gap", "still_for", "told"),
    [
        (None, 59, True),
        (None, 61, False),
        (5.0, 14, True),
        (5.0, 16, False),
        (60.0, 119, True),
        (60.0, 121, False),
    ],
)
def test_progress_that_stands_still_promises_no_end(
    gap: float | None, still_for: float, told: bool
) -> None:
    view = a_task(message="62/100", changed_at=NOW - still_for)
    view = replace(
        view,
        progress=Progress(0.62, "62/100", 62, 100, 0.5, 6),
        snapshot=replace(view.snapshot, usual_gap=gap, last_message_at=NOW - still_for),
    )
    assert (" left" in text(status_section(facts(view)))) is told
    assert (" left" in "".join(plain(line) for line in card(view, 60, 12, NOW))) is told


def test_a_pushed_task_says_so_instead_of_an_age_that_looks_stale() -> None:
    shown = text(status_section(facts(a_task(coverage=Coverage.PUSHED, read_at=NOW - 59))))
    assert "read      50 s ago (pushed)" in shown
    assert "read 59 s" not in shown


def test_what_the_server_says_what_we_asked_and_what_we_assume_look_different() -> None:
    view = a_task(message="Compiling 62/100", cancel_requested_at=NOW - 125)
    view = replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76))
    section = status_section(facts(view))
    shown = text(section)
    assert "message   ⠋ Compiling 62/100" in shown
    assert "we asked  cancel requested 2 m ago: not stopped yet" in shown
    assert "estimate  ≈ 2 m left · ≈ 30 per min" in shown
    said = [tones(section, word) for word in ("message", "we asked", "estimate")]
    assert said == [{Tone.SERVER}, {Tone.ASKED}, {Tone.ASSUMED}]


def test_a_cancelled_task_is_not_waited_for_any_more() -> None:
    ended = a_task(state=State.COMPLETED, cancel_requested_at=NOW - 9)
    assert "it ended by itself first" in text(status_section(facts(ended)))
    stopped = a_task(state=State.CANCELLED, cancel_requested_at=NOW - 9)
    assert "not stopped" not in text(status_section(facts(stopped)))


def test_what_is_only_last_known_says_so() -> None:
    shown = text(status_section(facts(a_task(live=False))))
    assert "last known, not confirmed since this program started" in shown
    assert "last known" not in text(status_section(facts(a_task(live=True))))


def test_a_failed_read_leaves_the_state_and_says_why() -> None:
    view = a_task(message="busy", failures=4, error="HTTP 502 Bad Gateway")
    shown = text(status_section(facts(view)))
    assert "● working" in shown
    assert "4 failed reads" in shown
    assert "HTTP 502 Bad Gateway" in shown


def test_attention_says_why_and_since_when() -> None:
    silent = "says it needs input, but does not say which"
    why = Attention(Reason.INPUT_REQUIRED, NOW - 240, silent)
    view = a_task(state=State.INPUT_REQUIRED, attention=[why])
    assert f"attention {silent}  4 m ago" in text(status_section(facts(view)))
    asks = replace(view, open_requests=("q",))  # the state says so, and the questions follow
    assert "attention" not in text(status_section(facts(asks)))


def test_attention_that_tells_its_time_tells_it_once() -> None:
    why = "stuck, server says: last update 4 m ago"
    shown = text(status_section(facts(a_task(attention=[Attention(Reason.STUCK, NOW - 240, why)]))))
    assert f"attention {why}" in shown
    assert shown.count("4 m ago") == 1


def test_the_alarm_for_an_end_has_words_of_its_own() -> None:
    view = a_task()
    lasting = replace(view.snapshot, ttl_ms=3_600_000, created_at="2027-01-15T07:30:00Z")
    calm = text(status_section(facts(replace(view, snapshot=lasting))))
    assert "expires   in ≈ 30 m" in calm
    alarm = (Attention(Reason.EXPIRING, NOW, "may expire in 30 m (its time to live is 1 h 00 m)"),)
    section = status_section(facts(replace(view, snapshot=lasting, attention=alarm)))
    assert text(section).count("30 m") == 1
    assert tones(section, "expires") == {Tone.WARN}


def test_a_message_from_before_the_state_says_so() -> None:
    view = replace(a_task(state=State.COMPLETED, message="Writing"), message_is_old=True)
    assert "last said Writing" in text(status_section(facts(view)))
    fresh = text(status_section(facts(replace(view, message_is_old=False))))
    assert "message   Writing" in fresh


def test_what_failed_is_said_once_by_the_error() -> None:
    view = a_task(state=State.FAILED, message="No space left")
    failed = replace(view, snapshot=replace(view.snapshot, error={"message": "No space left"}))
    assert "No space" not in text(status_section(facts(failed)))
    assert "No space" in text(error_section(facts(failed)))
    other = replace(view, snapshot=replace(view.snapshot, error={"message": "exit 1"}))
    assert "No space" in text(status_section(facts(other)))


def test_a_long_message_hangs_under_itself_and_not_under_its_mark() -> None:
    section = status_section(facts(a_task(message="word " * 30), width=43))
    said = [plain(line) for line in section.lines if "word" in plain(line)]
    assert said[0].startswith("message   ⠋ word")
    assert {line.index("word") for line in said} == {12}


def test_a_task_that_stands_still_is_quiet_until_it_is_stuck() -> None:
    quiet = replace(a_task("t1"), quiet="quiet for 4 m")
    assert "quiet for 4 m" in text(status_section(facts(quiet)))
    stuck = replace(quiet, attention=(Attention(Reason.STUCK, NOW - 240, "stuck: nothing moves"),))
    assert "quiet" not in text(status_section(facts(stuck)))


def test_polling_that_a_person_holds_is_something_we_asked() -> None:
    view = a_task(coverage=Coverage.HELD, held=True, next_read_at=None)
    assert "we asked  polling held" in text(status_section(facts(view)))


def test_an_unknown_state_is_shown_in_the_servers_word() -> None:
    view = a_task(state=State.UNKNOWN)
    view = replace(view, snapshot=replace(view.snapshot, status="rejected\x1b[2J"))
    assert 'state     "rejected^[[2J", a state that MCP does not name' in text(
        status_section(facts(view))
    )


@pytest.mark.parametrize(
    "message", ["", " \n ", "x" * 20_000, "one\ntwo\n" * 500, HOSTILE, "処理" * 99]
)
@pytest.mark.parametrize("width", [16, 30, 58, 120])
def test_any_message_fits_and_is_clean(message: str, width: int) -> None:
    view = a_task(message=message, fraction=0.3, label="l" * 200)
    section = status_section(facts(view, width=width))
    assert len(section.lines) < 24
    assert all(width_of(line) <= width for line in section.lines)
    assert not {"\x1b", "\u202e", "\n"} & set("".join(plain(line) for line in section.lines))


def test_the_mark_moves_only_when_something_arrives() -> None:
    view = a_task(message="busy")
    later = replace(view, snapshot=replace(view.snapshot, message_changes=1))
    assert activity(view) == activity(replace(view, reading=True))
    assert activity(view) != activity(later)


@pytest.mark.parametrize(
    ("view", "sign"),
    [
        (a_task(state=State.INPUT_REQUIRED, requests={"a": FORM}), "◆"),
        (a_task(attention=[Reason.STUCK]), "◐"),
        (replace(a_task(), quiet="quiet for 4 m"), "●"),
        (a_task(live=False), "●"),
    ],
)
def test_only_what_works_and_is_fresh_has_a_mark_that_moves(view: TaskView, sign: str) -> None:
    later = replace(view, snapshot=replace(view.snapshot, message_changes=1))
    assert activity(view) == activity(later) == sign


def test_of_a_task_that_is_gone_the_top_says_so_in_words_without_its_id() -> None:
    view = a_task(
        state=State.GONE,
        failures=3,
        error="not known to this server: Task 8f00cc3c",
        message="Copying",
    )
    section = status_section(facts(view))
    assert "last said Copying" in text(section)
    assert "read      just now · 3 reads in a row found no such task" in text(section)
    assert "8f00cc3c" not in text(section)
    assert Tone.BAD not in {each.tone for line in section.lines for each in line}


def test_of_a_task_that_was_never_read_the_top_says_that_it_was_never_known() -> None:
    view = a_task(state=State.GONE, failures=3, read_at=None)
    section = text(status_section(facts(view)))
    assert "3 reads in a row found no such task" in section
    assert "never known here: check the id, the server" in " ".join(section.split())


def test_what_ended_is_not_read_any_more_and_says_below_when_it_was() -> None:
    view = a_task(state=State.FAILED)
    assert "read" not in text(status_section(facts(view)))
    assert "read      just now" in text(about_section(facts(view)))


@pytest.mark.parametrize(
    ("ttl", "created", "said"),
    [
        (3_600_000, "2027-01-15T07:30:00Z", "in ≈ 30 m"),
        (60_000, "2027-01-15T07:30:00Z", "≈ 29 m overdue"),
        (0, "2027-01-15T07:30:00Z", None),
        (-1, "2027-01-15T07:30:00Z", None),
        (None, "2027-01-15T07:30:00Z", None),
        (3_600_000, "yesterday", None),
    ],
)
def test_the_time_to_live_is_only_ever_a_guess(
    ttl: int | None, created: str, said: str | None
) -> None:
    view = a_task()
    snapshot = replace(view.snapshot, ttl_ms=ttl, ttl_known=True, created_at=created)
    shown = text(status_section(facts(replace(view, snapshot=snapshot))))
    assert ("expires" in shown) is (said is not None)
    assert said is None or f"expires   {said}" in shown


@pytest.mark.parametrize(
    ("rate", "progress", "said"),
    [
        (1410.4, Progress(0.1, "9/9", 9, 9), "1,410 per s"),
        (1.0, Progress(0.1, "9/9", 9, 9), "1 per s"),
        (2.53, Progress(0.1, "9/9", 9, 9), "2.5 per s"),
        (0.5, Progress(0.1, "9/9", 9, 9), "30 per min"),
        (0.01, Progress(0.1, "9/9", 9, 9), "36 per h"),
        (0.0001, Progress(0.1, "9/9", 9, 9), "8.6 per day"),
        (2.5, Progress(0.1, "1/10 MB", 1, 10), "2.5 MB per s"),
        (0.1, Progress(0.1, "3/10, 45%", 2.4, 10), "6 per min"),
        (4.796 / 60, Progress(0.1, "10%"), "8 % per s"),
        (0.016, Progress(0.1, "10%"), "1.6 % per s"),
        (0.04 / 60, Progress(0.1, "10%"), "4 % per min"),
        (0.004 / 60, Progress(0.1, "10%"), "24 % per h"),
        (1e-9, Progress(0.1, "10%"), "0 % per day"),
    ],
)
def test_a_pace_is_told_in_numbers_that_people_say(
    rate: float, progress: Progress, said: str
) -> None:
    assert pace(rate, progress) == said


@pytest.mark.parametrize("width", [37, 39, 45, 58, 120])
def test_how_it_is_read_keeps_its_rows_whatever_the_clock_says(width: int) -> None:
    rows = set()
    for age, due in ((0.2, 0.4), (6, 65), (59, 9.9), (3599, 3599)):
        view = a_task(coverage=Coverage.POLLED, read_at=NOW - age, next_read_at=NOW + due)
        lines = [plain(line) for line in status_section(facts(view, width=width)).lines]
        rows.add(len(lines))
        assert not any(line.rstrip().endswith("·") for line in lines)
    assert len(rows) == 1
    view = a_task(coverage=Coverage.POLLED, read_at=NOW - 6, next_read_at=NOW + 65)
    shown = text(status_section(facts(view, width=width)))
    two = "read      just now\nnext read in 2 m"
    one = "read      just now · next in 2 m"
    assert (one if width > 40 else two) in shown
    assert "next read now" in text(status_section(facts(replace(view, reading=True), width=37)))


def test_when_it_is_read_again_is_never_told_without_its_label() -> None:
    failing = a_task(failures=3, error="HTTP 502", next_read_at=NOW + 65)
    gone = replace(a_task(state=State.GONE, failures=3), next_read_at=NOW + 300)
    for view in (failing, gone):
        lines = text(status_section(facts(view, width=60))).splitlines()
        (again,) = [line for line in lines if "next" in line]
        other = "next try  in " if view is failing else "next read in "
        assert again.startswith(("read      ", other))
    assert "next try" in text(status_section(facts(failing, width=60)))


LONG = "Sync region eu-north from the primary to both of its replicas"


@pytest.mark.parametrize(("width", "lines"), [(37, 3), (45, 3), (61, 2), (100, 1)])
def test_a_title_is_whole_where_there_are_lines_for_it(width: int, lines: int) -> None:
    journals = [
        (JournalEntry(NOW - seconds, Event.STATUS, None, {"to": "working"}),)
        for seconds in (0, 59, 86_399)
    ]
    for journal in journals:
        section = status_section(facts(a_task(label=LONG), width=width, journal=journal))
        head = [plain(line) for line in section.lines[:lines]]
        assert head[0].startswith("● working")
        assert LONG in " ".join(head)
        assert all("…" not in line for line in head)
        assert width_of(section.lines[0]) <= width


def test_the_end_of_a_task_comes_nearer_between_two_reads() -> None:
    view = replace(a_task(changed_at=NOW), progress=Progress(0.5, "1/2", 1, 2, 0.1, 60))
    seen = view.snapshot.observed_at
    assert seen is not None
    assert [time_left(view, seen + later) for later in (0, 5, 10)] == [60, 55, 50]
    late = replace(view, progress=Progress(0.99, "1/2", 1, 2, 0.1, 3))
    assert time_left(late, seen + 10) == 0.0


def test_clock_times_stand_everywhere_or_nowhere() -> None:
    journal = (JournalEntry(NOW - 30, Event.STATUS, None, {"to": "working"}),)
    view = a_task(message="62/100", changed_at=NOW)
    view = replace(view, progress=Progress(0.62, "62/100", 62, 100, 0.5, 76))
    lasting = replace(view.snapshot, ttl_ms=3_600_000, created_at="2027-01-15T07:30:00Z")
    view = replace(view, snapshot=replace(lasting, last_message_at=NOW))
    aged = text(status_section(facts(view, journal=journal)))
    clocked = text(status_section(facts(view, journal=journal, absolute=True)))
    for words in ("for 30 s", "≈ 2 m left", "in ≈ 30 m", "just now", "next in 10 s"):
        assert words in aged
        assert words not in clocked
    for words in ("since ", "≈ done at ", "at ≈ ", "next at "):
        assert words in clocked


def test_what_a_server_claims_stands_apart_from_what_we_know() -> None:
    view = a_task()
    snapshot = replace(view.snapshot, ttl_ms=3_600_000, ttl_known=True)
    known = facts(replace(view, snapshot=snapshot))
    assert "saved     10 m ago" in text(about_section(known))
    assert text(claims_section(known)) == "poll every 5 s · keeps it 1 h"


UUID = "68c11a4c-000d-4274-89b1-ad51f04e7e4f"


@pytest.mark.parametrize(
    ("width", "said"),
    [(60, f"task id   {UUID}"), (39, f"task id\n  {UUID}"), (36, f"task id\n{UUID}")],
)
def test_an_id_is_whole_on_one_line_to_be_copied(width: int, said: str) -> None:
    assert said in text(about_section(facts(a_task(task_id=UUID), width=width)))
    long = "x" * 100
    shown = text(about_section(facts(a_task(task_id=long), width=width)))
    assert long in shown.replace("\n", "")
